package import FileProviderCore
import Foundation
import Synchronization

extension SSHProgram {
    /// Whether the program is installed and accepts the names of the host and the user.
    package var isUsable: Bool { (try? path()) != nil && (try? queryArguments()) != nil }

    /// Returns how the configuration reaches and trusts the host, as the program itself reads it. The commands of
    /// `Match exec` are run.
    ///
    /// Blocks for up to 5 seconds, and runs the program once for each host in a process, so call it on a thread that
    /// may block.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` with the program's message for a configuration that it rejects;
    ///   `CocoaError(.fileReadUnknown)` if it does not answer in time; `.fileReadNoSuchFile` if it is not installed;
    ///   `URLError(.badURL)` for a host or a user that it may misread; `CancellationError`.
    package func settings(
        environment: [String: String] = ProcessInfo.processInfo.environment, flag: CancellationFlag = CancellationFlag()
    ) throws -> SSHHostSettings {
        let account = SSHAccount(environment: environment)
        if let configuration, account.isOwn(configuration) { try Self.checkIsSafe(configuration) }
        let question = SSHQuestion(path: try path(), arguments: try queryArguments())
        let output = try SSHAnswersOfProgram.shared.answer(to: question) { try ask(question, flag) }
        return try SSHHostSettings(output, host: host, account: account)
    }

    /// Makes the program follow `$HOME` if that differs from the folder in the system's database, which the program
    /// would use for `~`. It is given the configuration in `$HOME`, or the machine's if there is none.
    package mutating func followHome(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let account = SSHAccount(environment: environment)
        hasOtherHome = account.hasOtherHome
        if !hasOtherHome { return }
        let files = [account.home + "/.ssh/config", "/etc/ssh/ssh_config"]
        configuration = files.first { access($0, R_OK) == 0 } ?? "none"
    }

    /// Verifies that no other user may change a file. The program checks the file that it finds itself, but not one
    /// that it is given. Source: ssh_config(5), "FILES".
    private static func checkIsSafe(_ path: String) throws {
        var status = stat()
        // The program itself reports a missing file.
        guard stat(path, &status) == 0 else { return }
        let isOthers = status.st_uid != 0 && status.st_uid != getuid()
        if isOthers || status.st_mode & 0o022 != 0 {
            throw FileError.make(
                .fileReadNoPermission, path: path,
                sentence: "“\(path)” is not read, because other users can change it. Use “chmod go-w” or “chown”.")
        }
    }

    private static let patience = Duration.seconds(5)
    private static let maxOutputBytes = 1 << 20

    private func ask(_ question: SSHQuestion, _ flag: CancellationFlag) throws -> SSHConfigOutput {
        let child = try Subprocess(path: question.path, arguments: question.arguments)
        child.closeInput()
        guard let output = try child.allOutput(atMost: Self.maxOutputBytes, until: .now + Self.patience, flag: flag)
        else {
            child.end(after: 0)
            throw SSHNoAnswer(
                error: FileError.make(
                    .fileReadUnknown, path: "ssh",
                    sentence:
                        "“ssh -G \(host)” did not end within 5 seconds; a command in ssh's configuration may hang. "
                        + "Set config=no to ignore the configuration."))
        }
        let status = child.end(after: 1)
        // If the app ignores SIGCHLD, the status is lost.
        if status == 0 || status == nil && !output.isEmpty { return SSHConfigOutput(output) }
        let words = child.complaints.split(whereSeparator: { $0 == 10 || $0 == 13 }).map { SSHText.line($0) }
        let said = words.suffix(3).joined(separator: " ")
        throw FileError.make(
            .fileReadCorruptFile, path: "ssh",
            sentence: "The ssh program rejects its configuration for “\(host)”" + (said.isEmpty ? "." : ": \(said)"),
            underlying: SSHProgramError(status: status, text: said))
    }
}

/// One run of `ssh -G`.
private struct SSHQuestion: Hashable {
    let path: String
    let arguments: [String]
}

/// Thrown if the program did not end in time.
private struct SSHNoAnswer: Error {
    let error: CocoaError
}

/// The program's answers in this process. A question that is being asked is waited for, not asked again.
private final class SSHAnswersOfProgram: Sendable {
    static let shared = SSHAnswersOfProgram()
    private static let maxCount = 1000

    private final class Entry: Sendable {
        let answer = Mutex<Result<SSHConfigOutput, SSHNoAnswer>?>(nil)
    }

    private let entries = Mutex<[SSHQuestion: Entry]>([:])

    /// - Parameter ask: Not called again after an answer, nor after a time-out, which took long enough. Its other
    ///   errors are thrown and not kept, because the user may correct the configuration.
    func answer(to question: SSHQuestion, _ ask: () throws -> SSHConfigOutput) throws -> SSHConfigOutput {
        let entry = entries.withLock { entries in
            if let entry = entries[question] { return entry }
            if entries.count >= Self.maxCount { entries = [:] }
            let entry = Entry()
            entries[question] = entry
            return entry
        }
        let result = try entry.answer.withLock { answer in
            if let answer { return answer }
            let result: Result<SSHConfigOutput, SSHNoAnswer>
            do { result = .success(try ask()) } catch let error as SSHNoAnswer { result = .failure(error) }
            answer = result
            return result
        }
        switch result {
        case .success(let output): return output
        case .failure(let failure): throw failure.error
        }
    }
}
