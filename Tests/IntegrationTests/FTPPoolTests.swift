import FTPFileProvider
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

/// Connections are few, and each is used by one at a time.
@Suite(.serialized, .enabled(if: !TestServers.ftp.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct FTPPoolTests {
    @Test(arguments: TestServers.ftp + TestServers.ftpes)
    func `forty operations share four logins`(_ server: TestServers.FTP) async throws {
        var options = TestServers.ftpOptions
        options.connectionsPerHost = 4
        let start = try server.endOfLog()
        try await server.withFolder(options) { provider, folder in
            try await runFortyOperations(on: provider, in: folder)
            if server.logsCommands { #expect(try (2...4).contains(server.connections(naming: folder, since: start))) }
        }
        #expect(options.counters[.retries] == 0)
    }

    @Test(arguments: [("CAPPED", "vsftpd"), ("CAPPED_LOGIN", "ProFTPD")])
    func `where the server takes three connections, forty operations make do with them`(
        _ name: String, _ program: String
    ) async throws {
        let server = try TestServers.cappedFTP(name, of: program)
        var options = TestServers.ftpOptions
        options.connectionsPerHost = 8
        options.retries = RetryPolicy(retries: 0)
        // The folder itself would be one client more for the server, while the provider has its connections.
        let provider = try server.provider(options)
        let folder = try ProviderPath("test-\(UInt64.random(in: 0 ... .max))")
        try await provider.createFolder(path: folder)
        let start = try server.endOfLog()
        try await runFortyOperations(on: provider, in: folder)
        try await provider.removeItem(path: folder)
        #expect(try (1...3).contains(server.connections(naming: folder, since: start)))
        provider.invalidate()
    }

    @Test(arguments: TestServers.ftp)
    func `one connection is enough for a reader and whatever else happens`(_ server: TestServers.FTP) async throws {
        var options = TestServers.ftpOptions
        options.connectionsPerHost = 1
        let start = try server.endOfLog()
        let data = patterned(3_000_000)
        try await server.withFolder(options) { provider, folder in
            let path = try folder.appending("file")
            try await provider.writeContents(path: path, contents: data)
            let reader = try await provider.open(path: path)
            for round in 0..<5 {
                let range = Int64(round * 100_000)..<Int64(round * 100_000 + 5000)
                #expect(try await reader.read(range) == data[Int(range.lowerBound)..<Int(range.upperBound)])
                // The reader was left alone: what it holds goes to who needs it.
                #expect(try await provider.contentsOfDirectory(path: folder).count == 1 + round)
                try await provider.createFolder(path: folder.appending("\(round)"))
            }
            let other = try await provider.open(path: path)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<12 {
                    group.addTask {
                        let range = Int64(index * 200_000)..<Int64(index * 200_000 + 1000)
                        let part = try await (index % 2 == 0 ? reader : other).read(range)
                        #expect(part == data[Int(range.lowerBound)..<Int(range.upperBound)])
                    }
                    group.addTask {
                        let size = try await provider.attributesOfItem(path: path).size
                        #expect(size == 3_000_000)
                    }
                }
                try await group.waitForAll()
            }
            await reader.close()
            await other.close()
            if server.logsCommands { #expect(try server.connections(naming: folder, since: start) == 1) }
        }
        #expect(options.counters[.retries] == 0)
    }

    @Test(.timeLimit(.minutes(5)), arguments: TestServers.ftp)
    func `what runs ends at once when its provider is invalidated`(_ server: TestServers.FTP) async throws {
        try await server.withFolder { _, folder in
            for round in 0..<5 {
                let provider = try server.provider()
                let path = try folder.appending("\(round)")
                let source = AsyncStream<Data> { continuation in
                    continuation.yield(Data(count: 100_000))
                    // The rest never comes.
                }
                // What an earlier round has left may be there for a moment.
                let before = Set(try server.names(folder))
                let write = Task {
                    try await provider.writeContents(path: path, from: SequenceSource(source), options: WriteOptions())
                }
                try await eventually { try !before.isSuperset(of: server.names(folder)) }
                provider.invalidate()
                let error = await #expect(throws: URLError.self) { _ = try await write.value }
                #expect(error?.code == .cancelled)
            }
            try await eventually { try server.names(folder) == [] }
            #expect(try server.names(folder) == [])
        }
    }
}
