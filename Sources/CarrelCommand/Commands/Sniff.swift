import ArgumentParser
import Carrel
import Foundation

struct Sniff: Verb {
    static let configuration = CommandConfiguration(
        commandName: "sniff", abstract: "Detect a file's format.",
        discussion: "The name and the server's type may be enough; --content always looks inside.")

    @Option(help: ArgumentHelp("A media type to use as a hint.", valueName: "type"))
    var type: [String] = []
    @Option(help: ArgumentHelp("A file extension to use as a hint.", valueName: "extension"))
    var ext: [String] = []
    @Flag(help: "Always look inside, even if the hints are enough.")
    var content = false
    @Argument(help: "Files.", completion: .location)
    var locations: [String]
    @OptionGroup var common: CommonOptions

    private struct ShownResult: Encodable {
        var location: String
        var mediaType: String?
        var name: String?
        var fileExtension: String?
        var by: String?

        enum CodingKeys: String, CodingKey { case location, mediaType, name, fileExtension, by }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(location, forKey: .location)
            try container.encode(mediaType, forKey: .mediaType)
            try container.encodeIfPresent(name, forKey: .name)
            try container.encodeIfPresent(fileExtension, forKey: .fileExtension)
            try container.encodeIfPresent(by, forKey: .by)
        }
    }

    var blamed: String? { locations.count == 1 ? locations[0] : nil }

    func perform(_ session: Session) async throws {
        let work = ItemWork(verb: Self.verb)
        var shown: [ShownResult] = []
        for operand in try await session.operands(locations) {
            try await work.run(operand.shown, isAlone: locations.count == 1) {
                let found = try await sniff(operand)
                shown.append(found)
                if locations.count == 1 { try show([found], session) }
                guard found.mediaType == nil else { return }
                throw CommandFailure(status: .badFile, sentence: "The format is unknown.", hasDocument: common.json)
            }
        }
        if locations.count > 1 { try show(shown, session) }
        try work.finish("not recognised", hasDocument: common.json)
    }

    private func show(_ items: [ShownResult], _ session: Session) throws {
        if common.json { return try locations.count == 1 ? session.output.json(items[0]) : session.output.json(items) }
        for item in items { try session.output.fields([item.location, item.mediaType ?? "unknown", item.name ?? ""]) }
    }

    private func sniff(_ operand: Operand) async throws -> ShownResult {
        let found = try await MediaType.sniff(
            path: operand.path, of: operand.provider, mediaTypes: type, fileExtensions: ext, ignoringHints: content)
        // Hints also answer for a missing file and for a folder; content proves that the file exists.
        if found?.basis == .hint, try await operand.provider.attributesOfItem(path: operand.path).isDirectory {
            throw FileError.make(
                .fileReadUnknown, path: operand.path,
                sentence: "“\(operand.path)” is a folder, which has no media type.",
                underlying: POSIXError(.EISDIR))
        }
        return ShownResult(
            location: operand.shown, mediaType: found?.mediaType.string, name: found?.mediaType.name,
            fileExtension: found?.mediaType.fileExtension, by: found?.basis.rawValue)
    }
}
