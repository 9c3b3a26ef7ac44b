import ArgumentParser
import Carrel
import Foundation
import OPDSClient

struct OPDSGet: Verb {
    static let verb = "opds get"
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Download a book from a catalogue.",
        discussion:
            "A web page in place of the book is refused. Without --resume, a download that stops leaves nothing.")

    @Flag(help: "Replace a file that exists.")
    var overwrite = false
    @Flag(help: "Keep the part of a download that stops, and continue the part of an earlier one.")
    var resume = false
    @OptionGroup var choice: CatalogChoice
    @Argument(help: "The address of a feed, of a book's entry, or of a book.")
    var url: String
    @Argument(help: "A folder, or a name for the book; the default is the current folder.", completion: .location)
    var target: String = "."
    @OptionGroup var common: CommonOptions

    private struct ShownResult: Encodable {
        var path: String
        var size: Int64?
        var mediaType: String?
    }

    var blamed: String? { url }

    func perform(_ session: Session) async throws {
        var place = try await session.operand(target, for: url)
        let catalog = try await session.catalog(url)
        let client = CatalogClient(options: catalog.options)
        let offer: CatalogChoice.Offer
        do { offer = try await choice.offer(at: catalog.url, client) } catch { throw error.at(catalog.shown) }
        do {
            if try await place.itemIfAny()?.isFolder(of: place) ?? place.path.isRoot {
                let path = try place.path.appending(offer.fileName)
                (place.path, place.shown) = (path, place.shown(of: path))
            }
        } catch { throw error.at(place.shown) }
        let bar = ProgressBar(isQuiet: common.quiet)
        defer { bar.clear() }
        let file: FileObject
        do {
            file = try await client.acquire(
                offer.link, to: place.path, of: place.provider, overwrite: overwrite, resumes: resume,
                progress: bar.reporter)
        } catch {
            throw isAbout(place, error)
                ? error.naming(missingParentOf: place.path).at(place.shown) : error.at(catalog.shown)
        }
        bar.clear()
        if common.json {
            return try session.output.json(
                ShownResult(path: place.shown, size: file.size, mediaType: offer.link.type))
        }
        try session.output.line(place.shown)
    }

    /// Whether an error is about the file to be written, or its folder.
    private func isAbout(_ place: Operand, _ error: any Error) -> Bool {
        guard let path = (error as NSError).userInfo[NSFilePathErrorKey] as? String else { return false }
        return [place.path.string, place.path.parent?.string].contains(path)
    }
}

/// The options that choose a book of a catalogue, and a format of it.
struct CatalogChoice: ParsableArguments {
    @Option(help: ArgumentHelp("The format: a media type, or an extension such as epub.", valueName: "format"))
    var format: String?
    @Option(help: ArgumentHelp("The book at this place of the feed, from 1, as “opds ls” lists them.", valueName: "n"))
    var select: Int?
    @Option(help: ArgumentHelp("The book with this identifier.", valueName: "id"))
    var identifier: String?
    @Option(help: ArgumentHelp("Look on this many pages of the feed, or on “all”; the default is 1.", valueName: "n"))
    var pages: PageCount?
    @Flag(help: "A sample of the book, instead of the book.")
    var sample = false

    /// A file that a catalogue offers.
    struct Offer {
        var link: Link
        var fileName: String
    }

    func validate() throws {
        if let select, select < 1 { throw ValidationError("--select counts from 1.") }
        if select != nil, identifier != nil { throw ValidationError("Use one of --select and --identifier.") }
        if let format, mediaType == nil {
            throw ValidationError("“\(format)” is neither a media type nor a known extension.")
        }
    }

    private var mediaType: MediaType? {
        guard let format else { return nil }
        if format.contains("/") { return MediaType(format) }
        let name = format.hasPrefix(".") ? format.dropFirst() : format[...]
        return MediaType.known(fileExtension: name.lowercased())
    }

