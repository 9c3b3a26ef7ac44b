import ArgumentParser
import Carrel
import Foundation

struct Watch: Verb {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print a line for each change below a folder, until interrupted.",
        discussion: """
            Folders on this machine report their changes; others are listed repeatedly, less often while nothing changes. \
            “rescan” means that everything below must be listed again; standard error says why.
            """)

    @Flag(
        help:
            "Poll on this machine too: for folders that other machines change, such as network file systems."
    )
    var poll = false
    @Argument(help: "A folder.", completion: .location)
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(location)
        let changes = try await operand.provider.changes(at: operand.path, options: WatchOptions(alwaysPolls: poll))
        session.remark("watching \(operand.shown)")
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
        // A signal ended a watch that ends without an error.
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
