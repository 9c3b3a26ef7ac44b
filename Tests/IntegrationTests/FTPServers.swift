import FTPFileProvider
import FileProviderCore
import Foundation
import Testing

extension TestServers {
    /// An FTP server on one of its ports.
    struct FTP: Sendable, CustomTestStringConvertible, ServerDisk {
        var program: String
        var security: Security
        var url: URL
        /// The folder on this machine that the server shows.
        var data: URL
        var log: URL

        enum Security: String, Sendable, CaseIterable {
            case clear = "FTP_"
            case explicit = "FTPS_"
            case implicit = "FTPS_IMPLICIT_"
        }

        var testDescription: String { security == .clear ? program : "\(program), \(security) TLS" }
    }

    static let ftpPrograms = ["vsftpd", "ProFTPD", "Pure-FTPd", "pyftpdlib"]

    /// In clear.
    static let ftp = ftp(.clear)
    /// Those that take `AUTH TLS`.
    static let ftpes = ftp(.explicit)
    /// All ports with TLS.
    static let ftps = ftpes + ftp(.implicit)

    static func ftp(_ program: String, _ security: FTP.Security = .clear) throws -> FTP {
        try #require(ftp(security).first { $0.program == program }, "the servers are not up; run bash Tests/run.sh")
    }

    /// For servers that answer a whole crowd, and each connection from a process of its own.
    static var ftpOptions: ConnectionOptions {
        var options = options()
        options.timeouts = Timeouts(connect: 30, idle: 30)
        return options
    }

    private static func ftp(_ security: FTP.Security) -> [FTP] {
        ftpPrograms.compactMap { program in
            let key = program == "pyftpdlib" ? "PYFTPD" : program.uppercased().filter { $0 != "-" }
            let prefix = security.rawValue
            let log = environment["CARREL_\(prefix)\(key)_LOG"] ?? environment["CARREL_FTP_\(key)_LOG"]
            guard let url = environment["CARREL_\(prefix)\(key)_URL"].flatMap({ URL(string: $0) }),
                let data = environment["CARREL_FTP_\(key)_DATA"], let log
            else { return nil }
            return FTP(
                program: program, security: security, url: url, data: URL(fileURLWithPath: data),
                log: URL(fileURLWithPath: log))
        }
    }

    /// A port of vsftpd or ProFTPD that takes three connections of one client at most.
    static func cappedFTP(_ name: String, of program: String) throws -> FTP {
        var server = try ftp(program)
        server.url = try #require(environment["CARREL_FTP_\(name)_URL"].flatMap { URL(string: $0) })
        server.log = URL(fileURLWithPath: try #require(environment["CARREL_FTP_\(name)_LOG"]))
        return server
    }
}

extension TestServers.FTP {
    func provider(
        _ options: ConnectionOptions = TestServers.ftpOptions, _ change: (inout FTPConfiguration) -> Void = { _ in }
    ) throws -> FTPFileProvider {
        var configuration = FTPConfiguration(baseURL: url)
        change(&configuration)
        return try FTPFileProvider(configuration: configuration, options: options)
    }

    /// A new folder on the server for one test, removed at its end.
    func withFolder<Value>(
        _ options: ConnectionOptions = TestServers.ftpOptions, _ change: (inout FTPConfiguration) -> Void = { _ in },
        _ body: (FTPFileProvider, ProviderPath) async throws -> Value
    ) async throws -> Value {
        let provider = try provider(options, change)
        return try await TestServers.withFolder(of: provider, removedBy: { try self.provider() }) { folder in
            try await body(provider, folder)
        }
    }

    // MARK: The log

    /// Whether the log has a line for each command.
    var logsCommands: Bool { program != "Pure-FTPd" }

    /// Where the log ends at the moment; at its start before the server has been used.
    func endOfLog() throws -> UInt64 {
        guard FileManager.default.fileExists(atPath: log.path) else { return 0 }
        let handle = try FileHandle(forReadingFrom: log)
        defer { try? handle.close() }
        return try handle.seekToEnd()
    }

    /// What was sent, with the number of the connection; names of folders of a test's own tell apart what others send.
    func commands(since start: UInt64) throws -> [(connection: String, command: String)] {
        let handle = try FileHandle(forReadingFrom: log)
        defer { try? handle.close() }
        try handle.seek(toOffset: start)
        let text = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
        return text.split(separator: "\n").compactMap { program == "vsftpd" ? Self.vsftpd($0) : Self.tabs($0) }
    }

    private static func tabs(_ line: Substring) -> (connection: String, command: String)? {
        let parts = line.split(separator: "\t")
        return parts.count < 3 ? nil : (String(parts[0]), String(parts[1]))
    }

    private static func vsftpd(_ line: Substring) -> (connection: String, command: String)? {
        guard let words = line.range(of: "FTP command: "), let start = line.range(of: "[pid "),
            let end = line.range(of: "]"),
            let command = line[words.upperBound...].range(of: "\", \"")
        else { return nil }
        return (String(line[start.upperBound..<end.lowerBound]), String(line[command.upperBound...].dropLast()))
    }

    /// The verbs of all commands on the connections that spoke of `folder`.
    func verbs(naming folder: ProviderPath, since start: UInt64) throws -> [String] {
        let commands = try commands(since: start)
        let own = Set(commands.filter { $0.command.contains(folder.string) }.map(\.connection))
        return commands.filter { own.contains($0.connection) }.map { String($0.command.prefix { $0 != " " }) }
    }

    /// How many connections spoke of `folder`.
    func connections(naming folder: ProviderPath, since start: UInt64) throws -> Int {
        Set(try commands(since: start).filter { $0.command.contains(folder.string) }.map(\.connection)).count
    }
}

@Suite struct FTPServersTests {
    @Test(.enabled(if: TestServers.areRequired, "only a run that requires the servers checks that they are there"))
    func `all servers of FTP are up`() {
        #expect(TestServers.ftp.map(\.program) == TestServers.ftpPrograms)
        #expect(TestServers.ftpes.count == 4)
        #expect(TestServers.ftps.count == 7)
    }
}

/// Bytes that tell where they lie.
func patterned(_ count: Int, seed: Int = 0) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: (($0 &+ seed) &* 2_654_435_761) >> 13) })
}
