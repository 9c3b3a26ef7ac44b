import ArgumentParser
import Carrel
import Foundation

struct FreeSpace: Verb {
    static let configuration = CommandConfiguration(
        commandName: "df", abstract: "Show the storage's total, available and used bytes.", helpNames: .long)

    @Flag(name: [.customShort("h"), .long], help: "Print readable sizes, such as 1.5 MiB; never in JSON.")
    var humanReadable = false
    @Argument(help: "Anything in the storage.", completion: .location)
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    private struct ShownResult: Encodable {
        var total: Int64?
        var available: Int64?
        var used: Int64?

        enum CodingKeys: String, CodingKey { case total, available, used }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            // The contract requires null, not a missing key, for values that the server doesn't report.
            try container.encode(total, forKey: .total)
            try container.encode(available, forKey: .available)
            try container.encode(used, forKey: .used)
        }
    }

    /// On this machine, folders may be on different file systems, and a provider reports about its root.
    private static func storage(of operand: Operand, _ item: FileObject) throws -> any FileProvider {
        guard operand.provider is LocalFileProvider else { return operand.provider }
        let folder = item.isDirectory ? operand.path : operand.path.parent ?? .root
        return try LocalFileProvider(configuration: LocalConfiguration(root: folder.string))
    }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(location)
        let item = try await operand.provider.attributesOfItem(path: operand.path)
        let volume = try await Self.storage(of: operand, item).storageProperties()
        let shown = ShownResult(total: volume?.totalCapacity, available: volume?.availableCapacity, used: volume?.usage)
        if common.json { return try session.output.json(shown) }
        for (name, value) in [("total", shown.total), ("available", shown.available), ("used", shown.used)] {
            let bytes = value.map { humanReadable ? ProgressBar.bytes($0) : String($0) }
            try session.output.fields([name, bytes ?? "unknown"])
        }
    }
}
