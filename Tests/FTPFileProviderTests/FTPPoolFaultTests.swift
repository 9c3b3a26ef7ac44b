import CurlTransport
import FaultServer
import FileProviderCore
import Foundation
import Testing

@testable import FTPFileProvider

/// Servers that take few connections, and operations that need more of them.
@Suite struct FTPPoolFaultTests {
    private static let large = Data((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3 | 1) })

    private func settings(_ logins: Int, _ faults: [String: [FTPDouble.Fault]] = [:]) -> FTPDouble.Settings {
        var settings = FTPDouble.Settings { faults[$0.verb] ?? [] }
        settings.maximumLogins = logins
        return settings
    }

    @Test func `Who waits for a connection is patient while the others get on`() async throws {
        let book = Self.large.prefix(500_000)
        let settings = settings(2, ["RETR": [.slowData(bytes: 10_000, pause: 0.2)]])
        try await withFTPProvider(settings, files: ["/book": book]) {
            // together less than a download takes, which the others wait for
            $0.timeouts = Timeouts(connect: 4.5, idle: 4.5)
        } _: { _, provider in
            try await withThrowingTaskGroup(of: Data.self) { group in
                for _ in 0..<4 { group.addTask { try await provider.contents(path: ProviderPath("book")) } }
                for try await data in group { #expect(data == book) }
            }
        }
    }

    @Test func `Slow uploads over few connections all come to their end`() async throws {
        let settings = settings(2, ["STOR": [.slowData(bytes: 10_000, pause: 0.2)]])
        try await withFTPProvider(settings) {
            // more than the wait for one reply, and together less than three uploads take, which the last ones wait for
            $0.timeouts = Timeouts(connect: 5, idle: 9)
        } _: { double, provider in
            let data = Self.large.prefix(270_000)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await provider.writeContents(path: ProviderPath("new \(number)"), contents: Data(data))
                    }
                }
                try await group.waitForAll()
            }
            for number in 0..<8 { #expect(double.file("/new \(number)") == data) }
        }
    }

    @Test(arguments: [2, 3], [WriteOptions.Placement.published, .inPlace])
    func `Copies of files of one server come to their end over as few connections as that takes`(
        logins: Int, placement: WriteOptions.Placement
    ) async throws {
        try await withFTPProvider(settings(logins), files: ["/book": Self.large]) {
            $0.timeouts = Timeouts(connect: 2, idle: 2)
        } _: { double, provider in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<5 {
                    group.addTask {
                        let source = try await provider.open(path: ProviderPath("book")).writeSource()
                        let options = WriteOptions(overwrite: true, placement: placement)
                        _ = try await provider.writeContents(
                            path: ProviderPath("new \(number)"), from: source, options: options)
                    }
                }
                try await group.waitForAll()
            }
            for number in 0..<5 { #expect(double.file("/new \(number)") == Self.large) }
        }
    }

    @Test func `A server that took no more is asked again after a while, though nobody gives a connection back`()
        async throws
    {
        var settings = FTPDouble.Settings {
            $0.verb == "PASS" && $0.connection == 2 ? [.reply("530 Too many of you")] : []
        }
        settings.allowsPipelining = true
        let double = try FTPDouble(settings)
        defer { double.stop() }
        let server = FTPServer(host: "127.0.0.1", port: double.port, security: .none)
        let login = try FTPLogin(user: "anna", password: "secret")
        let host = FTPHost(charset: .utf8)
        let pool = FTPPool(maxCount: 4, patience: .seconds(300), relief: .milliseconds(300)) { _, begin in
            let control = try FTPControlConnection(
                server: server, login: login, options: ConnectionOptions(proxy: .none))
            let session = FTPSession(control, host: host, bytesPerSecond: nil)
            begin(session)
            try await session.open()
            return session
        }
        defer { pool.closeAll() }
        let first = try await pool.take()
        let start = ContinuousClock.now
        let second = try await pool.take()
        #expect(start.duration(to: .now) < .seconds(100) && double.connections == 3)
        pool.giveBack(first)
        pool.giveBack(second)
    }
}
