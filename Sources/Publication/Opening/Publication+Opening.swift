import Archives
public import FileProviderCore
import Foundation
import MediaTypes

extension Publication {
    /// Opens the book at `path`, a file or a folder, in place: recognises the format, makes the manifest and reads
    /// nothing else.
    ///
    /// Hints, among them the name, are trusted first. A file that does not open as its name says is opened as what it
    /// is, with a warning.
    ///
    /// - Throws: The provider's errors; `CocoaError(.fileReadCorruptFile)` for a file that is damaged or not a book;
    ///   `CocoaError(.featureUnsupported)` for a known format that cannot be opened. ``OpeningFailure`` sorts them.
    /// - Complexity: For an EPUB of any size two or three requests, 100 kB together.
    public static func open(
        path: ProviderPath, of provider: any FileProviderReadWrite, options: OpeningOptions = OpeningOptions()
    ) async throws -> Publication {
        do {
            return try await openFile(path, of: provider, options: options)
        } catch {
            // Ask whether it is a folder only after it failed to open as a file: nearly all books are files.
            guard !error.isCancellation, let item = try? await provider.attributesOfItem(path: path), item.isDirectory
            else { throw error }
            return try await openFolder(path, of: provider, options)
        }
    }

    private static func openFile(
        _ path: ProviderPath, of provider: any FileProviderReadWrite, options: OpeningOptions
    ) async throws -> Publication {
        let content = SniffedContent(
            options.reading(options.logging(try await provider.open(path: path))), limits: options.archiveLimits,
            checkpoints: options.checkpoints,
            nameEncoding: options.zipNameEncoding)
        do {
            let siblings = ProviderFetcher(provider, beside: path)
            let sniffed = try await sniff(content, named: path, options)
            options.recognized(sniffed, path)
            do {
                let asset = try await asset(content, as: sniffed?.mediaType, siblings: siblings, options)
                if let publication = try await make(asset, WarningLog(), options) { return publication }
                throw try await unknown(content, as: sniffed?.mediaType)
            } catch {
                guard let sniffed, sniffed.basis == .hint, (error as? CocoaError)?.mayBeMisnamed == true,
                    let found = try await typeByContent(content, options: options), found != sniffed.mediaType
                else { throw error }
                options.recognized(SniffedType(mediaType: found, basis: .content), path)
                if let publication = try await open(
                    content, as: found, not: sniffed.mediaType, siblings: siblings, options)
                {
                    return publication
                }
                guard found.isAnswer else { throw error }
                throw misnamed(content.path, found: found, not: sniffed.mediaType, cause: error)
            }
        } catch {
            await content.close()
            throw error
        }
    }

    /// Returns the type by content alone; nil if the content does not show it.
    ///
    /// - Complexity: As that of looking into the file, less what was read before.
    private static func typeByContent(_ content: SniffedContent, options: OpeningOptions) async throws -> MediaType? {
        try await ContentErrors.passOver {
            let sniffing = SnifferRun(
                mediaTypes: [], fileExtensions: [], sniffers: options.sniffers, ignoringHints: true)
            return try await sniffing.run(content)?.mediaType
        }
    }

    /// Opens the content as a publication of the type `found`; nil if it is not one.
    private static func open(
        _ content: SniffedContent, as found: MediaType, not claimed: MediaType, siblings: any Fetcher,
        _ options: OpeningOptions
    ) async throws -> Publication? {
        try await ContentErrors.passOver {
            let warnings = WarningLog()
            warnings.warn(
                "wrong-name", severity: .moderate,
                message:
                    "\(shown(content.path)) is \(found.name ?? found.string) and not \(claimed.name ?? claimed.string), as its name or a type given with it says; it was opened as what it is."
            )
            return try await make(asset(content, as: found, siblings: siblings, options), warnings, options)
        }
    }

    /// Returns the error for a page or data that a server sends instead of a book.
    private static func misnamed(_ path: ProviderPath, found: MediaType, not claimed: MediaType, cause: any Error)
        -> CocoaError
    {
        let what = found.isHTML ? "a web page (HTML)" : found.isJSON ? "JSON" : "XML"
        let sentence =
            "\(shown(path)) is \(what) and not \(claimed.name ?? claimed.string); a server may have answered with it instead of the file."
        return FileError.make(.fileReadCorruptFile, path: path, sentence: sentence, underlying: cause)
    }

    private static func shown(_ path: ProviderPath) -> String { path.isRoot ? "The file" : "“\(path.name)”" }

    private static func openFolder(
        _ path: ProviderPath, of provider: any FileProviderReadWrite, _ options: OpeningOptions
    ) async throws -> Publication {
        let archive = try await FolderArchive.open(provider, path: path, limits: options.archiveLimits)
        let content = SniffedContent(archive)
        do {
            let sniffed = try await sniff(content, named: path, options)
            options.recognized(sniffed, path)
            let type = sniffed?.mediaType
            let asset = PublicationAsset(
                path: path, mediaType: type, form: .folder, fetcher: ArchiveFetcher(archive), remote: options.remote())
            if let publication = try await make(asset, WarningLog(), options) { return publication }
            throw try await unknown(content, as: type)
        } catch {
            await content.close()
            throw error
        }
    }

