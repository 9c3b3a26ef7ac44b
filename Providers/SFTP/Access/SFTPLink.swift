import FileProviderCore
import SSHTransport

/// A logged-in link to the server: an SSH connection, or the `ssh` program, which is started for each channel.
protocol SFTPLink: Sendable {
    /// Opens a channel for SFTP. The protocol is not started yet.
    func channel() async throws -> any ByteChannel
    /// Whether the link has ended, for any reason. It opens no more channels then.
    var isOver: Bool { get }
    /// Whether several channels can be used at once.
    var takesChannels: Bool { get }
    /// Whether another login is possible without asking the user.
    var takesLogins: Bool { get }
    /// Whether the server's `RENAME` of a file is a hard link and the removal of the old name, where the file system
    /// has links.
    var renamesByLink: Bool { get }
    /// Processors of this machine that a channel keeps busy at full speed.
    var processorsPerLane: Int { get }
    /// Runs a command of the account's shell.
    ///
    /// - Parameter idle: Seconds for which it may be silent; nil for what the connection allows.
    func run(_ command: String, idle: Double?) async throws -> (status: Int32, output: [UInt8])
    /// Ends all channels.
    func close()
}

/// A connection by libssh2.
struct SFTPEmbeddedLink: SFTPLink {
    let connection: SSHConnection
    let takesLogins: Bool

    func channel() async throws -> any ByteChannel { try await connection.channel(subsystem: "sftp") }

    var isOver: Bool { connection.end != nil }

    /// ProFTPD's mod_sftp mixes up the parts of large packets on two channels, and then hangs.
    var takesChannels: Bool { !connection.agreement.serverVersion.contains("mod_sftp") }

    /// OpenSSH's, since 3.9.
    var renamesByLink: Bool { connection.agreement.serverVersion.contains("OpenSSH_") }

    var processorsPerLane: Int { 1 }

    func run(_ command: String, idle: Double?) async throws -> (status: Int32, output: [UInt8]) {
        let result = try await connection.run(command, limit: 4096, idle: idle)
        return (result.status, result.output)
    }

    func close() { connection.close() }
}

/// The ssh program, a process for each channel.
struct SFTPProgramLink: SFTPLink {
    let program: SSHProgram

    func channel() async throws -> any ByteChannel { try SSHProgramChannel(program, subsystem: "sftp") }

    /// Each channel is another connection.
    var isOver: Bool { false }

    /// Each channel is a separate connection.
    var takesChannels: Bool { true }

    /// The program runs without prompts.
    var takesLogins: Bool { true }

    /// The program doesn't report the server's software.
    var renamesByLink: Bool { false }

    /// The program's, and this process's.
    var processorsPerLane: Int { 2 }

    func run(_ command: String, idle: Double?) async throws -> (status: Int32, output: [UInt8]) {
        let result = try await program.run(command, limit: 4096, idle: idle)
        return (result.status, result.output)
    }

    /// Each channel ends with its session.
    func close() {}
}
