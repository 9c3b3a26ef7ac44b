import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import S3FileProvider
import Testing

@Suite struct S3ListingTests {
    @Test func `a folder's marker and what no path can hold are left out`() async throws {
        let s3 = try ScriptedS3 { _ in
            .listing(
                ["folder/", "folder/file", "folder/..", "folder/.", "elsewhere/file", ""],
                prefixes: ["folder/inner/", "folder//", "folder/../", "other/"])
        }
        defer { s3.stop() }
        let items = try await s3.provider.contentsOfDirectory(path: ProviderPath("folder"))
        #expect(items.map(\.path.string).sorted() == ["/folder/file", "/folder/inner"])
        #expect(items.first { $0.name == "file" }?.entryTag == "\"e\"")
        // Something is there, so nobody has to look whether the folder is.
        #expect(s3.lines.count == 1)
    }

    @Test func `an empty folder with a marker takes one request`() async throws {
        let s3 = try ScriptedS3 { _ in .listing(["folder/"]) }
        defer { s3.stop() }
        #expect(try await s3.provider.contentsOfDirectory(path: ProviderPath("folder")).isEmpty)
        #expect(s3.lines.count == 1)
    }

    @Test(arguments: [("a+b%2Bc%25", "a b+c%"), ("a%20b%2Bc%25", "a b+c%"), ("%C3%BC%0A", "ü\n"), ("bad%zz", "bad%zz")])
    func `encoded keys are decoded as AWS and as others encode them`(key: String, name: String) async throws {
        let s3 = try ScriptedS3 { _ in .listing([key], more: "<EncodingType>url</EncodingType>") }
        defer { s3.stop() }
        #expect(try await s3.provider.contentsOfDirectory(path: .root).map(\.name) == [name])
    }

    @Test func `keys are taken as they are where the server does not encode`() async throws {
        let s3 = try ScriptedS3 { _ in .listing(["a+b%20c"]) }
        defer { s3.stop() }
        #expect(try await s3.provider.contentsOfDirectory(path: .root).map(\.name) == ["a+b%20c"])
    }

    @Test func `pages follow each other by their tokens`() async throws {
        let s3 = try ScriptedS3 { request in
            request.target.contains("continuation-token=t%2F1%3D")
                ? .listing(["b"])
                : .listing(["a"], more: "<IsTruncated>true</IsTruncated><NextContinuationToken>t/1=</NextContinuationToken>")
        }
        defer { s3.stop() }
        #expect(try await s3.provider.contentsOfDirectory(path: .root).map(\.name) == ["a", "b"])
    }

    @Test func `a removal is not led in a circle`() async throws {
        let s3 = try ScriptedS3 { request in
            switch request.method {
            case "HEAD": .reply(404)
            case "POST": .xml("<DeleteResult/>")
            default: .listing(["x/a"], more: "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>")
            }
        }
        defer { s3.stop() }
        let error = await #expect(throws: URLError.self) { try await s3.provider.removeItem(path: ProviderPath("x")) }
        #expect(error?.code == .badServerResponse)
    }

    @Test func `a listing that has more and does not say where is not taken for the whole`() async throws {
        let s3 = try ScriptedS3 { request in
            switch request.method {
            case "HEAD": .reply(404)
            case "POST": .xml("<DeleteResult/>")
            default: .listing(["x/a"], more: "<IsTruncated>true</IsTruncated>")
            }
        }
        defer { s3.stop() }
        let path = try ProviderPath("x")
        for error in [
            await #expect(throws: URLError.self) { try await s3.provider.contentsOfDirectory(path: path) },
            await #expect(throws: URLError.self) { try await s3.provider.removeItem(path: path) },
        ] { #expect(error?.code == .badServerResponse) }
        #expect(!s3.lines.contains { $0.hasPrefix("POST") })
    }

    @Test(arguments: ["", "no XML", "<html/>", "<ListBucketResult><Contents>"])
    func `an answer that is no listing is an error`(text: String) async throws {
        let s3 = try ScriptedS3(retries: 0) { _ in .reply(200, body: Data(text.utf8)) }
        defer { s3.stop() }
        await #expect(throws: (any Error).self) { try await s3.provider.contentsOfDirectory(path: .root) }
    }
}
