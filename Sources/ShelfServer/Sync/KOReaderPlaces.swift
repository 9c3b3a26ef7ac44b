import Foundation
import MediaTypes
import Publication

/// Places of reading pages as KOReader writes them, and back.
///
/// In an EPUB these are pointers into a chapter; in comics and PDF documents the numbers of pages.
struct KOReaderPlaces: Sendable {
    let publication: Publication

    init(_ publication: Publication) { self.publication = publication }

    /// Returns the locator of what KOReader sent: exact if the pointer or page leads somewhere, else by the percentage.
    ///
    /// - Throws: Errors of the storage.
    func locator(_ progress: String, percentage: Double) async throws -> Locator? {
        if let pointer = XPointer(progress), let locator = try await publication.locate(pointer) { return locator }
        if isPaged, let page = Int(progress), let locator = try await publication.locator(atPosition: page) {
            return locator
        }
        return try await publication.locate(progression: percentage)
    }

    /// Returns what KOReader needs to go to the place of `locator`; nil for books that it doesn't read in this way.
    ///
    /// - Parameter total: The part of the book before the place, if it is known.
    /// - Throws: Errors of the storage.
    func progress(_ locator: Locator, total: Double?) async throws -> (progress: String, percentage: Double)? {
        if let pointer = try await publication.pointer(to: locator) {
            if let total { return (pointer.description, total) }
            let found = try await publication.locate(locator)?.locations.totalProgression
            return (pointer.description, found ?? 0)
        }
        guard isPaged, let page = try await publication.position(of: locator) else { return nil }
        // KOReader counts the page itself.
        let count = try await publication.positions().count
        return (String(page), count > 0 ? min(1, Double(page) / Double(count)) : 0)
    }

    /// Whether KOReader shows the publication by pages that it doesn't make itself.
    private var isPaged: Bool {
        publication.readingOrder.allSatisfy { $0.mediaType.isBitmap || MediaType.pdf.contains($0.mediaType) }
    }
}
