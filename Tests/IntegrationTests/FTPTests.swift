import FTPFileProvider
import FileProviderCore
import Foundation
import PredicateFormat
import Testing

/// Logging in to real FTP servers, what they can do, and searching by listings.
@Suite(.serialized, .enabled(if: !TestServers.ftp.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct FTPTests {
    @Test(arguments: TestServers.ftp)
    func `capabilities are what the server has`(_ server: TestServers.FTP) async throws {
        let provider = try server.provider(TestServers.ftpOptions)
        let capabilities = try await provider.capabilities()
        let isProFTPD = server.program == "ProFTPD"
        #expect(capabilities[.serverSideCopying] == (isProFTPD ? .native : .unavailable))
        #expect(capabilities[.symbolicLinks] == (isProFTPD ? .native : .unavailable))
        #expect(capabilities.hashKinds.isEmpty == !isProFTPD)
        #expect(capabilities.timePrecision == (server.program == "vsftpd" ? 60 : 1))
        #expect(capabilities.readCost.concurrentRanges == 1)
        #expect(try await provider.storageProperties() == nil)
        try await provider.checkReachability()
    }

    @Test(arguments: TestServers.ftp)
    func `a tilde stands for the folder that the login begins in`(_ server: TestServers.FTP) async throws {
        try await server.withFolder { provider, folder in
            let below = try ProviderPath("~\(folder.string)/file")
            try await provider.writeContents(path: below, contents: Data("1".utf8))
            #expect(try await provider.contents(path: folder.appending("file")) == Data("1".utf8))
            #expect(
                try await provider.contentsOfDirectory(path: ProviderPath("~\(folder.string)")).map(\.name) == ["file"])
        }
    }

    @Test(arguments: TestServers.ftp.filter { $0.program != "pyftpdlib" })
    func `names with the byte 255 in them are those of the server`(_ server: TestServers.FTP) async throws {
        try await server.withFolder(TestServers.ftpOptions, { try? $0.setCharset("windows-1251") }) {
            provider, folder in
            // What follows the first one would be a command of Telnet.
            let path = try folder.appending("Моя яшма")
            _ = try await provider.writeContents(path: path, contents: Data("1".utf8))
            #expect(try await provider.contentsOfDirectory(path: folder).map(\.name) == ["Моя яшма"])
            #expect(try await provider.contents(path: path) == Data("1".utf8))
            #expect(try await provider.attributesOfItem(path: path).size == 1)
            try await provider.removeItem(path: path)
            #expect(try await provider.contentsOfDirectory(path: folder).isEmpty)
        }
    }

    @Test(arguments: TestServers.ftp)
    func `a search walks the tree`(_ server: TestServers.FTP) async throws {
        try await server.withFolder { provider, folder in
            let inner = try folder.appending("inner")
            try await provider.createFolder(path: inner)
            for name in ["a.epub", "b.txt"] { try server.put(folder.appending(name), Data("1".utf8)) }
            for name in ["c.epub", ".d.epub"] { try server.put(inner.appending(name), Data("22".utf8)) }
            let query = try FileQuery(format: "name LIKE '*.epub'")
            let found = try await provider.searchFiles(path: folder, recursive: true, query: query)
            #expect(Set(found.map(\.name)) == ["a.epub", "c.epub", ".d.epub"])
            let flat = try await provider.searchFiles(path: folder, recursive: false, query: query)
            #expect(flat.map(\.name) == ["a.epub"])
            let large = try await provider.searchFiles(
                path: folder, recursive: true, query: FileQuery(format: "size > 1"))
            #expect(
                Set(large.map(\.name)).isSuperset(of: ["c.epub", ".d.epub"]) && !large.map(\.name).contains("b.txt"))
        }
    }

    @Test func `what is no FTP server ends with a sentence`() async throws {
        let options = TestServers.options(retries: 0)
        let nobody = try FTPFileProvider(
            configuration: FTPConfiguration(baseURL: #require(URL(string: "ftp://127.0.0.1:1/"))), options: options)
        let error = await #expect(throws: URLError.self) { try await nobody.checkReachability() }
        #expect(error?.code == .cannotConnectToHost)
    }
}
