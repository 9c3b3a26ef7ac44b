import FileProviderCore
import Foundation

extension SSHProgram {
    /// Runs a command in the account's shell, without input.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes of output. Of standard error, the last 4 KiB are kept.
    ///   - idle: Seconds that the command may be silent; nil for those of ``timeouts``.
    /// - Throws: `URLError(.dataLengthExceedsMaximum)` for more output; the reason if the program did not reach the
    ///   host; `CancellationError`, at once.
    package func run(_ command: String, limit: Int, idle: Double? = nil) async throws -> SSHConnection.CommandResult {
        var program = self
        program.timeouts.idle = idle ?? timeouts.idle
        let channel = try SSHProgramChannel(program, arguments: try arguments(command: command), hasInput: false)
        let run = SSHProgramRun(program: program, channel: channel, limit: limit)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                run.answer.ask(continuation)
                channel.start(run)
            }
        } onCancel: {
            run.answer.give(.failure(CancellationError()))
            channel.end(with: CancellationError())
        }
    }
}

/// Collects the output of a command.
///
/// Unchecked: everything mutable is touched on the channel's thread only, which debug builds check, and at the end.
private final class SSHProgramRun: ByteChannelUser, @unchecked Sendable {
    let answer = SSHAnswer<SSHConnection.CommandResult>()
    private let program: SSHProgram
    private let channel: SSHProgramChannel
    private let limit: Int
    private let thread = OwningThread()
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    private var output: [UInt8] = []

    init(program: SSHProgram, channel: SSHProgramChannel, limit: Int) {
        self.program = program
        self.channel = channel
        self.limit = limit
    }

    deinit {
        room.deallocate()
    }

    func roomToReceive() -> UnsafeMutableRawBufferPointer { room }

    func received(_ count: Int) throws {
        thread.assertIsCurrent()
        output += room[..<count]
        if output.count > limit { throw program.server.tooMuchOutput(limit) }
    }

    func bytesToSend() throws -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

    func sent(_ count: Int) {}

    var isWaiting: Bool { true }

    func ended(with error: any Error) {
        if let outcome = channel.outcome, outcome.status != 255 {
            answer.give(.success((status: outcome.status ?? 128, output: output, errors: outcome.errors)))
        } else {
            answer.give(.failure(error))
        }
    }
}
