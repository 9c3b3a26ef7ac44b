import FileProviderCore
import Foundation

extension SSHProgram {
    /// Logs in once and begins SFTP, to see whether the program can do that without prompts.
    ///
    /// - Throws: The error that ended the channel.
    package func checkLogin() async throws {
        let channel = try SSHProgramChannel(self, subsystem: "sftp")
        let trial = SSHProgramTrial(channel: channel)
        try await withTaskCancellationHandler {
            _ = try await withCheckedThrowingContinuation { continuation in
                trial.answer.ask(continuation)
                channel.start(trial)
            }
        } onCancel: {
            trial.answer.give(.failure(CancellationError()))
            channel.end(with: CancellationError())
        }
    }
}

/// Sends the first packet of SFTP, and ends with the first byte of the answer.
///
/// Unchecked: everything mutable is touched on the channel's thread only, which debug builds check.
private final class SSHProgramTrial: ByteChannelUser, @unchecked Sendable {
    private struct TrialEnd: Error {}

    let answer = SSHAnswer<Bool>()
    private let channel: SSHProgramChannel
    private let thread = OwningThread()
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 4 << 10, alignment: 16)
    /// SSH_FXP_INIT for version 3. Source: draft-ietf-secsh-filexfer-02, section 4.
    private let hello = UnsafeMutableRawBufferPointer.allocate(byteCount: 9, alignment: 16)
    private var sent = 0

    init(channel: SSHProgramChannel) {
        self.channel = channel
        hello.copyBytes(from: [0, 0, 0, 5, 1, 0, 0, 0, 3])
    }

    deinit {
        room.deallocate()
        hello.deallocate()
    }

    func roomToReceive() -> UnsafeMutableRawBufferPointer { room }

    func received(_ count: Int) throws {
        answer.give(.success(true))
        throw TrialEnd()
    }

    func bytesToSend() throws -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: hello[sent...]) }

    func sent(_ count: Int) {
        thread.assertIsCurrent()
        sent += count
    }

    var isWaiting: Bool { true }

    func ended(with error: any Error) { answer.give(.failure(error)) }
}
