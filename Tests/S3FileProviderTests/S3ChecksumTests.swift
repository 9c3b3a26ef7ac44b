import Cryptography
import FaultServer
import FileProviderCore
import Foundation
import S3FileProvider
import Testing

/// Hashes that S3 keeps, after its documentation.
@Suite struct S3ChecksumTests {
    private static let text = Data("abc".utf8)
    private static let md5 = "900150983cd24fb0d6963f7d28e17f72"
    private static let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    private func checksum(_ kind: String, headers: [String: String]) async throws -> String {
        let s3 = try ScriptedS3 { _ in
            .reply(200, headers: headers.merging(["ETag": "\"\(Self.md5)\""]) { own, _ in own })
        }
        defer { s3.stop() }
        let path = try ProviderPath("f")
        let value = try await s3.provider.service.checksum(
            of: FileObject(path: path, type: .regular, size: 3), kind: kind, over: s3.provider.connection)
        #expect(s3.lines == ["HEAD /bucket/f"])
        #expect(s3.server.requests.first?.headers["x-amz-checksum-mode"] == "ENABLED")
        return value
    }

    @Test(arguments: [[:], ["x-amz-server-side-encryption": "AES256"]])
    func `the tag of an object in one piece is its MD5`(headers: [String: String]) async throws {
        #expect(try await checksum("md5", headers: headers) == Self.md5)
    }

    @Test(arguments: [
        ["ETag": "\"\(md5)-2\""], ["ETag": "\"CKicn4fknvACEAE=\""], ["x-amz-server-side-encryption": "aws:kms"],
        ["x-amz-server-side-encryption-customer-algorithm": "AES256"],
    ])
    func `a tag that is no MD5 of the bytes is none`(headers: [String: String]) async throws {
        let error = await #expect(throws: CocoaError.self) { _ = try await checksum("md5", headers: headers) }
        #expect(error?.code == .featureUnsupported)
    }

    @Test func `a checksum that was sent with the object is given in hexadecimal digits`() async throws {
        let headers = [
            "x-amz-checksum-sha256": Digest(.sha256, of: Self.text).base64, "x-amz-checksum-crc32": "NSRBwg==",
            "x-amz-checksum-type": "FULL_OBJECT",
        ]
        #expect(try await checksum("sha256", headers: headers) == Self.sha256)
        #expect(try await checksum("crc32", headers: headers) == "352441c2")
    }

    @Test(arguments: [
        ["x-amz-checksum-sha256": "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=-3"],
        [
            "x-amz-checksum-sha256": "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", "x-amz-checksum-type": "COMPOSITE",
        ], ["x-amz-checksum-sha256": ""], [:],
    ])
    func `a checksum of parts is none of the file`(headers: [String: String]) async throws {
        let error = await #expect(throws: CocoaError.self) { _ = try await checksum("sha256", headers: headers) }
        #expect(error?.code == .featureUnsupported)
    }

    @Test func `what is said of hashes, and a folder`() async throws {
        let s3 = try ScriptedS3 { _ in .reply(404) }
        defer { s3.stop() }
        let capabilities = try await s3.provider.capabilities()
        #expect(capabilities.hashKinds.first == "md5" && !capabilities.hashesEveryFile)
        await #expect(throws: CocoaError.self) {
            _ = try await s3.provider.service.checksum(
                of: FileObject(path: ProviderPath("d"), type: .directory), kind: "md5", over: s3.provider.connection)
        }
        #expect(s3.lines.isEmpty)
    }
}
