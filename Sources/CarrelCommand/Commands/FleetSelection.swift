import ArgumentParser
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
