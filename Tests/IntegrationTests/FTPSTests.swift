import FTPFileProvider
import FileProviderCore
import Foundation
import Testing

/// FTP over TLS against real servers. vsftpd and ProFTPD want every data connection to go on with the control
/// connection's session.
@Suite(.serialized, .enabled(if: !TestServers.ftps.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct FTPSTests {
    private static let long = patterned(3_000_000)

    @Test(arguments: TestServers.ftps)
    func `twenty rounds of transfers in both directions arrive whole`(_ server: TestServers.FTP) async throws {
        let options = TestServers.ftpOptions
        let start = try server.endOfLog()
        try await server.withFolder(options) { provider, folder in
            let path = try folder.appending("file")
            for round in 0..<20 {
                let data = Self.long.dropFirst(round)
                try await provider.writeContents(path: path, contents: data, overwrite: true)
                #expect(try Data(contentsOf: server.location(path)) == data)
                #expect(try await provider.contentsOfDirectory(path: folder).map(\.size) == [Int64(data.count)])
                #expect(try await provider.contents(path: path) == data)
            }
            if server.logsCommands { #expect(try server.connections(naming: folder, since: start) == 1) }
        }
        #expect(options.counters[.dataConnections] == 60)
        #expect(options.counters[.retries] == 0)
    }

    @Test(arguments: TestServers.ftpes)
    func `transfers at the same time arrive whole`(_ server: TestServers.FTP) async throws {
        try await server.withFolder { provider, folder in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<12 {
                    group.addTask {
                        let path = try folder.appending("file \(index)")
                        let data = Self.long.dropFirst(index * 1000)
                        try await provider.writeContents(path: path, contents: data)
                        _ = try await provider.contentsOfDirectory(path: folder)
                        #expect(try await provider.contents(path: path) == data)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try server.names(folder).count == 12)
        }
    }

    @Test(arguments: TestServers.ftps)
    func `a range that ends in the middle costs no login`(_ server: TestServers.FTP) async throws {
        let start = try server.endOfLog()
        let options = TestServers.ftpOptions
        try await server.withFolder(options) { provider, folder in
            let path = try folder.appending("file")
            try await provider.writeContents(path: path, contents: Self.long)
            for round in 0..<10 {
                // The first kind is small and read on, the second has a data connection of its own.
                for count in [100, 1_500_000] {
                    let range = Int64(round * 1000)..<Int64(round * 1000 + count)
                    let part = try await provider.contents(path: path, part: .range(range))
                    #expect(part == Self.long[Int(range.lowerBound)..<Int(range.upperBound)])
                }
            }
            if server.logsCommands { #expect(try server.connections(naming: folder, since: start) == 1) }
        }
        #expect(options.counters[.retries] == 0)
    }

    @Test(arguments: TestServers.ftps)
    func `a server whose certificate nobody vouches for is not trusted`(_ server: TestServers.FTP) async throws {
        var options = TestServers.ftpOptions
        options.trust = TrustPolicy()
        let own = options.credentials
        // A name that no test beside this one has.
        let user = "nobody-\(UInt64.random(in: 0 ... .max))"
        options.credentials = FixedCredential(.password(user: user, password: "none"))
        let start = try server.endOfLog()
        let error = await #expect(throws: URLError.self) {
            _ = try await server.provider(options).contentsOfDirectory(path: .root)
        }
        #expect(error?.code == .serverCertificateUntrusted)
        #expect(options.counters[.retries] == 0)
        #expect(try !server.commands(since: start).contains { $0.command.contains(user) })
        options.trust.isInsecure = true
        options.credentials = own
        try await server.provider(options).checkReachability()
    }

    /// The servers' certificate is made out to this machine's address and its name.
    @Test(arguments: TestServers.ftpes)
    func `the password does not leave before the connection is safe`(_ server: TestServers.FTP) async throws {
        let start = try server.endOfLog()
        try await server.withFolder { provider, folder in
            _ = try await provider.contentsOfDirectory(path: folder)
            guard server.logsCommands else { return }
            let verbs = try server.verbs(naming: folder, since: start)
            // vsftpd has two processes for a connection, and logs the login under the number of the other.
            if server.program != "vsftpd" { #expect(verbs.prefix { $0 != "PASS" }.contains("AUTH")) }
            #expect(!verbs.contains("CCC"))
        }
    }

    // ProFTPD lets no second data connection go on with a session that TLS 1.3 has used up, and Pure-FTPd may lose an
    // upload's end: what is told to have arrived has to be there.
    @Test(arguments: TestServers.ftpes, [WriteOptions.Placement.published, .inPlace])
    func `an upload by the newest TLS that succeeds is whole`(
        _ server: TestServers.FTP, _ placement: WriteOptions.Placement
    ) async throws {
        try await server.withFolder(TestServers.ftpOptions, { $0.offersNewestTLS = true }) { provider, folder in
            for size in [10, 60_000, 500_000] {
                let path = try folder.appending("file \(size)")
                let data = patterned(size)
                do {
                    _ = try await provider.writeContents(
                        path: path, from: DataSource(data), options: WriteOptions(placement: placement))
                    #expect(try Data(contentsOf: server.location(path)) == data)
                } catch let error where error.isTransient || (error as? CocoaError)?.code == .fileWriteUnknown {
                    #expect(!FileManager.default.fileExists(atPath: server.location(path).path))
                }
            }
        }
    }

    @Test(arguments: TestServers.ftpes)
    func `what the newest TLS carries arrives whole`(_ server: TestServers.FTP) async throws {
        try await server.withFolder(TestServers.ftpOptions, { $0.offersNewestTLS = true }) { provider, folder in
            let path = try folder.appending("file")
            for round in 0..<5 {
                try Self.long.dropFirst(round).write(to: server.location(path))
                #expect(try await provider.contents(path: path) == Self.long.dropFirst(round))
                #expect(
                    try await provider.contents(path: path, part: .range(10..<20))
                        == Self.long.dropFirst(round).dropFirst(10).prefix(10))
                #expect(try await provider.contentsOfDirectory(path: folder).count == 1)
            }
        }
    }
}
