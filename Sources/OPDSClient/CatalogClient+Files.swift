import CurlTransport
public import FileProviderCore
public import Foundation
import HTTPFileProvider
import MediaTypes
public import OPDS
public import Publication

extension CatalogClient {
    /// How many documents in a row a link may lead to before its file.
    private static let longestChain = 4

    /// Downloads the file of `link`, one of a publication's `acquisitions`, to `path`.
    ///
    /// A link to a publication's entry is followed, as a loan or a purchase may ask for it. The first bytes are compared
    /// with the link's media type, so that a web page doesn't take the name of a book. The number of bytes is compared
    /// with the server's before the file gets its name. Licences, such as Readium LCP's, are downloaded as they are.
    ///
    /// - Parameters:
    ///   - link: A link with an absolute address, as in a feed that the client returned.
    ///   - path: A name in a folder that exists. `FeedPublication.suggestedFileName(for:)` makes one.
    ///   - overwrite: Whether a file at `path` may be replaced.
    ///   - resumes: Whether a download that stops leaves its part beside `path`, for the next call to continue it, even in
    ///     another process (``/FileProviderCore/FileCopy/resume(to:of:options:progress:)``). If false, a failed or
    ///     cancelled call leaves nothing.
    ///   - progress: Counts bytes.
    /// - Returns: The attributes of the file.
    /// - Throws: ``LoginRequired``; `CocoaError(.featureUnsupported)` for a link to a web page where the publication is
    ///   sold or lent; `CocoaError(.fileReadCorruptFile)` for a page in place of the file, and for one that ends early;
    ///   errors of both storages.
    /// - Complexity: Two requests: one for the first 1 KiB, and one for all of it.
    @discardableResult
    public func acquire(
        _ link: Link, to path: ProviderPath, of provider: any FileProviderReadWrite, overwrite: Bool = false,
        resumes: Bool = false, progress: ProgressReporter = ProgressReporter()
    ) async throws -> FileObject {
        let file = try await file(of: link)
        return try await withFile(file) { source, start in
            let head = try await source.withReader(path: start) { reader in
                try await reader.read(.range(0..<LinkedFile.headLength)).data
            }
            try file.check(head, at: start)
            var copy = FileCopy(start, of: source)
            // There is no listing: a look would be the same request once more.
            copy.ignoresListedSize = true
            let options = WriteOptions(overwrite: overwrite, contentType: file.contentType)
            if !resumes {
                return try await copy.write(to: path, of: provider, options: options, progress: progress).file
            }
            if let done = try await copy.resume(to: path, of: provider, options: options, progress: progress) {
                return done.file
            }
            return try await provider.attributesOfItem(path: path)
        }
    }

    /// Starts ``acquire(_:to:of:overwrite:resumes:progress:)`` and returns its progress in bytes.
    ///
    /// Cancelling the `Progress` stops the download.
    ///
    /// - Parameter completionHandler: Called once, on a private serial queue; with `CocoaError(.userCancelled)` if the
    ///   download was cancelled.
    @discardableResult
    public func acquire(
        _ link: Link, to path: ProviderPath, of provider: any FileProviderReadWrite, overwrite: Bool = false,
        resumes: Bool = false, completionHandler: @escaping @Sendable (Result<FileObject, any Error>) -> Void
    ) -> Progress {
        let source = URL(string: link.href)?.withoutSecrets.absoluteString ?? ""
        return CompletionForm.start(
            .copy(source: source, destination: path.string), of: provider, kind: .downloading, unitCount: 0,
            body: { progress in
                try await self.acquire(
                    link, to: path, of: provider, overwrite: overwrite, resumes: resumes, progress: progress)
            }, completion: completionHandler)
    }

    /// Opens the publication of `link` by ranges, where it is. Nothing is downloaded.
    ///
    /// A link to a publication's entry is followed. For a licence, such as Readium LCP's, give its protection in
    /// `options`.
    ///
    /// - Parameters:
    ///   - link: A link with an absolute address, as in a feed that the client returned.
    ///   - options: The link's media type and address are added.
    /// - Throws: As ``acquire(_:to:of:overwrite:resumes:progress:)``, and as
    ///   ``/Publication/Publication/open(path:of:options:)``.
    /// - Complexity: For an EPUB of any size two or three requests, 100 kB together, on a server with ranges.
    public func open(_ link: Link, options: OpeningOptions = OpeningOptions()) async throws -> Publication {
        let file = try await file(of: link)
        var options = options
        options.mediaTypes = [file.type].compactMap(\.self) + options.mediaTypes
        options.sourceURL = options.sourceURL ?? file.url
        return try await withFile(file) { [options] source, path in
            try await Publication.open(path: path, of: source, options: options)
        }
    }
}

