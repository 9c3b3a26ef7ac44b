import FileProviderCore
import Foundation
import Publication
import ReaderLink
import SQLiteStorage

/// Verifies that a file in the library's folder is a readable EPUB, and reads its metadata.
struct BookProof {
    let folder: LibraryFolder
    let options: LibraryOptions
    /// The name of the document for the user.
    let name: String

    private var shownName: String { StagedName.shown(name) }

    /// Opens the file at `path`.
    /// - Throws: ``BookRefusal`` if the file is not an EPUB, damaged or malicious; `CancellationError`; errors of this
    ///   machine.
    func book(at path: ProviderPath, size: Int64) async throws -> IncomingBook {
        let publication: Publication
        var opening = OpeningOptions()
        // Remote resources are not fetched: a peer must not choose which servers this machine contacts.
        opening.remote = { EmptyFetcher() }
        do { publication = try await Publication.open(path: path, of: folder.files, options: opening) } catch {
            throw refusal(error, path)
        }
        do {
            let book = try await prove(publication, size: size)
            await publication.close()
            return book
        } catch {
            await publication.close()
            throw (error as? BookRefusal) ?? refusal(error, path)
        }
    }

    private func prove(_ publication: Publication, size: Int64) async throws -> IncomingBook {
        guard let type = publication.mediaType, MediaType.epub.contains(type) else {
            throw BookRefusal(
                "“\(shownName)” is \(publication.mediaType?.name ?? "something else") and not an EPUB; only EPUBs are accepted."
            )
        }
        if publication.warnings.contains(where: { $0.tag == "repaired-archive" }) {
            throw BookRefusal("“\(shownName)” is damaged: its list of contents is missing. Send it again.")
        }
        try await weigh(publication)
        let isLocked = publication.protection?.isLocked == true
        if !isLocked { try await readStart(of: publication) }
        let time = Date(timeIntervalSince1970: options.time.wallClock)
        var book = IncomingBook(publication.metadata, named: name, size: size, at: time)
        if isLocked {
            book.warnings.append(publication.protection?.reason ?? "The book is locked by DRM and cannot be read here.")
        }
        await readCover(of: publication, into: &book)
        return book
    }

    /// Adds up the sizes in the archive's directory before anything is unpacked.
    private func weigh(_ publication: Publication) async throws {
        var total: Int64 = 0
        for link in publication.readingOrder + publication.resources {
            let resource = publication.get(link)
            let length: Int64
            do { length = try await resource.length() } catch {
                // Ignores missing parts, which are flaws of the book, and locked parts, which have no length.
                if error.resourceFailure == .unavailable { throw error }
                continue
            }
            total = total.addingReportingOverflow(max(0, length)).overflow ? .max : total + max(0, length)
            if total > options.maxUnpackedSize || isBomb(length, packed: resource.link.properties.archive?.entryLength)
            {
                throw BookRefusal("“\(shownName)” is too large when unpacked.")
            }
        }
        if publication.readingOrder.isEmpty { throw BookRefusal("“\(shownName)” has no text.") }
    }

    private func isBomb(_ length: Int64, packed: Int64?) -> Bool {
        let limits = ArchiveLimits.standard
        guard let packed, length > limits.ratioFloor else { return false }
        return length / max(1, packed) > limits.maxRatio
    }

    /// Unpacks the first part of the text, which verifies its checksum.
    private func readStart(of publication: Publication) async throws {
        guard let link = publication.readingOrder.first else { return }
        try await publication.get(link).stream(nil, into: DiscardingSink())
    }

    private func readCover(of publication: Publication, into book: inout IncomingBook) async {
        do {
            // A list of books can't show a drawing (SVG); that is not an error of the book.
            book.cover = try await publication.coverImage(limit: options.maxCoverSize).flatMap { CoverPicture($0.data) }
        } catch {
            book.warnings.append("The cover could not be read: \(error.sentence)")
        }
    }

    /// Returns a refusal with the document's name if the book is at fault, else the error itself.
    private func refusal(_ error: any Error, _ path: ProviderPath) -> any Error {
        switch OpeningFailure(error) {
        case .cancelled: return CancellationError()
        case .unavailable: return error
        default:
            if Self.isOfThisMachine(error) { return error }
            let sentence = error.sentence.replacing(path.string, with: shownName).replacing(path.name, with: shownName)
            return BookRefusal("“\(shownName)” is not a readable EPUB: \(sentence)")
        }
    }

    /// Whether the disk or the process is at fault, rather than the book.
    private static func isOfThisMachine(_ error: any Error) -> Bool {
        guard let code = ((error as? CocoaError)?.underlying ?? error) as? POSIXError else { return false }
        return [.EIO, .EMFILE, .ENFILE, .ENOMEM].contains(code.code)
    }
}
