import ArgumentParser
import Carrel
import SyncFleet

struct FleetLimit: Verb {
    static let verb = "fleet limit"
    static let configuration = CommandConfiguration(
        commandName: "limit", abstract: "Limit how many pairs run at once on a host, or of an owner.",
        discussion: """
            The limit holds for all workers together. A host is named with its port, as “carrel fleet status” shows it: \
            nas.example:5005. “none” takes the limit away.
            """)

    @Option(help: ArgumentHelp("Limit the runs of this owner's pairs.", valueName: "name"))
    var owner: String?
    @Argument(help: "A host, unless --owner is given; then the number of runs at once, or none.")
    var words: [String]
    @OptionGroup var database: FleetDatabaseOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { owner ?? words.first }

    /// - Throws: A usage error.
    private func most() throws -> Int? {
        let text = words.last ?? ""
        if text == "none" { return nil }
        if let number = Int(text), (1...100_000).contains(number) { return number }
        throw ValidationError("“\(text)” is no limit: give a number from 1 to 100000, or none.")
    }

    func validate() throws {
        guard words.count == (owner == nil ? 2 : 1), owner?.isEmpty != true, words.first?.isEmpty == false else {
            throw ValidationError("Give a host and a number, such as nas.example:5005 4, or --owner NAME and a number.")
        }
        _ = try most()
    }

    func perform(_ session: Session) async throws {
        let most = try most()
        try await database.withFleet(session) { fleet in
            if let owner {
                try await fleet.setLimit(most, owner: owner)
            } else {
                try await fleet.setLimit(most, host: words[0])
            }
        }
    }
}
