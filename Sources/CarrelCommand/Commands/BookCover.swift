import ArgumentParser
import Carrel
import Foundation

struct BookCover: Verb {
    static let verb = "book cover"
    static let configuration = CommandConfiguration(
        commandName: "cover", abstract: "Write the cover image to a file.",
        discussion: "The image is unchanged. The cover of a PDF file is its first page as a JPEG image.")

    @Flag(help: "Replace a file that exists.")
    var overwrite = false
    @Argument(help: "A book.", completion: .location)
    var location: String
    @Argument(help: "Where to put the image; “-” is standard output.", completion: .location)
    var file: String
    @OptionGroup var protection: ProtectionOptions
    @OptionGroup var common: CommonOptions

    /// The longer side of a drawn page, in pixels.
    private static let dimension = 1600

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        // Resolves both first: an access flag must not go to two hosts.
        let operands = try await session.operands([location] + (file == "-" ? [] : [file]))
        guard let image = try await image(operands[0], session) else {
            throw CommandFailure(status: .notFound, sentence: "The book has no cover image.")
        }
        guard let target = operands.dropFirst().first else { return try image.withUnsafeBytes { try Output.write($0) } }
        // Reads the small cover before it begins the file, so that each error names the right one of the two.
        do { try await target.provider.writeContents(path: target.path, contents: image, overwrite: overwrite) } catch {
            throw error.at(target.shown)
        }
    }

    private func image(_ operand: Operand, _ session: Session) async throws -> Data? {
        if operand.path.fileExtension?.lowercased() == "pdf" {
            // Reads only the page: opening the document would also read its contents and its tree of pages.
            do {
                return try await operand.provider.thumbnailOfFile(path: operand.path, dimension: Self.dimension).data
            } catch let error
                as CocoaError
                where error.code == .fileReadCorruptFile || error.code == .featureUnsupported
            {
                // A file of another format is opened below as what it is; a PDF file fails there with the same error
                // again.
            }
        }
        var image: Data?
        try await withBook(location, protection, session: session) {
            image = try await $0.cover(dimension: Self.dimension)?.data
        }
        return image
    }
}
