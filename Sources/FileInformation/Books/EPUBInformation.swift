import FileProviderCore
import Foundation
import Publication

/// Reads document information and covers of EPUB publications from the manifest.
enum EPUBInformation {
    /// - Complexity: Two or three requests, 100 kB together, whatever the size of the book.
    static func properties(_ reader: any FileReader) async throws -> FileProperties {
        let metadata = try await open(reader).metadata
        var properties = FileProperties()
        properties.set("title", text: metadata.title.string)
        properties.set("subtitle", text: metadata.subtitle?.string)
        for role in ContributorRole.allCases {
            properties.set(role.rawValue, texts: (metadata.contributorsByRole[role] ?? []).map(\.name.string))
        }
        properties.set("language", texts: metadata.languages)
        properties.set("identifier", text: metadata.identifier)
        properties.set("published", metadata.published.map { .date($0) })
        properties.set("modified", metadata.modified.map { .date($0) })
        properties.set("subject", texts: metadata.subjects.map(\.name.string))
        properties.set("series", texts: metadata.belongsToSeries.compactMap(\.name?.string))
        properties.set("description", text: metadata.description)
        properties.set("numberOfPages", metadata.numberOfPages.map { .integer(Int64($0)) })
        return properties
    }

    private static func open(_ reader: any FileReader) async throws -> Publication {
        try await EPUBParser().open(ArchiveFetcher(ZIPArchive.open(reader)))
    }
}

#if Formats
    extension EPUBInformation {
        static func thumbnail(_ reader: any FileReader, _ request: ThumbnailRequest) async throws -> Thumbnail {
            guard request.page == 1 else {
                throw FileError.make(
                    .fileReadNoSuchFile, path: reader.path,
                    sentence:
                        "“\(reader.path)” has only its cover, page 1, as a picture; other pages have no thumbnail.")
            }
            guard let cover = try await open(reader).cover(limit: InformationLimits.imageBytes) else {
                throw FileError.make(
                    .fileReadNoSuchFile, path: reader.path, sentence: "“\(reader.path)” names no cover image.")
            }
            if cover.mediaType == MediaType.svg.string {
                throw FileError.make(
                    .featureUnsupported, path: reader.path,
                    sentence: "The cover of “\(reader.path)” is an SVG drawing; thumbnails of SVG are not supported.")
            }
            do {
                return try await ImageInformation.thumbnail(DataReader(cover.data, path: reader.path), request)
            } catch let error
                as CocoaError
            {
                throw Self.aboutCover(error, path: reader.path)
            }
        }

        /// Returns the picture's error as one about the book's cover: the book itself may be intact.
        private static func aboutCover(_ error: CocoaError, path: ProviderPath) -> CocoaError {
            let sentence = error.sentence.replacing("“\(path)”", with: "The cover of “\(path)”", maxReplacements: 1)
            return FileError.make(error.code, path: path, sentence: sentence, underlying: error)
        }
    }
#endif
