import ArgumentParser
import Carrel
import Dispatch
import Foundation

/// A verb: its options, and what it does with a session.
protocol Verb: AsyncParsableCommand {
    var common: CommonOptions { get }

    func perform(_ session: Session) async throws
}

extension Verb {
    func run() async throws { try await perform(Session(common)) }
}

/// One run of the process: parse, perform, report, exit.
enum CommandRun {
    static func main(arguments: [String]) async -> Never {
        signal(SIGPIPE, SIG_IGN)
        let command: any ParsableCommand
        do {
            try ProviderRegistry.shared.registerBuiltInProviders()
            command = try CarrelCommand.parseAsRoot(arguments)
        } catch {
            endParsing(error)
        }
        guard let verb = command as? any Verb else { endParsing(CleanExit.helpRequest(command)) }
        let work = Task { await perform(verb) }
        let interrupts = onInterrupt { work.cancel() }
        let code = await work.value
        interrupts.cancel()
        Foundation.exit(code)
    }

    /// Help and version are a success; whatever else the parser says is wrong usage.
    private static func endParsing(_ error: any Error) -> Never {
        let text = CarrelCommand.fullMessage(for: error)
        if CarrelCommand.exitCode(for: error) == .success {
            print(text)
            Foundation.exit(0)
        }
        Output.standardError(text)
        Foundation.exit(ExitStatus.usage.rawValue)
    }

    private static func perform(_ verb: any Verb) async -> Int32 {
        let session: Session
        do { session = try Session(verb.common) } catch { endParsing(error) }
        let start = ContinuousClock.now
        var status = ExitStatus.done
        do {
            do { try await verb.perform(session) } catch {
                // What was found before the failure is the caller's all the same.
                try session.output.flush()
                throw error
            }
            try session.output.flush()
        } catch {
            status = ExitStatus(error)
            if status != .closedPipe { session.report(error, verb: type(of: verb)._commandName) }
        }
        if verb.common.stats { Output.standardError(session.statistics(since: start)) }
        return status.rawValue
    }

    private static func onInterrupt(_ body: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler(handler: body)
        source.resume()
        return source
    }
}
