import ArgumentParser
import Carrel
import Dispatch
import Foundation

/// One run of the process: parse, perform, report, exit.
enum CommandRun {
    static func main(arguments: [String]) async -> Never {
        signal(SIGPIPE, SIG_IGN)
        let command: any ParsableCommand
        do {
            try ProviderRegistry.shared.registerBuiltInProviders()
            command = try AllVerbs.parseAsRoot(arguments)
        } catch {
            endParsing(error, arguments: arguments)
        }
        guard let verb = command as? any Verb else {
            // Help, or a group without a verb, such as `carrel` and `carrel book`: running it prints the help.
            var group = command
            do { try group.run() } catch { endParsing(error, arguments: arguments) }
            Foundation.exit(ExitStatus.done.rawValue)
        }
        let work = Task { await perform(verb, arguments) }
        let interrupts = [SIGINT, SIGTERM].map { onSignal($0) { work.cancel() } }
        let code = await work.value
        for interrupt in interrupts { interrupt.cancel() }
        Foundation.exit(code)
    }

    /// Help and version count as success; any other message of the parser is wrong usage.
    private static func endParsing(_ error: any Error, arguments: [String]) -> Never {
        if AllVerbs.exitCode(for: error) == .success {
            print(AllVerbs.fullMessage(for: error))
            Foundation.exit(ExitStatus.done.rawValue)
        }
        let words = Array(arguments.prefix { !$0.hasPrefix("-") })
        let verb = AllVerbs.verb(of: words)
        var text = AllVerbs.unknownVerb(in: words) ?? AllVerbs.message(for: error)
        // The parser repeats unexpected arguments, and one may be a URL with a password.
        for argument in arguments {
            let shown = LocationText.withoutSecrets(argument)
            if shown != argument { text = text.replacingOccurrences(of: argument, with: shown) }
        }
        if !".?".contains(text.last ?? " ") { text += "." }
        let failure = CommandFailure.usage("\(text) See “\((["carrel"] + verb + ["--help"]).joined(separator: " "))”.")
        Output.standardError(
            (verb.isEmpty ? "carrel" : "carrel: " + verb.joined(separator: " ")) + ": " + failure.sentence)
        if arguments.contains("--json") { Output().printError(failure) }
        Foundation.exit(ExitStatus.usage.rawValue)
    }

    private static func perform(_ verb: any Verb, _ arguments: [String]) async -> Int32 {
        let session = Session(verb.common)
        let start = ContinuousClock.now
        var status = ExitStatus.done
        do {
            do { try await verb.perform(session) } catch {
                // Output from before the failure is still printed.
                try session.output.flush()
                throw error
            }
            try session.output.flush()
            session.warn()
        } catch {
            status = Task.isCancelled ? .interrupted : ExitStatus(error)
            if status != .closedPipe {
                let hasDocument = (error.innermost as? CommandFailure)?.hasDocument == true
                let interruption = CommandFailure(
                    status: .interrupted, sentence: "Interrupted.", hasDocument: hasDocument)
                session.report(
                    status == .interrupted ? interruption : error, verb: type(of: verb).verb, location: verb.blamed)
            }
        }
        if verb.common.stats { Output.standardError(session.statistics(since: start)) }
        return status.rawValue
    }

    /// The first signal cancels, so that no half-written file remains; the second ends the process at once.
    private static func onSignal(_ number: Int32, _ body: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler {
            signal(number, SIG_DFL)
            body()
        }
        source.resume()
        return source
    }
}

extension AllVerbs {
    /// Returns the leading words that name a verb.
    fileprivate static func verb(of words: [String]) -> [String] {
        var found: [String] = []
        var commands = configuration.subcommands
        for word in words {
            guard let next = commands.first(where: { $0.configuration.commandName == word }) else { break }
            found.append(word)
            commands = next.configuration.subcommands
        }
        return found
    }

    /// Returns a message about the first word that should be a verb and is not, with the nearest verb as a suggestion,
    /// or `nil` if all are verbs.
    fileprivate static func unknownVerb(in words: [String]) -> String? {
        var commands = configuration.subcommands
        for word in words {
            guard !commands.isEmpty, word != "help" else { return nil }
            guard let next = commands.first(where: { $0.configuration.commandName == word }) else {
                let names = commands.compactMap { $0.configuration.commandName } + ["help"]
                let nearest = NearestWord.of(word, among: names).map { " Did you mean “\($0)”?" } ?? ""
                return "Unexpected argument '\(word)'." + nearest
            }
            commands = next.configuration.subcommands
        }
        return nil
    }
}
