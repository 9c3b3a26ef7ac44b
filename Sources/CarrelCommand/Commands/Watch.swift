import ArgumentParser
import Carrel
import Foundation

struct Watch: Verb {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print a line for each change below a folder, until interrupted.",
        discussion: """
            Folders of this machine tell of their changes themselves; others are listed again and again, seldom while nothing happens. \
            “rescan” means that everything below has to be listed anew; why is said on standard error.
            """)

    @Flag(
        help:
            "List again and again on this machine too: for folders that other machines change, such as network file systems."
    )
    var poll = false
    @Argument(help: "A folder.", completion: .location)
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(location)
        let changes = try await operand.provider.changes(at: operand.path, options: WatchOptions(alwaysPolls: poll))
        session.remark("\(operand.shown) is watched")
        do {
            while let batch = try await changes.watch.next() {
                for event in batch { try show(event, of: operand, session) }
                try session.output.flush()
            }
            await changes.stop()
        } catch {
            await changes.stop()
            throw error
        }
        // A watch that ends without an error was ended by a signal.
        throw CancellationError()
    }

    private func show(_ event: FileEvent, of operand: Operand, _ session: Session) throws {
        let shown = operand.shown(of: event.path)
        if common.json {
            try session.output.json(ShownEvent(event))
        } else if let from = event.from {
            try session.output.line("\(event.kind) \(operand.shown(of: from)) -> \(shown)")
        } else {
            try session.output.line("\(event.kind) \(shown)")
        }
        if let reason = event.reason, !common.quiet { Output.standardError("carrel: watch \(shown): \(reason)") }
    }
}

/// A change in the contract's JSON.
private struct ShownEvent: Encodable {
    var event: FileEvent.Kind
    var path: String
    var from: String?

    init(_ event: FileEvent) {
        self.event = event.kind
        path = event.path.string
        from = event.from?.string
    }
}
