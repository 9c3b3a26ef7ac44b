import ArgumentParser
import Carrel

struct Providers: Verb {
    static let configuration = CommandConfiguration(
        commandName: "providers", abstract: "List the registered schemes, or a location's capabilities.")

    @Argument(help: "A location to connect to.", completion: .location)
    var location: String?
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        guard let location else { return try listSchemes(session) }
        let operand = try await session.operand(location)
        _ = try await operand.provider.attributesOfItem(path: operand.path)
        let capabilities = try await operand.provider.capabilities()
        if common.json { return try session.output.json(capabilities) }
        try session.output.line("\(operand.provider.debugDescription)")
        for ability in Capabilities.Ability.allCases {
            try session.output.fields(["  " + ability.rawValue, capabilities[ability].rawValue])
        }
        try session.output.fields(["  time precision", capabilities.timePrecision.map { "\($0) s" } ?? "unknown"])
    }

    private func listSchemes(_ session: Session) throws {
        struct ShownResult: Encodable {
            var type: String
            var schemes: [String]
        }
        let all = ProviderRegistry.shared.all.map { ShownResult(type: $0.type, schemes: $0.schemes) }
        if common.json { return try session.output.json(all) }
        for entry in all { try session.output.fields([entry.type, entry.schemes.joined(separator: " ")]) }
    }
}
