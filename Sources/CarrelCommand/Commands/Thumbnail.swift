import ArgumentParser
import Carrel
import Foundation

struct MakeThumbnail: Verb {
    static let configuration = CommandConfiguration(
        commandName: "thumb", abstract: "Make a small picture of an image, a page of a PDF or comic book, or a cover.",
        discussion: "The picture is JPEG, or PNG if it is transparent, whatever the name of FILE is.")

    @Option(help: ArgumentHelp("Pixels of the longer side, 1 to 4096.", valueName: "n"))
    var size: Int = 256
    @Option(help: ArgumentHelp("The page, counted from 1.", valueName: "n"))
    var page: Int = 1
    @Flag(help: "Replace a file that exists.")
    var overwrite = false
    @Argument(help: "A file.", completion: .location)
    var location: String
    @Argument(help: "Where to put the picture; “-” is standard output.", completion: .location)
    var file: String
    @OptionGroup var common: CommonOptions

    private struct ShownResult: Encodable {
        var mediaType: String
        var width: Int
        var height: Int
        var bytes: Int
    }

    var blamed: String? { location }

    func validate() throws {
        guard (1...4096).contains(size) else { throw ValidationError("--size needs a number from 1 to 4096.") }
        guard page > 0 else { throw ValidationError("--page needs a number of 1 or more.") }
        guard file != "-" || !common.json else {
            throw ValidationError("Standard output cannot hold both the picture and the JSON document.")
        }
    }

    func perform(_ session: Session) async throws {
        // Resolves both first: an access flag must not go to two hosts.
        let operands = try await session.operands([location] + (file == "-" ? [] : [file]))
        let thumbnail: Thumbnail
        do {
            thumbnail = try await operands[0].provider.thumbnailOfFile(
                path: operands[0].path, dimension: size, page: page)
        } catch {
            throw error.at(operands[0].shown, status: error.isOtherFormat ? .badFile : nil)
        }
        guard let target = operands.dropFirst().first else {
            return try thumbnail.data.withUnsafeBytes { try Output.write($0) }
        }
        do {
            try await target.provider.writeContents(path: target.path, contents: thumbnail.data, overwrite: overwrite)
        } catch {
            throw error.at(target.shown)
        }
        guard common.json else { return }
        try session.output.json(
            ShownResult(
                mediaType: thumbnail.mediaType, width: thumbnail.width, height: thumbnail.height,
                bytes: thumbnail.data.count))
    }
}