    private static func sniff(_ content: SniffedContent, named path: ProviderPath, _ options: OpeningOptions)
        async throws -> SniffedType?
    {
        let hints = [path.fileExtension].compactMap(\.self)
        let sniffing = SnifferRun(
            mediaTypes: options.mediaTypes, fileExtensions: hints, sniffers: options.sniffers,
            ignoringHints: content.isFolder)
        return try await sniffing.run(content)
    }

    private static func asset(
        _ content: SniffedContent, as type: MediaType?, siblings: any Fetcher, _ options: OpeningOptions
    ) async throws -> PublicationAsset {
        let path = content.path
        if type?.isWholeFile != true, let archive = try await content.archive() {
            return PublicationAsset(
                path: path, mediaType: type, form: .archive, fetcher: ArchiveFetcher(archive), siblings: siblings,
                remote: options.remote(),
                sourceURL: options.sourceURL)
        }
        // The file claims to be a ZIP archive and is not one: opening it gives the reason.
        if type?.isZIP == true { _ = try await ZIPArchive.open(content.reader, limits: options.archiveLimits) }
        return PublicationAsset(
            path: path, mediaType: type, form: .file, fetcher: FileFetcher(content.reader), siblings: siblings,
            remote: options.remote(),
            sourceURL: options.sourceURL)
    }

    /// Opens `asset` with the first parser that accepts it; nil if none does.
    private static func make(
        _ asset: PublicationAsset, _ warnings: WarningLog, _ options: OpeningOptions
    ) async throws -> Publication? {
        for warning in (asset.fetcher as? ArchiveFetcher)?.archive.warnings ?? [] { warnings.warn(warning) }
        var asset = asset
        var protected: ProtectedAsset?
        for known in options.protections + [DetectedProtection()] {
            guard let found = try await known.open(asset, warnings: warnings) else { continue }
            (asset, protected) = (found.asset, found)
            break
        }
        for parser in options.parsers + options.standardParsers {
            guard var builder = try await parser.parse(asset, warnings: warnings) else { continue }
            options.parsed(asset.path, as: asset.mediaType, by: parser, warnings: warnings.all.count)
            options.transform(&builder.manifest, &builder.fetcher)
            protected?.services(&builder.services)
            options.services(&builder.services)
            return Publication(
                manifest: builder.manifest, fetcher: builder.fetcher, mediaType: asset.mediaType,
                protection: protected?.protection ?? builder.protection,
                warnings: warnings.all, contents: builder.contents, cover: builder.cover, services: builder.services)
        }
        return nil
    }

    private static func unknown(_ content: SniffedContent, as type: MediaType?) async throws -> CocoaError {
        let path = content.path
        let isContainer = content.isFolder || type?.isWholeFile == false
        if isContainer, let archive = try? await content.archive() {
            let files = archive.entries.lazy.filter { !$0.isDirectory }.map(\.path)
            if let sentence = BookFiles.severalBooks(files, in: path.string) {
                return FileError.make(.featureUnsupported, path: path, sentence: sentence)
            }
        }
        if content.isFolder {
            let sentence = "“\(path)” is a folder that does not contain an unpacked book."
            return FileError.make(.featureUnsupported, path: path, sentence: sentence, underlying: POSIXError(.EISDIR))
        }
        if let type {
            if let trait = type.missingTrait { return FileError.missing(trait, path: path.string) }
            let sentence = "“\(path)” is \(type.name ?? type.string), which cannot be opened as a book."
            return FileError.make(.featureUnsupported, path: path, sentence: sentence)
        }
        if try await content.isEmpty {
            return FileError.make(.fileReadCorruptFile, path: path, sentence: "“\(path)” is empty.")
        }
        return FileError.make(
            .featureUnsupported, path: path, sentence: "“\(path)” is not a book in a format that Carrel opens.")
    }
}

extension CocoaError {
    /// Whether this may be the error of a file whose name claims another format than it has.
    fileprivate var mayBeMisnamed: Bool { code == .fileReadCorruptFile || code == .featureUnsupported }
}

extension MediaType {
    /// Whether servers use this kind for messages such as error pages.
    fileprivate var isAnswer: Bool { isHTML || isJSON || self == .xml }

    /// Whether a file of this kind is valid whatever bytes it begins and ends with.
    fileprivate var isWholeFile: Bool {
        isJSON || isBitmap || isAudio || isVideo || isHTML || MediaType.pdf.contains(self)
    }

    /// The package trait that opens books of this kind, if this build lacks it.
    fileprivate var missingTrait: MissingTrait? {
        #if Formats
            return nil
        #else
            guard [MediaType.cbr, .cb7, .cbt, .rar, .sevenZip, .tar].contains(self) else { return nil }
            return MissingTrait(name: "Formats", purpose: "opens RAR, 7z and TAR archives")
        #endif
    }
}
