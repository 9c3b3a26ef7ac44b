import FileProviderCore
import SSHTransport

/// A way to the server that is logged in: an SSH connection, or what starts the `ssh` program.
protocol SFTPLink: Sendable {
    /// A channel on which SFTP is spoken, not started yet.
    func channel() async throws -> any ByteChannel
    /// Whether several channels at once do each other no harm.
    var takesChannels: Bool { get }
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

    func channel() async throws -> any ByteChannel { try await connection.channel(subsystem: "sftp") }

    /// ProFTPD's mod_sftp mixes up the parts of large packets that come on two channels, and then waits for ever.
    var takesChannels: Bool { !connection.agreement.serverVersion.contains("mod_sftp") }

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

    /// Each is a connection of its own.
    var takesChannels: Bool { true }

    func run(_ command: String, idle: Double?) async throws -> (status: Int32, output: [UInt8]) {
        let result = try await program.run(command, limit: 4096, idle: idle)
        return (result.status, result.output)
    }

    /// Each channel ends with its session.
    func close() {}
}
