import ArgumentParser
import Carrel
import SyncFleet

/// The pairs that a verb changes: by name, or all of an owner or a host.
struct FleetSelection: ParsableArguments {
    @Option(help: ArgumentHelp("All pairs of this owner, also those that are added later.", valueName: "name"))
    var owner: String?
    @Option(
        help: ArgumentHelp(
            "All pairs with a side on this host, such as nas.example:5005, also those that are added later.",
            valueName: "host"))
    var host: String?
    @Argument(help: "The names of pairs.")
    var names: [String] = []

    var blamed: String? { names.count == 1 ? names.first : owner ?? host }

    func validate() throws {
        let kinds = [owner != nil, host != nil, !names.isEmpty].filter { $0 }
        if kinds.count != 1 { throw ValidationError("Which pairs? Give names, or --owner, or --host.") }
        if owner?.isEmpty == true || host?.isEmpty == true { throw ValidationError("A name must not be empty.") }
    }
}

extension ItemWork {
    /// Calls `body` for each of the pairs `names`. It returns whether the fleet has the pair. A lost database ends the
    /// work.
    ///
    /// - Throws: As ``run(_:isAlone:_:)`` and ``finish(_:hasDocument:)``.
    static func onPairs(
        _ names: [String], verb: String, failed what: String, _ body: (String) async throws -> Bool
    ) async throws {
        let work = ItemWork(verb: verb, noun: "pair", fatal: [.unreachable, .refused, .usage])
        for name in names {
            try await work.run(name, isAlone: names.count == 1) {
                if try await body(name) { return }
                throw CommandFailure(status: .notFound, sentence: "The fleet has no pair “\(name.onOneLine)”.")
            }
        }
        try work.finish(what)
    }
}
