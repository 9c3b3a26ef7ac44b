import Carrel
import Foundation

extension Output {
    /// Writes what `book` says about itself: its manifest as JSON, or a line for each property.
    func show(_ book: Publication, asJSON: Bool) async throws {
        if asJSON {
            var manifest = book.manifest
            manifest.tableOfContents = try await book.contents()
            return try json(manifest.json)
        }
        let metadata = book.metadata
        let rows: [(String, String?)] = [
            ("title", metadata.title.string), ("subtitle", metadata.subtitle?.string),
            ("authors", names(metadata.authors)), ("narrators", names(metadata.narrators)),
            ("length", metadata.duration.map(clock)),
            ("language", metadata.languages.joined(separator: ", ")),
            ("identifier", metadata.identifier), ("publisher", names(metadata.publishers)),
            ("resources", "\(book.readingOrder.count) in reading order, \(book.resources.count) others"),
            ("pages", metadata.numberOfPages.map(String.init)), ("cover", book.coverLink?.href),
            ("format", book.mediaType.map { $0.name ?? $0.string }),
            ("locked", book.protection?.reason),
        ]
        for (name, value) in rows {
            if let value, !value.isEmpty { try fields([name, value]) }
        }
        for warning in book.warnings { try fields(["warning", warning.message]) }
    }

    /// Hours, minutes and seconds.
    private func clock(_ seconds: Double) -> String {
        let seconds = Int(min(max(0, seconds), 1_000_000_000).rounded())
        let parts = [seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(seconds / 3_600):\(parts[0]):\(parts[1])"
    }

    private func names(_ people: [Contributor]) -> String { people.map(\.name.string).joined(separator: ", ") }
}
