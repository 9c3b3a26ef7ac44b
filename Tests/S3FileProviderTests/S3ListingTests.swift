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
        let listing = await s3.provider.listing(path: try ProviderPath("folder"))
        let (items, error) = (listing.contents, listing.error)
        #expect(items.map(\.path.string).sorted() == ["/folder/file", "/folder/inner"])
        #expect(items.first { $0.name == "file" }?.entryTag == "\"e\"")
        #expect(error?.unusableNames?.count == 7)
        #expect(error?.unusableNames?.first == "folder/..")
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
                : .listing(
                    ["a"], more: "<IsTruncated>true</IsTruncated><NextContinuationToken>t/1=</NextContinuationToken>")
        }
        defer { s3.stop() }
        #expect(try await s3.provider.contentsOfDirectory(path: .root).map(\.name) == ["a", "b"])
    }

    @Test func `of an object and a prefix of one name the object is listed, on whatever pages they are`() async throws {
        let s3 = try ScriptedS3 { request in
            request.target.contains("continuation-token=t")
                ? .listing(["both-2"], prefixes: ["both/", "folder/"])
                : .listing(
                    ["both", "both-1"],
                    more: "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>")
        }
        defer { s3.stop() }
        let listing = await s3.provider.listing(path: .root)
        let (items, error) = (listing.contents, listing.error)
        #expect(items.map(\.name) == ["both", "both-1", "both-2", "folder"])
        #expect(items.first?.isRegularFile == true)
        #expect(error?.unusableNames?.count == 1 && error?.unusableNames?.first == "both")
    }

    @Test func `a folder with nothing but impossible names is neither missing nor empty`() async throws {
        let s3 = try ScriptedS3 { request in
            switch request.method {
            case "HEAD": .reply(404)
            case "GET" where request.target.contains("delimiter"): .listing([], prefixes: ["x//"])
            case "GET": .listing(["x//y"])
            default: .reply(500)
            }
        }
        defer { s3.stop() }
        let path = try ProviderPath("x")
        let listing = await s3.provider.listing(path: path)
        let (items, error) = (listing.contents, listing.error)
        #expect(items.isEmpty && error?.unusableNames?.count == 1)
        let refusal = await #expect(throws: CocoaError.self) {
            try await s3.provider.removeItem(path: path, recursive: false)
        }
        #expect(refusal?.code == .fileWriteFileExists)
    }

    /// A server with `ListObjects` alone.
    private func oldServer(refusal: FaultServer.Answer?, marker: Bool) throws -> ScriptedS3 {
        try ScriptedS3 { request in
            if request.method == "HEAD" { return .reply(404) }
            if request.method == "POST" { return .xml("<DeleteResult/>") }
            let isOld = !request.target.contains("list-type=2")
            if !isOld, let refusal { return refusal }
            let start = "<Marker></Marker><EncodingType>url</EncodingType>"
            if request.target.contains("marker=") {
                return request.target.contains("marker=x%2Fb%20c") ? .listing(["x/d"], more: start) : .reply(500)
            }
            let next = marker ? "<NextMarker>x/b+c</NextMarker>" : ""
            return .listing(["x/a", "x/b+c"], more: "\(start)<IsTruncated>true</IsTruncated>\(next)")
        }
    }

    @Test(arguments: [501, 405, 400, 200], [true, false])
    func `a server without ListObjectsV2 is listed by ListObjects`(status: Int, marker: Bool) async throws {
        // With 200, it takes no notice of what it does not know.
        let s3 = try oldServer(refusal: status == 200 ? nil : .error(status, "NotImplemented"), marker: marker)
        defer { s3.stop() }
        let path = try ProviderPath("x")
        #expect(try await s3.provider.contentsOfDirectory(path: path).map(\.name) == ["a", "b c", "d"])
        let first = s3.lines.count
        #expect(first == (status == 200 ? 2 : 3))
        // Remembered, for folders and trees alike.
        #expect(try await s3.provider.attributesOfItem(path: path).isDirectory)
        try await s3.provider.removeItem(path: path)
        #expect(s3.removals.contains("x/b c") && s3.removals.contains("x/d"))
        #expect(!s3.lines.dropFirst(first).contains { $0.contains("list-type=2") })
    }

    @Test func `a removal is not led in a circle`() async throws {
        let s3 = try ScriptedS3 { request in
            switch request.method {
            case "HEAD": .reply(404)
            case "POST": .xml("<DeleteResult/>")
            default:
                .listing(
                    ["x/a"], more: "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>")
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
        await #expect {
            try await s3.provider.contentsOfDirectory(path: .root)
        } throws: { error in
            // What is no XML, or ends too early, is named by its line.
            text == "<html/>"
                ? (error as? URLError)?.code == .badServerResponse
                : (error as? CocoaError)?.code == .fileReadCorruptFile
        }
    }
}
