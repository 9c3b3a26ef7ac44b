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
        let place = try await session.place(location)
        let changes = try await place.provider.changes(at: place.path, options: WatchOptions(alwaysPolls: poll))
        session.remark("\(place.shown) is watched")
        do {
            while let batch = try await changes.watch.next() {
                for event in batch { try show(event, of: place, session) }
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

    private func show(_ event: FileEvent, of place: Place, _ session: Session) throws {
        let shown = place.shown(of: event.path)
        if common.json {
            try session.output.json(ShownEvent(event))
        } else if let from = event.from {
            try session.output.line("\(event.kind) \(place.shown(of: from)) -> \(shown)")
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
