import ArgumentParser
import SyncFleet

struct FleetInit: Verb {
    static let verb = "fleet init"
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Create the tables of a fleet, or bring them up to this version.",
        discussion: """
            Run it again after an update of carrel: it does only what is missing, and several at once do no harm. A \
            database that a newer carrel has changed is refused.
            """)

    @OptionGroup var database: FleetDatabaseOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { nil }

    private struct Shown: Encodable {
        var migrations: Int
    }

    func perform(_ session: Session) async throws {
        try await database.withFleet(session, isChecked: false) { fleet in
            let count = try await fleet.migrate()
            if common.json { return try session.output.json(Shown(migrations: count)) }
            if common.quiet { return }
            try session.output.line(
                count == 0 ? "The database is up to date." : "The database is ready; migrations applied: \(count).")
        }
    }
}
