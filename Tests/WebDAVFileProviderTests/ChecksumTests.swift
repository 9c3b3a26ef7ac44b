import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import ProviderDoubles
import Testing
import WebDAVFileProvider

/// `OC-Checksum` both ways. The server is a double after ownCloud's documentation.
@Suite struct ChecksumTests {
    private static let text = Data("abc".utf8)
    private static let sha1 = "a9993e364706816aba3e25717850c26c9cd0d89d"
    private static let md5 = "900150983cd24fb0d6963f7d28e17f72"
    private static let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    private func server(_ checksum: String) throws -> FaultServer {
        try FaultServer { request in
            if request.method == "PROPFIND" {
                if request.target == "/dav/" {
                    return ScriptedReply.multistatus(ScriptedReply.response("/dav/", isFolder: true))
                }
                return ScriptedReply.multistatus(ScriptedReply.response(request.target, size: 3))
            }
            guard request.method == "GET" else {
                return .reply(201, headers: ["DAV": "1, 3, nextcloud-checksum-update"])
            }
            if let range = request.headers["range"] {
                #expect(range == "bytes=0-1")
                return .reply(
                    206, headers: ["OC-Checksum": checksum, "Content-Range": "bytes 0-1/3"], body: Self.text.prefix(2))
            }
            return .reply(200, headers: ["OC-Checksum": checksum], body: Self.text)
        }
    }

    @Test(arguments: [
        "SHA1:\(sha1)", "md5:\(md5.uppercased())", "SHA256:\(sha256)", "ADLER32:1 SHA1:\(sha1) MD5:wrong", "ADLER32:1",
        "", "x",
    ])
    func `a file that is as its hash says is read`(_ checksum: String) async throws {
        let server = try server(checksum)
        defer { server.stop() }
        #expect(try await server.provider().contents(path: ProviderPath("f")) == Self.text)
    }

    @Test(arguments: ["SHA1:\(md5)", "MD5:0", "SHA256:\(sha1) SHA1:\(sha1)"])
    func `a file that is not as its hash says is damaged, and does not appear`(_ checksum: String) async throws {
        let server = try server(checksum)
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let error = await #expect(throws: CocoaError.self) {
            try await server.provider().copyItem(path: ProviderPath("f"), toLocalURL: folder.url.appending(path: "f"))
        }
        #expect(error?.code == .fileReadCorruptFile)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test func `a part of a file is not compared with the hash of the whole`() async throws {
        let server = try server("SHA1:\(Self.md5)")
        defer { server.stop() }
        #expect(
            try await server.provider().contents(path: ProviderPath("f"), part: .range(0..<2)) == Self.text.prefix(2))
    }

    @Test(arguments: [("nextcloud-checksum-update", false), ("oc-resource-sharing", true)])
    func `the hashes that the server keeps are given, and no others`(feature: String, compares: Bool) async throws {
        let server = try FaultServer { request in
            guard request.method == "PROPFIND" else { return .reply(200, headers: ["DAV": "1, 3, \(feature)"]) }
            if !request.target.hasSuffix("/f") {
                return ScriptedReply.multistatus(ScriptedReply.response(request.target, isFolder: true))
            }
            let answer = """
                <d:multistatus xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:response><d:href>\(request.target)</d:href>\
                <d:propstat><d:prop><d:resourcetype/><d:getcontentlength>3</d:getcontentlength><oc:checksums>\
                <oc:checksum>SHA1:\(Self.sha1.uppercased()) MD5:none</oc:checksum></oc:checksums></d:prop>\
                <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>
                """
            return .reply(207, body: Data(answer.utf8))
        }
        defer { server.stop() }
        let provider = try server.provider(base: "remote.php/dav/files/u/")
        let capabilities = try await provider.capabilities()
        #expect(capabilities.hashKinds.first == "sha1" && !capabilities.hashesEveryFile)
        #expect(capabilities.computesHashes == compares)
        #expect(try await provider.checksum(of: ProviderPath("f"), kind: "sha1") == Self.sha1)
        for kind in ["md5", "sha256", "sha512"] {
            let error = await #expect(throws: CocoaError.self) {
                _ = try await provider.checksum(of: ProviderPath("f"), kind: kind)
            }
            #expect(error?.code == .featureUnsupported)
        }
        let folder = await #expect(throws: CocoaError.self) { _ = try await provider.checksum(of: .root, kind: "sha1") }
        #expect((folder?.underlying as? POSIXError)?.code == .EISDIR)
    }

    @Test func `another server keeps no hashes`() async throws {
        let server = try FaultServer { request in
            request.method == "PROPFIND"
                ? ScriptedReply.multistatus(ScriptedReply.response(request.target, isFolder: request.target == "/dav/"))
                : .reply(200, headers: ["DAV": "1"])
        }
        defer { server.stop() }
        let provider = try server.provider()
        #expect(try await provider.capabilities().hashKinds.isEmpty)
        let error = await #expect(throws: CocoaError.self) {
            _ = try await provider.checksum(of: ProviderPath("f"), kind: "sha1")
        }
        #expect(error?.code == .featureUnsupported)
    }

    @Test func `an upload goes with its hash, where the source can be read twice`() async throws {
        let server = try server("")
        defer { server.stop() }
        let provider = try server.provider()
        try await provider.writeContents(path: ProviderPath("f"), contents: Self.text, overwrite: true)
        let once = SequenceSource(
            AsyncStream {
                $0.yield(Self.text); $0.finish()
            }, length: 3)
        _ = try await provider.writeContents(
            path: ProviderPath("g"), from: once, options: WriteOptions(overwrite: true))
        let puts = server.requests.filter { $0.method == "PUT" }
        #expect(puts.map { $0.headers["oc-checksum"] } == ["SHA1:\(Self.sha1)", nil])
    }
}