extension CatalogClient {
    /// Returns a link to the file at `url`, with the server's media type, and with the file name that the server suggests
    /// (RFC 6266) as its title; nil if a page or document is there, which may be one of a catalogue.
    ///
    /// - Throws: ``LoginRequired``; errors of the server.
    /// - Complexity: One request for the first 1 KiB.
    public func fileLink(at url: URL) async throws -> Link? {
        // Remembers the user in the address.
        _ = try connections.connection(to: url)
        let file = LinkedFile(url: url.withoutUser, type: nil, authentication: nil)
        return try await withFile(file) { source, path in
            try await source.withReader(path: path) { reader -> Link? in
                let head = try await reader.read(.range(0..<LinkedFile.headLength)).data
                let attributes = try await reader.attributes()
                let type = attributes.mimeType.flatMap { MediaType($0)?.canonicalized }
                let isFile = type.map { $0.isPublication && !$0.isManifest || $0 == .lcpLicenseDocument } ?? false
                if !isFile, LinkedFile.isPage(head) { return nil }
                var link = Link(href: file.url.absoluteString, type: type == .binary ? nil : type?.string)
                link.title = attributes.suggestedName
                return link
            }
        }
    }

    /// Returns `publication` with its links for acquiring it: those of its full entry if it is a part of one, as in many
    /// feeds.
    ///
    /// - Complexity: No request, or one.
    public func completed(_ publication: FeedPublication) async throws -> FeedPublication {
        let entry = publication.links.first { $0.isEntry && !$0.rels.contains("self") }
        guard publication.acquisitions.isEmpty,
            let entry = entry ?? publication.links.first(where: \.isEntry), let url = URL(string: entry.href)
        else { return publication }
        return try await self.publication(at: url)
    }
}

extension CatalogClient {
    /// Follows `link` to the address of a file.
    private func file(of link: Link) async throws -> LinkedFile {
        var link = link
        let wanted = link.properties.indirectAcquisitions.flatMap(\.finalTypes)
        for _ in 0..<Self.longestChain {
            guard let url = URL(string: link.href), Origin(ofServer: url) != nil else {
                throw FileError.make(
                    .fileReadInvalidFileName, path: link.href,
                    sentence: "The catalogue's link “\(link.href.prefix(200))” is not an http or https address.")
            }
            guard link.isEntry else {
                if link.isShop { throw shop(url, link) }
                let document = link.properties.authenticate.flatMap { URL(string: $0.href) }
                return LinkedFile(url: url.withoutUser, type: link.type, authentication: document)
            }
            guard let next = try await publication(at: url).preferredAcquisition(of: wanted) else {
                throw FileError.make(
                    .fileReadCorruptFile, path: url.shownPath, url: url,
                    sentence: "The entry of the publication, “\(url.withoutSecrets.absoluteString)”, offers no file.")
            }
            link = next
        }
        throw FileError.make(
            .fileReadCorruptFile, path: link.href,
            sentence: "The catalogue's link leads from entry to entry, and to no file.")
    }

    private func shop(_ url: URL, _ link: Link) -> CocoaError {
        let verb =
            switch link.acquisitionRelation {
            case .borrow: "lent"
            case .subscribe: "offered to subscribers"
            default: "sold"
            }
        return FileError.make(
            .featureUnsupported, path: url.shownPath, url: url,
            sentence:
                "The publication is \(verb) on a web page: open \(url.withoutSecrets.absoluteString) in a browser.")
    }

    /// Runs `body` with a provider of the file and its path there, and again after a login if the server asks for one.
    private func withFile<Value: Sendable>(
        _ file: LinkedFile,
        _ body: (_ source: HTTPFileProvider<LinkedFileService>, _ path: ProviderPath) async throws -> Value
    ) async throws -> Value {
        try await withLogin(at: file.url) { connection in
            let service = LinkedFileService(url: file.url)
            do {
                return try await body(HTTPFileProvider(service: service, connection: connection), service.path)
            } catch let error as URLError where error.code == .userAuthenticationRequired {
                guard let refusal = try await refusal(of: file, over: connection) else { throw error }
                throw refusal
            }
        }
    }

    /// Asks once more for a few bytes, because an error has no body; nil if the server answers with them now.
    private func refusal(of file: LinkedFile, over connection: HTTPConnection) async throws -> Refusal? {
        var request = HTTPRequest(
            "GET", path: file.url.shownPath, headers: [("Range", "bytes=0-0")], accepts: [401],
            // A server without ranges sends the whole file.
            receive: { _ in DataSink(limit: 1 << 16) })
        request.url = file.url
        guard let head = try? await connection.send(request), head.status == 401 else { return nil }
        var named = head
        if let document = file.authentication {
            named.headers.append(
                ("Link", "<\(document.absoluteString)>; rel=\"\(CatalogRelation.authenticationDocument)\""))
        }
        return Refusal(head: named, cause: connection.error(head, request: request))
    }
}

extension LinkedFile {
    /// The media type to store with the file; nil if the link has none.
    fileprivate var contentType: String? { type.flatMap { MediaType($0)?.string } }
}

extension Link {
    /// Whether the link leads to the entry of a publication and not to its file.
    fileprivate var isEntry: Bool {
        MediaType.opds1Entry.contains(mediaType) || MediaType.opds2Publication.contains(mediaType)
    }

    /// Whether the link leads to a page on which a person has to go on.
    fileprivate var isShop: Bool {
        let relations: [AcquisitionRelation] = [.buy, .borrow, .subscribe]
        return mediaType.isHTML && relations.contains { $0 == acquisitionRelation }
    }
}
