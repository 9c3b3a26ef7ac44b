package import FileProviderCore
import Foundation
import Synchronization

extension SSHProgram {
    /// Whether the program is installed, and takes the host's and the user's names.
    package var isUsable: Bool { (try? path()) != nil && (try? queryArguments()) != nil }

    /// How the configuration reaches and trusts the host, as the program itself reads it: its commands of `Match exec`
    /// run.
    ///
    /// Blocks for 5 seconds at most, and runs the program once for each host in a process: for threads of one's own.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` with the program's words for a configuration that it refuses;
    ///   `CocoaError(.fileReadUnknown)` where it gives no answer in time; `.fileReadNoSuchFile` where it is not
    ///   installed; `URLError(.badURL)` for a host or a user that it may take for something else; `CancellationError`.
    package func settings(
        environment: [String: String] = ProcessInfo.processInfo.environment, flag: CancellationFlag = CancellationFlag()
    ) throws -> SSHHostSettings {
        let account = SSHAccount(environment: environment)
        if let configuration, account.isOwn(configuration) { try Self.checkIsSafe(configuration) }
        let question = SSHQuestion(path: try path(), arguments: try queryArguments())
        let output = try SSHAnswersOfProgram.shared.answer(to: question) { try ask(question, flag) }
        return try SSHHostSettings(output, host: host, account: account)
    }

    /// Makes the program follow `$HOME` where that is another folder than the one of the system's database, which it
    /// would take for `~`: it gets the configuration there, or the machine's where there is none.
    package mutating func followHome(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let account = SSHAccount(environment: environment)
        hasOtherHome = account.hasOtherHome
        if !hasOtherHome { return }
        let files = [account.home + "/.ssh/config", "/etc/ssh/ssh_config"]
        configuration = files.first { access($0, R_OK) == 0 } ?? "none"
    }

    /// Sees that no other user may change a file. The program looks at that of the file that it finds by itself, and
    /// not of one that it is given. Source: ssh_config(5), "FILES".
    private static func checkIsSafe(_ path: String) throws {
        var status = stat()
        // A file that is not there is the program's to refuse.
        guard stat(path, &status) == 0 else { return }
        let isOthers = status.st_uid != 0 && status.st_uid != getuid()
        if isOthers || status.st_mode & 0o022 != 0 {
            throw FileError.make(
                .fileReadNoPermission, path: path,
                sentence: "“\(path)” can be changed by other users, and so is not read; “chmod go-w” or “chown” helps.")
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
                        "“ssh -G \(host)” does not come to an end in 5 seconds; perhaps a command in ssh's configuration hangs. "
                        + "The setting config=no leaves the configuration unread."))
        }
        let status = child.end(after: 1)
        // Where the app ignores SIGCHLD nobody learns the status.
        if status == 0 || status == nil && !output.isEmpty { return SSHConfigOutput(output) }
        let words = child.complaints.split(whereSeparator: { $0 == 10 || $0 == 13 }).map { SSHText.line($0) }
        let said = words.suffix(3).joined(separator: " ")
        throw FileError.make(
            .fileReadCorruptFile, path: "ssh",
            sentence: "The ssh program refuses its configuration for “\(host)”" + (said.isEmpty ? "." : ": \(said)"),
            underlying: SSHProgramError(status: status, text: said))
    }
}

/// One run of `ssh -G`.
private struct SSHQuestion: Hashable {
    let path: String
    let arguments: [String]
}

/// The program did not come to an end.
private struct SSHNoAnswer: Error {
    let error: CocoaError
}

/// What the ssh program has told in this process. A question that is being asked is waited for, and not asked twice.
private final class SSHAnswersOfProgram: Sendable {
    static let shared = SSHAnswersOfProgram()
    private static let maxCount = 1000

    private final class Entry: Sendable {
        let answer = Mutex<Result<SSHConfigOutput, SSHNoAnswer>?>(nil)
    }

    private let entries = Mutex<[SSHQuestion: Entry]>([:])

    /// - Parameter ask: Not called again after an answer, nor after none came: that took long enough. What it throws
    ///   otherwise is thrown and forgotten; a configuration may be corrected.
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
