import ArgumentParser

struct FleetGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Keep many pairs of folders in step, by workers on any number of machines.",
        discussion: """
            PostgreSQL is the queue: --database URL or $CARREL_FLEET_DATABASE, such as \
            postgresql://carrel@db.example/carrel. The URL has no password: it comes from --database-password-file, \
            $PGPASSWORD or ~/.pgpass. Pairs are rows without secrets, and what the two sides of a pair had in common is \
            kept on a storage that all workers reach. Begin with “carrel fleet init”, “carrel fleet add” and “carrel \
            fleet run”.
            """,
        subcommands: [
            FleetInit.self, FleetAdd.self, FleetList.self, FleetRun.self, FleetPause.self, FleetResume.self,
            FleetRemove.self, FleetLimit.self, FleetStatus.self,
        ])
}
