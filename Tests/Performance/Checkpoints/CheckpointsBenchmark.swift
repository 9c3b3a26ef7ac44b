import Carrel
import Foundation
import SampleBooks

/// Makes a book with a deflated PDF of 180 MB, and reads 4 KiB at 90 % of it with checkpoints kept in a folder.
///
///     checkpoints-benchmark make FILE
///     checkpoints-benchmark open URL FOLDER    opens the book and reads nothing
///     checkpoints-benchmark read URL FOLDER    opens the book and reads
@main
struct CheckpointsBenchmark {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("make", 2): try ZIPBuilder.file(at: URL(filePath: arguments[1])) { try SampleBook.withLargePDF($0) }
        case ("open", 3): try await visit(arguments[1], folder: arguments[2]) { _ in }
        case ("read", 3): try await visit(arguments[1], folder: arguments[2], read)
        default: fatalError("usage: checkpoints-benchmark make FILE | open URL FOLDER | read URL FOLDER")
        }
    }

    private static func visit(_ address: String, folder: String, _ body: @Sendable (Publication) async throws -> Void)
        async throws
    {
        guard let url = URL(string: address) else { fatalError("\(address) is no URL") }
        try ProviderRegistry.shared.registerBuiltInProviders()
        let location = try await ProviderRegistry.shared.location(of: url)
        var options = OpeningOptions()
        options.checkpoints = FileCheckpointStore(folder: URL(filePath: folder))
        let book = try await Publication.open(path: location.path, of: location.provider, options: options)
        try await body(book)
        await book.close()
    }

    @Sendable private static func read(_ book: Publication) async throws {
        let part = SampleBook.largePDFPart
        let resource = book.get(SampleBook.largePDF)
        let start = try await resource.length() * 9 / 10 + 1_234_567
        let bytes = try await resource.read(start..<start + 4_096)
        // It says the same over and over.
        let offset = Int(start) % part.count
        let expected = (part + part)[offset..<offset + 4_096]
        guard bytes == expected else { fatalError("these are not the bytes of the PDF") }
    }
}
