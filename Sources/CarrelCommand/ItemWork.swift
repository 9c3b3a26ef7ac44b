import Carrel

/// One piece of work on each of several locations: a failure is said at once and the others go on.
final class ItemWork: Sendable {
    private let verb: String
    private let done = Collected<ExitStatus>()

    init(verb: String) {
        self.verb = verb
    }

    /// Does `body`; of a location that is not alone the error is said and kept for the exit code.
    ///
    /// - Throws: A cancellation, a closed pipe, and any error of a location that is alone.
    func run(_ place: Place, isAlone: Bool, _ body: () async throws -> Void) async throws {
        do {
            try await body()
            done.append(.done)
        } catch {
            let located = error.at(place.shown)
            if isAlone || error.isCancellation || ExitStatus(error) == .closedPipe { throw located }
            done.append(ExitStatus(located))
            Session.say(located, verb: verb, location: nil)
        }
    }

    /// - Throws: Exit code 7 where some succeeded, else the code that all have in common, or 1.
    func finish(_ what: String, hasDocument: Bool) throws {
        let failed = done.values.filter { $0 != .done }
        guard let first = failed.first else { return }
        let isPartly = done.values.count > failed.count
        let status = isPartly ? .partlyDone : failed.allSatisfy { $0 == first } ? first : ExitStatus.failed
        throw CommandFailure(
            status: status, sentence: failed.count == 1 ? "1 item was \(what)." : "\(failed.count) items were \(what).", isSaid: true,
            hasDocument: hasDocument)
    }
}
