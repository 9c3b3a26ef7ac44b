import ArgumentParser
import Carrel
import SyncFleet

struct FleetRemove: Verb {
    static let verb = "fleet rm"
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Remove pairs from the fleet. Their folders stay as they are.",
        discussion: "A run that has begun is stopped by its worker, which finds that it lost the pair.")

    @Argument(help: "The names of pairs.")
    var names: [String]
    @OptionGroup var database: FleetDatabaseOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { names.count == 1 ? names.first : nil }

    func perform(_ session: Session) async throws {
        try await database.withFleet(session) { fleet in
            try await ItemWork.onPairs(names, verb: Self.verb, failed: "not removed") { try await fleet.remove($0) }
        }
    }
}
