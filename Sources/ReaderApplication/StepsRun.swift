import FileProviderCore
import ReaderMessages

/// What came of the steps of a command so far.
struct StepsRun {
    /// Sentences that one status holds at most; the rest is counted.
    private static let maxMessages = 1_000

    private var messages: [StatusMessage]
    private var count = 0
    /// Whether the command as a whole was refused.
    private var isRefused = false
    /// Whether the library is another than before.
    private(set) var changesLibrary = false
    /// Why the rest is not done although nothing failed.
    var stop: Stop?
    /// What kept the rest from being done.
    var failure: (any Error)?

    init(notes: [StatusMessage]) {
        messages = notes
    }

    /// What a driver does that wants no more of a command.
    enum Stop {
        /// It asked for an end, and knows what code 3 means.
        case asked
        /// It took the command away.
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

    /// The code by what was done, the sentences with what they are about. Books that were not taken are warnings: the
    /// rest of the command is done, and each is named.
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