    /// Returns the file to get from `url`: that of the chosen book of a feed, of a book's entry, or the one at `url`.
    func offer(at url: URL, _ client: CatalogClient) async throws -> Offer {
        if let link = try await client.fileLink(at: url) {
            return Offer(link: link, fileName: Self.fileName(of: link, at: url))
        }
        let book: FeedPublication
        switch try await client.document(at: url) {
        case .publication(let publication): book = publication
        case .feed(let feed): book = try choose(from: try await books(of: feed, client))
        default:
            throw CommandFailure(status: .badFile, sentence: "This document of the catalogue offers no books.")
        }
        return try offer(of: try await client.completed(book))
    }

    /// Returns the name that the server suggests for a file, or one made of its address, for every storage.
    private static func fileName(of link: Link, at url: URL) -> String {
        let parts: [Substring] = link.title?.split(separator: ".", omittingEmptySubsequences: false) ?? []
        let name = PortableName.of(parts.dropLast().joined(separator: "."))
        if !name.isEmpty, let end = parts.last, (1...8).contains(end.utf8.count),
            end.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        {
            return "\(name).\(end)"
        }
        let title = link.title ?? url.deletingPathExtension().lastPathComponent
        return FeedPublication(metadata: Metadata(title: LocalizedString(title))).suggestedFileName(for: link)
    }

    /// Returns the books of the feed's pages in the order of `opds ls`, up to the one that was chosen.
    private func books(of feed: Feed, _ client: CatalogClient) async throws -> [FeedPublication] {
        var books: [FeedPublication] = []
        var read = 0
        for try await page in client.pages(from: feed) {
            books += page.allPublications
            read += 1
            if read >= pages?.count ?? 1 || isChosen(among: books) { break }
        }
        return books
    }

    private func isChosen(among books: [FeedPublication]) -> Bool {
        if let select { return books.count >= select }
        return identifier != nil && books.contains { $0.metadata.identifier == identifier }
    }

    private func choose(from books: [FeedPublication]) throws -> FeedPublication {
        let hint = pages == nil ? " --pages looks on more pages." : ""
        if let identifier {
            guard let book = books.first(where: { $0.metadata.identifier == identifier }) else {
                throw CommandFailure(
                    status: .notFound, sentence: "No book of the feed has the identifier “\(identifier)”.\(hint)")
            }
            return book
        }
        if let select {
            guard books.indices.contains(select - 1) else {
                throw CommandFailure(
                    status: .notFound, sentence: "The feed has \(books.count) books, and no book \(select).\(hint)")
            }
            return books[select - 1]
        }
        guard books.count != 1 else { return books[0] }
        if books.isEmpty { throw CommandFailure(status: .notFound, sentence: "The feed has no books.") }
        throw CommandFailure.usage("The feed has \(books.count) books; choose one with --select or --identifier.")
    }

    private func offer(of book: FeedPublication) throws -> Offer {
        let title = book.metadata.title.string
        let types = mediaType.map { [$0.string] } ?? []
        let fitting = types.isEmpty ? book.acquisitions : book.acquisitions(of: types)
        let sampleLink = fitting.first { $0.acquisitionRelation == .sample }
        if sample {
            guard let sampleLink else {
                let end = types.isEmpty ? "" : " in that format"
                throw CommandFailure(
                    status: .notFound, sentence: "The catalogue offers no sample of “\(title)”\(end).")
            }
            var part = book
            part.metadata.title = LocalizedString("\(title) (sample)")
            return Offer(link: sampleLink, fileName: part.suggestedFileName(for: sampleLink))
        }
        guard let link = book.preferredAcquisition(of: types), fitting.contains(link) else {
            let formats = book.shownFormats
            let sentence =
                formats.isEmpty
                ? "The catalogue offers no file of “\(title)”."
                : "“\(title)” is not offered in that format; there is: \(formats)."
            let hint = sampleLink == nil ? "" : " --sample gets a sample."
            throw CommandFailure(status: .notFound, sentence: sentence + hint)
        }
        return Offer(link: link, fileName: book.suggestedFileName(for: link))
    }
}
