import FTPFileProvider
import FileProviderCore
import Foundation
import Testing

/// Reading from real FTP servers, and the ways in which data connections are made.
@Suite(.serialized, .enabled(if: !TestServers.ftp.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct FTPReadingTests {
    private static let data = patterned(2_000_000)

    private func exchange(_ provider: FTPFileProvider, _ folder: ProviderPath) async throws {
        let path = try folder.appending("file")
        try await provider.writeContents(path: path, contents: Self.data)
        #expect(try await provider.contents(path: path) == Self.data)
        #expect(try await provider.contentsOfDirectory(path: folder).map(\.name) == ["file"])
    }

    @Test(arguments: TestServers.ftp + TestServers.ftpes, FTPConfiguration.DataMode.allCases)
    func `every kind of data connection carries files and listings`(
        _ server: TestServers.FTP, _ mode: FTPConfiguration.DataMode
    ) async throws {
        // What this is not safe with is refused.
        if mode == .active, server.security != .clear { return try await refuses(server) }
        let start = try server.endOfLog()
        try await server.withFolder(TestServers.ftpOptions, { $0.dataMode = mode }) { provider, folder in
            try await exchange(provider, folder)
            guard server.logsCommands else { return }
            let expected =
                switch mode {
                case .passive: "EPSV"
                case .ipv4Passive: "PASV"
                case .active: "EPRT"
                }
            #expect(
                try Set(server.verbs(naming: folder, since: start)).intersection(["EPSV", "PASV", "EPRT", "PORT"]) == [
                    expected
                ])
        }
    }

    /// libcurl 7.87 and 7.88, which Debian 12 has, would send in clear; a later one does not, and then these belong
    /// with the others.
    private func refuses(_ server: TestServers.FTP) async throws {
        let error = await #expect(throws: CocoaError.self) {
            try await server.withFolder(TestServers.ftpOptions, { $0.dataMode = .active }, exchange)
        }
        #expect(error?.code == .featureUnsupported)
    }

    private static let ipv6 = TestServers.environment["CARREL_FTP_PYFTPD_IPV6_URL"].flatMap { URL(string: $0) }

    @Test(
        .enabled(if: TestServers.areRequired || ipv6 != nil, "this machine has no IPv6"),
        arguments: [FTPConfiguration.DataMode.passive, .active])
    func `an address of IPv6 carries files and listings`(_ mode: FTPConfiguration.DataMode) async throws {
        var server = try TestServers.ftp("pyftpdlib")
        server.url = try #require(Self.ipv6)
        try await server.withFolder(TestServers.ftpOptions, { $0.dataMode = mode }, exchange)
    }

    @Test(arguments: TestServers.ftp + TestServers.ftpes)
    func `any part of a file can be had`(_ server: TestServers.FTP) async throws {
        try await server.withFolder { provider, folder in
            let path = try folder.appending("file")
            try server.put(path, Self.data)
            let count = Self.data.count
            let parts: [(FilePart, Range<Int>)] = [
                (.whole, 0..<count), (.range(0..<1), 0..<1), (.range(999_999..<1_000_001), 999_999..<1_000_001),
                (.range(100..<1_800_000), 100..<1_800_000), (.range(1_999_990..<5_000_000), 1_999_990..<count),
                (.suffix(22), count - 22..<count),
                (.suffix(1_500_000), count - 1_500_000..<count), (.from(1_999_999), count - 1..<count),
                (.from(2_000_000), 0..<0),
                (.range(3_000_000..<3_000_001), 0..<0), (.suffix(9_000_000), 0..<count),
            ]
            for (part, range) in parts {
                #expect(try await provider.contents(path: path, part: part) == Self.data[range], "\(part)")
            }
            let empty = try folder.appending("empty")
            try server.put(empty)
            for part in [FilePart.whole, .suffix(10), .from(0), .range(0..<10)] {
                #expect(try await provider.contents(path: empty, part: part) == Data())
            }
            for name in ["missing", "missing/file", "file/below"] {
                let below = try ProviderPath("\(folder.string)/\(name)")
                let error = await #expect(throws: CocoaError.self) { try await provider.contents(path: below) }
                #expect(error?.code == .fileReadNoSuchFile, "\(name)")
            }
            await #expect(throws: CocoaError.self) { try await provider.contents(path: folder) }
        }
    }

    @Test(arguments: TestServers.ftp + TestServers.ftpes)
    func `ranges in order share one data connection`(_ server: TestServers.FTP) async throws {
        let options = TestServers.ftpOptions
        try await server.withFolder(options) { provider, folder in
            let path = try folder.appending("file")
            try server.put(path, Self.data)
            let reader = try await provider.open(path: path)
            #expect(try await reader.attributes().size == 2_000_000)
            let before = options.counters[.dataConnections]
            for start in stride(from: 0, to: 1_900_000, by: 50_000) {
                let part = try await reader.read(Int64(start)..<Int64(start + 20_000))
                #expect(part == Self.data[start..<start + 20_000])
            }
            #expect(options.counters[.dataConnections] - before <= 1, "it counts when it ends")
            // Back again, and several at once.
            let ranges = [0..<10, 500_000..<500_010, 1_000_000..<1_000_010].map {
                Int64($0.lowerBound)..<Int64($0.upperBound)
            }
            let together = try await reader.read(ranges)
            #expect(together == ranges.map { Self.data[Int($0.lowerBound)..<Int($0.upperBound)] })
            await reader.close()
            #expect(options.counters[.dataConnections] - before <= 5)
        }
    }

    @Test(arguments: TestServers.ftp)
    func `a file that changes between two reads is not mixed`(_ server: TestServers.FTP) async throws {
        try await server.withFolder { provider, folder in
            let path = try folder.appending("file")
            try server.put(path, Self.data)
            let reader = try await provider.open(path: path)
            #expect(try await reader.read(0..<10) == Self.data.prefix(10))
            try server.put(path, patterned(2_000_001, seed: 5))
            // Far from what was fetched already.
            let error = await #expect(throws: CocoaError.self) { try await reader.read(1_500_000..<1_500_010) }
            #expect(error?.code == .fileReadUnknown)
            await reader.close()
            #expect(try await provider.contents(path: path) == patterned(2_000_001, seed: 5))
        }
    }

    @Test(arguments: TestServers.ftp + TestServers.ftpes)
    func `a large file goes both ways, and from a source that does not tell its length`(_ server: TestServers.FTP)
        async throws
    {
        let piece = patterned(1_048_573)
        try await server.withFolder { provider, folder in
            let path = try folder.appending("large")
            let pieces = AsyncStream { continuation in
                for _ in 0..<64 { continuation.yield(piece) }
                continuation.finish()
            }
            let written = try await provider.writeContents(
                path: path, from: SequenceSource(pieces), options: WriteOptions())
            #expect(written.size == Int64(64 * piece.count))
            let handle = try FileHandle(forReadingFrom: server.location(path))
            defer { try? handle.close() }
            for index in 0..<64 { #expect(try handle.read(upToCount: piece.count) == piece, "piece \(index)") }
            #expect(try handle.read(upToCount: 1) ?? Data() == Data())
            var position = 0
            for try await bytes in try await provider.open(path: path).bytes() {
                var rest = bytes[...]
                while !rest.isEmpty {
                    let start = position % piece.count
                    let part = rest.prefix(piece.count - start)
                    if part != piece[start..<start + part.count] { Issue.record("other bytes at \(position)") }
                    position += part.count
                    rest = rest.dropFirst(part.count)
                }
            }
            #expect(position == 64 * piece.count)
        }
    }
}
