import FileProviderCore
import Foundation
import Testing
import WebDAVFileProvider

/// Listings of real servers.
@Suite(.enabled(if: !TestServers.webDAV.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct WebDAVListingTests {
    /// What hrefs have to encode, and what looks encoded already.
    private static let names = [
        "plain", "a b", "a%20b", "100%", "a%2520b", "x#y", "#z", "q?r", "a&b", "<tag>", "it's", "\"quoted\"",
        "semi;colon", "plus+", "at@b",
        "colon:c", "\u{E9}", "e\u{301}x", "日本", "🎈", "~tilde", "[brackets]", "{braces}", "pipe|", "caret^", "back`tick",
        "a=b", "comma,d",
        "x..y", "...",
    ]

    @Test(arguments: TestServers.webDAV)
    func `every name is listed as it is, and leads to its file`(_ server: TestServers.WebDAV) async throws {
        try await server.withFolder { provider, folder in
            for name in Self.names {
                let file = server.data.appending(path: folder.name).appending(path: name)
                try Data(name.utf8).write(to: file)
            }
            let items = try await provider.contentsOfDirectory(path: folder)
            let listed = Set(items.map { Array($0.path.nameBytes) })
            // nginx leaves out of its listings what begins with a dot.
            let wanted = Self.names.filter { !(server.name.hasPrefix("nginx") && $0.hasPrefix(".")) }
            #expect(listed == Set(wanted.map { Array($0.utf8) }))
            for item in items {
                #expect(try await provider.contents(path: item.path) == Data(item.path.nameBytes))
                #expect(try await provider.attributesOfItem(path: item.path).size == Int64(item.path.nameBytes.count))
            }
        }
    }

    @Test(arguments: TestServers.webDAV)
    func `a server that offers no search and no links is asked for neither`(_ server: TestServers.WebDAV) async throws {
        try await server.withFolder { provider, folder in
            let below = try folder.appending("below")
            try await provider.createFolder(path: below)
            let path = try below.appending("report.txt")
            try await provider.writeContents(path: path, contents: Data("r".utf8))
            #expect(try await !provider.searchesNatively(path: folder, recursive: true, query: .size(.equal(1))))
            #expect(
                try await provider.searchFiles(path: folder, recursive: true, query: .size(.equal(1))).map(\.path) == [
                    path
                ])
            #expect(try await provider.capabilities()[.publicLinks] == .unavailable)
            let error = await #expect(throws: CocoaError.self) { try await provider.publicLink(to: path) }
            #expect(error?.code == .featureUnsupported)
        }
    }

    @Test(arguments: TestServers.webDAV)
    func `the folders of a deep and wide tree are walked, each once`(_ server: TestServers.WebDAV) async throws {
        try await server.withFolder { provider, folder in
            let root = server.data.appending(path: folder.name)
            var made: Set<String> = []
            for branch in 0..<6 {
                for leaf in 0..<6 {
                    let child = root.appending(path: "\(branch)/\(leaf)")
                    try FileManager.default.createDirectory(at: child, withIntermediateDirectories: true)
                    try Data().write(to: child.appending(path: "f"))
                    made.formUnion(["/\(branch)", "/\(branch)/\(leaf)", "/\(branch)/\(leaf)/f"])
                }
            }
            // What was made here may be read and removed by the server's own user.
            try await Self.giveAway(root, like: server.data)
            let seen = CollectedValues<String>()
            try await provider.walk(path: folder) { seen.append($0.path.relative(to: folder)?.string ?? "") }
            #expect(seen.values.sorted() == made.sorted())
        }
    }

    private static func giveAway(_ folder: URL, like other: URL) async throws {
        let owner = try FileManager.default.attributesOfItem(atPath: other.path)[.ownerAccountID]
        guard let owner, let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else {
            return
        }
        while let item = all.nextObject() as? URL {
            try FileManager.default.setAttributes([.ownerAccountID: owner], ofItemAtPath: item.path)
        }
    }
}
