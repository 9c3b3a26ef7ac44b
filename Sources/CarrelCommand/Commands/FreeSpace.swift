import ArgumentParser
import Carrel

struct FreeSpace: Verb {
    static let configuration = CommandConfiguration(commandName: "df", abstract: "Tell the storage's total, available and used bytes.")

    @Argument(help: "Anything in the storage.")
    var location: String
    @OptionGroup var common: CommonOptions

    private struct Shown: Encodable {
        var total: Int64?
        var available: Int64?
        var used: Int64?

        enum CodingKeys: String, CodingKey { case total, available, used }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            // The contract has null, not a missing key, for what the server does not say.
            try container.encode(total, forKey: .total)
            try container.encode(available, forKey: .available)
            try container.encode(used, forKey: .used)
        }
    }

    func perform(_ session: Session) async throws {
        let place = try await session.location(location)
        let volume = try await place.provider.storageProperties()
        let shown = Shown(total: volume?.totalCapacity, available: volume?.availableCapacity, used: volume?.usage)
        if common.json { return try session.output.json(shown) }
        for (name, value) in [("total", shown.total), ("available", shown.available), ("used", shown.used)] {
            try session.output.line("\(name)\t\(value.map(String.init) ?? "unknown")")
        }
    }
}
