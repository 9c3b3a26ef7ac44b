import ArgumentParser
import Carrel
import Foundation

struct Sniff: Verb {
    static let configuration = CommandConfiguration(
        commandName: "sniff", abstract: "Tell what a file is.",
        discussion: "The name and the server's type may answer; --content looks inside whatever they say.")

    @Option(help: ArgumentHelp("A media type to take as a hint.", valueName: "type"))
    var type: [String] = []
    @Option(help: ArgumentHelp("A file extension to take as a hint.", valueName: "extension"))
    var ext: [String] = []
    @Flag(help: "Look inside, whatever the hints say.")
    var content = false
    @Argument(help: "Files.")
    var locations: [String]
    @OptionGroup var common: CommonOptions

    private struct Shown: Encodable {
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

    func perform(_ session: Session) async throws {
        var shown: [Shown] = []
        for (text, place) in zip(locations, try await session.locations(locations)) { shown.append(try await sniff(place, text)) }
        if common.json {
            if shown.count == 1 { try session.output.json(shown[0]) } else { try session.output.json(shown) }
        } else {
            for item in shown { try session.output.line("\(item.location)\t\(item.mediaType ?? "unknown")\t\(item.name ?? "")") }
        }
        if shown.contains(where: { $0.mediaType == nil }) {
            throw CommandFailure(status: .badFile, sentence: "The format is not known.", isSilent: true)
        }
    }

    private func sniff(_ place: ProviderLocation, _ text: String) async throws -> Shown {
        let found = try await MediaType.sniff(
            path: place.path, of: place.provider, mediaTypes: type, fileExtensions: ext, ignoringHints: content)
        let shownLocation = (try? LocationText.url(of: text)).map { $0.isFileURL ? text : $0.withoutSecrets.absoluteString } ?? text
        return Shown(
            location: shownLocation, mediaType: found?.mediaType.string, name: found?.mediaType.name,
            fileExtension: found?.mediaType.fileExtension, by: found?.basis.rawValue)
    }
}
