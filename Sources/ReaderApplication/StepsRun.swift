import FileProviderCore
import ReaderMessages

/// The results of a command's steps so far.
struct StepsRun {
    /// The most messages of one status; the rest is counted.
    private static let maxMessages = 1_000

    private var messages: [StatusMessage]
    private var count = 0
    /// Whether the command as a whole was refused.
    private var isRefused = false
    /// Whether the library has changed.
    private(set) var changesLibrary = false
    /// The reason why the remaining steps are skipped although nothing failed.
    var stop: Stop?
    /// The error that ended the command.
    var failure: (any Error)?

    init(notes: [StatusMessage]) {
        messages = notes
    }

    /// The ways in which a driver stops a command.
    enum Stop {
        /// The driver sent a cancel request, and knows code 3.
        case asked
        /// The driver removed the command.
        case takenBack
    }

    mutating func add(_ result: StepResult, of step: CommandPlan.Step, in fileName: String) {
        count += 1
        switch step {
        case .refuse(_, about: nil): isRefused = true
        case .refuse, .export: break
        default: changesLibrary = changesLibrary || result.isApplied
        }
        let name = step.filename.flatMap { $0.isEmpty ? nil : $0 } ?? fileName
        messages += result.warnings.map { StatusMessage($0, about: name) }
    }

    mutating func warn(_ sentence: String, about fileName: String) {
        messages.append(StatusMessage(sentence, about: fileName))
    }

    /// Returns the code and the messages with their file names. Rejected books are warnings: the rest of the command is
    /// done, and each is named.
    func ending(of fileName: String, steps: Int) -> CommandProcessor.Ending {
        var messages = messages
        if messages.count > Self.maxMessages {
            let more = messages.count - Self.maxMessages
            messages =
                messages.prefix(Self.maxMessages) + [StatusMessage("There are \(more) more messages.", about: fileName)]
        }
        if let failure {
            messages.append(
                StatusMessage("The command was not carried out to its end: \(failure.sentence)", about: fileName))
            return CommandProcessor.Ending(code: .failure, messages: messages)
        }
        if let stop {
            messages.append(StatusMessage("Stopped after \(count) of \(steps) steps.", about: fileName))
            return CommandProcessor.Ending(code: stop == .asked ? .cancelled : .warnings, messages: messages)
        }
        if isRefused { return CommandProcessor.Ending(code: .failure, messages: messages) }
        return CommandProcessor.Ending(code: messages.isEmpty ? .success : .warnings, messages: messages)
    }
}
