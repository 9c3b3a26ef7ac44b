import Carrel

/// Work on several pairs of a fleet, by name. A failure is reported at once, and the others go on.
final class FleetItems: Sendable {
    private let verb: String
    private let done = CollectedValues<ExitStatus>()

    init(verb: String) {
        self.verb = verb
    }

    /// Calls `body`. If there are several pairs, an error of one is reported and kept for the exit code.
    ///
    /// - Throws: A cancellation, a closed pipe, a lost database, or any error of the only pair.
    func run(_ name: String, isAlone: Bool, _ body: () async throws -> Void) async throws {
        do {
            try await body()
            done.append(.done)
        } catch {
            let status = ExitStatus(error)
            if isAlone || error.isCancellation || [.closedPipe, .unreachable, .refused, .usage].contains(status) {
                throw error
            }
            done.append(status)
            Session.say(error.at(name), verb: verb, location: nil)
        }
    }

    /// - Throws: A failure with exit code 7 if some succeeded, else with the code that all have in common, or 1.
    func finish(_ what: String) throws {
        let failed = done.values.filter { $0 != .done }
        if failed.isEmpty { return }
        throw CommandFailure(
            status: done.values.count > failed.count ? .partlyDone : ExitStatus.common(failed),
            sentence: failed.count == 1 ? "1 pair was \(what)." : "\(failed.count) pairs were \(what).", isSaid: true)
    }

    /// The error for a name that no pair has.
    static func missing(_ name: String) -> any Error {
        CommandFailure(status: .notFound, sentence: "The fleet has no pair “\(name.onOneLine)”.")
    }
}
