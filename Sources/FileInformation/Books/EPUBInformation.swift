import FileProviderCore
import Foundation
import Publication

/// Document information and covers of EPUB publications, by the manifest.
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
        let fetcher = ArchiveFetcher(try await ZIPArchive.open(reader))
        do { return Publication(manifest: try await EPUBParser().parse(fetcher: fetcher), fetcher: fetcher) } catch {
            throw (error as? ResourceError)?.cause ?? error
        }
    }
}

#if FileInformation
    extension EPUBInformation {
        static func thumbnail(_ reader: any FileReader, _ request: ThumbnailRequest) async throws -> Thumbnail {
            guard request.page == 1 else {
                throw FileError.make(
                    .fileReadNoSuchFile, path: reader.path,
                    sentence: "“\(reader.path)” has its cover as page 1; other pages are not made of pixels.")
            }
            let publication = try await open(reader)
            guard let link = publication.coverLink else {
                throw FileError.make(.fileReadNoSuchFile, path: reader.path, sentence: "“\(reader.path)” names no cover image.")
            }
            let cover = publication.get(link)
            let sink = DataSink(limit: InformationLimits.imageBytes)
            do {
                let size = try await cover.length()
                guard size <= Int64(InformationLimits.imageBytes) else {
                    throw ResourceError.other(
                        reader.tooLarge("its cover has \(size) bytes; at most \(InformationLimits.imageBytes) are read"))
                }
                try await cover.stream(nil, into: sink)
            } catch let error as ResourceError { throw error.cause }
            return try await ImageInformation.thumbnail(DataReader(sink.data, path: reader.path), request)
        }
    }
#endif
