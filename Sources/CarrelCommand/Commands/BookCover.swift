import ArgumentParser
import Carrel
import Foundation

struct BookCover: Verb {
    static let verb = "book cover"
    static let configuration = CommandConfiguration(
        commandName: "cover", abstract: "The cover image to a file.",
        discussion: "The image is as it is in the book. Of a PDF file it is the first page, as a JPEG picture.")

    @Flag(help: "Replace a file that exists.")
    var overwrite = false
    @Argument(help: "A book.", completion: .location)
    var location: String
    @Argument(help: "Where to put the image; “-” is standard output.", completion: .location)
    var file: String
    @OptionGroup var common: CommonOptions

    /// Pixels of the longer side of a page that is drawn.
    private static let dimension = 1600

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        // Both are looked at first: an access flag must not go to two hosts.
        let operands = try await session.operands([location] + (file == "-" ? [] : [file]))
        guard let image = try await image(operands[0], session) else {
            throw CommandFailure(status: .notFound, sentence: "The book names no cover image.")
        }
        guard let target = operands.dropFirst().first else { return try image.withUnsafeBytes { try Output.write($0) } }
        // A cover is small; it is read before the file is begun, so that each failure is about the right one of the
        // two.
        do { try await target.provider.writeContents(path: target.path, contents: image, overwrite: overwrite) } catch {
            throw error.at(target.shown)
        }
    }

    private func image(_ operand: Operand, _ session: Session) async throws -> Data? {
        if operand.path.fileExtension?.lowercased() == "pdf" {
            // The page alone: opening the document would read its contents and its tree of pages as well.
            do {
                return try await operand.provider.thumbnailOfFile(path: operand.path, dimension: Self.dimension).data
            } catch let error
                as CocoaError
                where error.code == .fileReadCorruptFile || error.code == .featureUnsupported
            {
                // Another format under this name is opened as what it is; a PDF file ends in the same error again.
            }
        }
        var image: Data?
        try await withBook(location, session: session) { image = try await $0.cover(dimension: Self.dimension)?.data }
        return image
    }
}
