import FaultServer
import FileProviderCore
import Foundation
import Testing
import WebDAVFileProvider

@Suite struct WalkTests {
    @Test func `a walk lists each folder once, and asks for nothing else`() async throws {
        let double = DAVDouble(
            files: ["/dav/a/1": Data("1".utf8), "/dav/b/2": Data("2".utf8)],
            folders: ["/dav", "/dav/a", "/dav/b", "/dav/b/c"])
        let server = try FaultServer { double.answer($0) }
        defer { server.stop() }
        let provider = try server.provider()
        let found = CollectedValues<String>()
        try await provider.walk(path: .root) { found.append($0.path.string) }
        #expect(Set(found.values) == ["/a", "/a/1", "/b", "/b/2", "/b/c"])
        #expect(server.requests.count == 4)
        #expect(server.requests.allSatisfy { $0.method == "PROPFIND" && $0.headers["depth"] == "1" })
    }
}
