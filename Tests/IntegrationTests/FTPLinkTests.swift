import FTPFileProvider
import FileProviderCore
import Foundation
import Testing

/// Symbolic links on real FTP servers, which show them each in its own way.
@Suite(.serialized, .enabled(if: !TestServers.ftp.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct FTPLinkTests {
    /// A folder with a file, a folder that holds one, and links to both, to nothing and in a circle.
    private func withLinks(_ server: TestServers.FTP, _ body: (FTPFileProvider, ProviderPath) async throws -> Void)
        async throws
    {
        try await server.withFolder { provider, folder in
            let inner = try folder.appending("folder")
            try await provider.createFolder(path: inner)
            try server.put(folder.appending("file"), Data("content".utf8))
            try server.put(inner.appending("inside"), Data("inside".utf8))
            for (name, target) in [
                ("to file", "file"), ("to folder", "folder"), ("to link", "to file"), ("to nothing", "nothing"),
                ("one", "two"),
                ("two", "one"),
            ] { try server.link(folder.appending(name), to: target) }
            try await body(provider, folder)
        }
    }

    @Test(arguments: TestServers.ftp)
    func `listings show links as the server does`(_ server: TestServers.FTP) async throws {
        try await withLinks(server) { provider, folder in
            let items = try await provider.contentsOfDirectory(path: folder)
            let types = Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.type) })
            #expect(types["file"] == .regular && types["folder"] == .directory)
            // pyftpdlib follows them all, and leaves out those that lead nowhere, as ProFTPD does.
            let link: FileType? = server.program == "pyftpdlib" ? nil : .symbolicLink
            #expect(types["to file"] == link ?? .regular)
            #expect(types["to folder"] == link ?? .directory)
            #expect(types["to nothing"] == (["vsftpd", "Pure-FTPd"].contains(server.program) ? .symbolicLink : nil))
            if server.program == "vsftpd" {
                let targets = Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.linkTargetText) })
                #expect(
                    targets["to file"] == "file" && targets["to link"] == "to file"
                        && targets["to nothing"] == "nothing")
            }
        }
    }

    @Test(arguments: TestServers.ftp)
    func `links are followed to what is behind them`(_ server: TestServers.FTP) async throws {
        try await withLinks(server) { provider, folder in
            #expect(try await provider.contents(path: folder.appending("to link")) == Data("content".utf8))
            #expect(
                try await provider.contentsOfDirectory(path: folder.appending("to folder")).map(\.name) == ["inside"])
            if server.program == "pyftpdlib" { return }
            let file = try await provider.destinationOfSymbolicLink(path: folder.appending("to link"))
            #expect(file.size == 7 && file.isRegularFile)
            #expect(try await provider.destinationOfSymbolicLink(path: folder.appending("to folder")).isDirectory)
            for name in ["to nothing", "one", "missing"] {
                await #expect(throws: CocoaError.self) {
                    try await provider.destinationOfSymbolicLink(path: folder.appending(name))
                }
            }
        }
    }

    @Test(arguments: TestServers.ftp)
    func `removing and moving a link leaves what it leads to`(_ server: TestServers.FTP) async throws {
        try await withLinks(server) { provider, folder in
            for name in ["to file", "to link"] {
                try await provider.removeItem(path: folder.appending(name))
                #expect(try !server.isThere(folder.appending(name)))
            }
            try await provider.moveItem(path: folder.appending("to folder"), to: folder.appending("moved"))
            try await provider.removeItem(path: folder.appending("moved"))
            #expect(try !server.isThere(folder.appending("moved")))
            #expect(try server.names(folder.appending("folder")) == ["inside"])
            #expect(try server.isThere(folder.appending("file")))
        }
    }

    @Test(arguments: TestServers.ftp)
    func `removing a folder does not go through its links`(_ server: TestServers.FTP) async throws {
        try await server.withFolder { provider, folder in
            let (kept, gone) = (try folder.appending("kept"), try folder.appending("gone"))
            for path in [kept, gone] { try await provider.createFolder(path: path) }
            try server.put(kept.appending("inside"), Data("inside".utf8))
            try server.link(gone.appending("to folder"), to: "../kept")
            try server.link(gone.appending("to file"), to: "../kept/inside")
            try server.link(gone.appending("to nothing"), to: "nothing")
            try await provider.removeItem(path: gone)
            #expect(try server.names(folder) == ["kept"])
            #expect(try server.names(kept) == ["inside"])
        }
    }

    @Test func `a link is made where the server can`() async throws {
        for server in TestServers.ftp {
            try await server.withFolder { provider, folder in
                try server.put(folder.appending("file"), Data("content".utf8))
                let link = try folder.appending("link")
                guard server.program == "ProFTPD" else {
                    let error = await #expect(throws: CocoaError.self) {
                        try await provider.createSymbolicLink(path: link, text: "file")
                    }
                    #expect(error?.code == .featureUnsupported)
                    return
                }
                try await provider.createSymbolicLink(path: link, to: folder.appending("file"))
                #expect(
                    try FileManager.default.destinationOfSymbolicLink(atPath: server.location(link).path)
                        == "\(folder)/file")
                #expect(try await provider.contents(path: link) == Data("content".utf8))
                #expect(try await provider.destinationOfSymbolicLink(path: link).size == 7)
                let error = await #expect(throws: CocoaError.self) {
                    try await provider.createSymbolicLink(path: link, text: "file")
                }
                #expect(error?.code == .fileWriteFileExists)
            }
        }
    }
}
