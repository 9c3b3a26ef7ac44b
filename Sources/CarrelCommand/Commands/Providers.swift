import ArgumentParser
import Carrel

struct Providers: Verb {
    static let configuration = CommandConfiguration(
        commandName: "providers", abstract: "List the registered schemes; with a location, what that provider can do.")

    @Argument(help: "A location to connect to.")
    var location: String?
    @OptionGroup var common: CommonOptions

    func perform(_ session: Session) async throws {
        guard let location else { return try listSchemes(session) }
        let place = try await session.location(location)
        try await place.provider.checkReachability()
        let capabilities = try await place.provider.capabilities()
        if common.json { return try session.output.json(capabilities) }
        try session.output.line("\(place.provider.debugDescription)")
        for ability in Capabilities.Ability.allCases { try session.output.line("  \(ability.rawValue)\t\(capabilities[ability].rawValue)") }
        try session.output.line("  time precision\t\(capabilities.timePrecision.map { "\($0) s" } ?? "unknown")")
    }

    private func listSchemes(_ session: Session) throws {
        struct Shown: Encodable {
            var type: String
            var schemes: [String]
        }
        let all = ProviderRegistry.shared.all.map { Shown(type: $0.type, schemes: $0.schemes) }
        if common.json { return try session.output.json(all) }
        for entry in all { try session.output.line("\(entry.type)\t\(entry.schemes.joined(separator: " "))") }
    }
}
