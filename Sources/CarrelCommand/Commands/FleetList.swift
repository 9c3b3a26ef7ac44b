import ArgumentParser
import Carrel
import SyncFleet

struct FleetList: Verb {
    static let verb = "fleet ls"
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List pairs, by name, with their state and last outcome.",
        discussion: """
            Each line has the name, the owner, the state (waiting, ready, parked at a limit, running or paused), the time \
            when the pair is due, the last outcome and the two locations, with tabs between. --json prints an object a line.
            """)

    /// Pairs of one request.
    private static let page = 1000

    @Option(help: ArgumentHelp("Only the pairs of this owner.", valueName: "name"))
    var owner: String?
    @Argument(help: "Only these pairs.")
    var names: [String] = []
    @OptionGroup var database: FleetDatabaseOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { names.count == 1 ? names.first : nil }

    func validate() throws {
        if owner != nil, !names.isEmpty { throw ValidationError("Give either names or --owner.") }
    }

    func perform(_ session: Session) async throws {
        try await database.withFleet(session) { fleet in
            if names.isEmpty { return try await listAll(of: fleet, session) }
            try await ItemWork.onPairs(names, verb: Self.verb, failed: "not listed") { name in
                guard let status = try await fleet.pair(name) else { return false }
                try show(status, session)
                return true
            }
        }
    }

    private func listAll(of fleet: Fleet, _ session: Session) async throws {
        var last: String?
        while true {
            let page = try await fleet.pairs(owner: owner, after: last, limit: Self.page)
            for status in page { try show(status, session) }
            guard page.count == Self.page else { return }
            last = page.last?.pair.name
        }
    }

    private func show(_ status: FleetPairStatus, _ session: Session) throws {
        let shown = ShownFleetPair(status)
        if common.json { try session.output.json(shown.json) } else { try session.output.fields(shown.fields) }
    }
}
