public import FileProviderCore
import Foundation

extension Publication {
    /// Opens the book at `path` where it lies: the format is found, its manifest made, and nothing else read.
    ///
    /// - Parameters:
    ///   - mediaTypes: Hints, such as what a database or a server says of the file.
    ///   - sniffers: What tells formats, for hints and content alike.
    /// - Throws: The provider's errors; `CocoaError(.fileReadCorruptFile)` for what is no book or a damaged one;
    ///   `CocoaError(.featureUnsupported)` for a format that is known and cannot be opened.
    /// - Complexity: For an EPUB of any size two or three requests, 100 kB together.
    public static func open(
        path: ProviderPath, of provider: any FileProviderReadWrite, mediaTypes: [String] = [],
        sniffers: [MediaType.Sniffer] = MediaType.sniffers.all
    ) async throws -> Publication {
        let content = SniffedContent(try await provider.open(path: path))
        do {
            let sniffing = Sniffing(mediaTypes: mediaTypes, fileExtensions: [path.fileExtension].compactMap(\.self), sniffers: sniffers)
            var type = try await sniffing.run(content: nil)
            if type == nil { type = try await sniffing.look(into: content) }
            return try await open(content, as: type?.mediaType, at: path)
        } catch {
            await content.reader.close()
            throw error
        }
    }

    private static func open(_ content: SniffedContent, as type: MediaType?, at path: ProviderPath) async throws -> Publication {
        switch type {
        case MediaType.epub:
            let fetcher = ArchiveFetcher(try await ZIPArchive.open(content.reader))
            return Publication(manifest: try await EPUBParser().parse(fetcher: fetcher), fetcher: fetcher)
        case nil where try await content.reader.attributes().size == 0:
            throw FileError.make(.fileReadCorruptFile, path: path, sentence: "“\(path)” is empty.")
        case nil:
            throw FileError.make(.fileReadCorruptFile, path: path, sentence: "“\(path)” is no book in a format that is known here.")
        case let type?:
            throw FileError.make(
                .featureUnsupported, path: path, sentence: "“\(path)” is \(type.name ?? type.string), which cannot be opened as a book.")
        }
    }
}
