import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import Testing
import WebDAVFileProvider

/// Trash and versions of a Nextcloud server, which is a double after its developer manual.
@Suite struct HistoryTests {
    private static let base = "remote.php/dav/files/u/"

    private func withServer(_ body: (NextcloudHistoryDouble, FaultServer, WebDAVFileProvider) async throws -> Void)
        async throws
    {
        let double = NextcloudHistoryDouble()
        let server = try FaultServer { double.answer($0) }
        defer { server.stop() }
        try await body(double, server, try server.provider(base: Self.base))
    }

    @Test func `the versions of a file are listed, read and restored`() async throws {
        try await withServer { double, _, provider in
            let path = try ProviderPath("a file")
            for text in ["one", "two!", "three"] {
                try await provider.writeContents(path: path, contents: Data(text.utf8), overwrite: true)
            }
            let versions = try await provider.versions(of: path)
            #expect(versions.map(\.size) == [4, 3], "the newest first")
            #expect(versions.allSatisfy { $0.path == path && $0.modifiedDate != nil && !$0.isCurrent })
            var texts: [String] = []
            for version in versions {
                let reader = try await provider.open(version)
                texts.append(String(decoding: try await reader.read(.whole).data, as: UTF8.self))
            }
            #expect(texts == ["two!", "one"])
            try await provider.restore(#require(versions.last))
            #expect(double.file("a file") == Data("one".utf8))
            #expect(try await provider.versions(of: path).map(\.size).contains(5), "what was there is kept")
        }
    }

    @Test func `a version that is none of a file's is not asked for`() async throws {
        try await withServer { _, server, provider in
            let path = try ProviderPath("f")
            _ = try await provider.quirks()
            let before = server.requests.count
            for identifier in ["", "1", "1/2/3", "../2", "1/.."] {
                let version = FileVersion(identifier: identifier, path: path)
                await #expect(throws: CocoaError.self) { try await provider.restore(version) }
            }
            #expect(server.requests.count == before)
        }
    }

    @Test func `what was removed is listed, restored, and removed for good`() async throws {
        try await withServer { double, _, provider in
            let path = try ProviderPath("f")
            try await provider.writeContents(path: path, contents: Data("old".utf8))
            try await provider.removeItem(path: path)
            let items = try await provider.trashItems()
            #expect(items.map(\.path) == [path] && items.first?.size == 3 && items.first?.removedDate != nil)
            #expect(try await provider.trashItems(below: ProviderPath("elsewhere")).isEmpty)
            try await provider.restore(#require(items.first))
            #expect(try await provider.contents(path: path) == Data("old".utf8))
            #expect(try await provider.trashItems().isEmpty)

            try await provider.removeItem(path: path)
            try await provider.writeContents(path: path, contents: Data("new".utf8))
            let second = try #require(try await provider.trashItems().first)
            try await provider.restore(second)
            #expect(double.file("f") == Data("new".utf8), "nothing is replaced")

            try await provider.removeItem(path: path)
            let third = try #require(try await provider.trashItems().first)
            try await provider.removeFromTrash(third)
            #expect(try await provider.trashItems().isEmpty)
            for attempt in [provider.restore, provider.removeFromTrash] as [(TrashItem) async throws -> Void] {
                let error = await #expect(throws: CocoaError.self) { try await attempt(third) }
                #expect(error?.code == .fileNoSuchFile)
            }
        }
    }

    @Test func `a server's word on where an item was cannot lead out of the root`() async throws {
        let locations = ["../../secret", "a/../../b", "", "/", "a//b", "ok"]
        let items = locations.enumerated().map { index, location in
            """
            <d:response><d:href>/remote.php/dav/trashbin/u/trash/x\(index)</d:href><d:propstat><d:prop><d:resourcetype/>\
            <nc:trashbin-original-location>\(location)</nc:trashbin-original-location>\
            <nc:trashbin-deletion-time>\(index == 0 ? "-5" : "99999999999999999999")</nc:trashbin-deletion-time></d:prop>\
            <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>
            """
        }
        let text =
            #"<d:multistatus xmlns:d="DAV:" xmlns:nc="http://nextcloud.org/ns"><d:response>"#
            + "<d:href>/remote.php/dav/trashbin/u/trash/</d:href><d:propstat><d:prop>"
            + "<d:resourcetype><d:collection/></d:resourcetype></d:prop><d:status>HTTP/1.1 200 OK</d:status>"
            + "</d:propstat></d:response>\(items.joined())</d:multistatus>"
        let server = try FaultServer { request in
            request.method == "PROPFIND"
                ? .reply(207, body: Data(text.utf8))
                : .reply(200, headers: ["DAV": "1, 3, nextcloud-checksum-update"])
        }
        defer { server.stop() }
        let found = try await server.provider(base: Self.base).trashItems()
        #expect(found.map(\.path) == [try ProviderPath("ok")] && found.first?.removedDate == nil)
    }

    @Test(arguments: ["1, 2", "1, 3, oc-"])
    func `another server has neither`(features: String) async throws {
        let server = try FaultServer { _ in .reply(200, headers: ["DAV": features]) }
        defer { server.stop() }
        let provider = try server.provider(base: Self.base)
        let path = try ProviderPath("f")
        for attempt in [
            { _ = try await provider.versions(of: path) }, { _ = try await provider.trashItems() },
            { try await provider.restore(FileVersion(identifier: "1/2", path: path)) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: CocoaError.self) { try await attempt() }
            #expect(error?.code == .featureUnsupported)
        }
    }
}
