import FileProviderCore
import Foundation
import Publication

/// Comic books: ZIP archives of pictures, one for each page (CBZ).
enum ComicInformation {
    /// - Complexity: One request; two if the archive has more than about 900 entries.
    static func properties(_ reader: any FileReader) async throws -> FileProperties {
        let count = pages(of: try await ZIPArchive.open(reader)).count
        var properties = FileProperties()
        properties.set("numberOfPages", .integer(Int64(count)))
        return properties
    }

    /// Returns the pictures in reading order: by name, numbers by their value. Leaves out files that systems add to
    /// archives.
    static func pages(of archive: ZIPArchive) -> [ZIPEntry] {
        let pictures = archive.directory.entries.filter { entry in
            guard let name = entry.fileExtension?.lowercased(), !Litter.contains(entry.path) else { return false }
            return ["jpg", "jpeg", "png", "webp", "gif"].contains(name)
        }
        return pictures.map { (entry: $0, key: NaturalKey($0.path)) }.sorted { $0.key < $1.key }.map(\.entry)
    }
}

/// A sort key for names: `page 2` before `page 10`, whatever the case.
struct NaturalKey: Comparable {
    private enum Part: Comparable {
        /// Without leading zeros: the longer one is the larger one.
        case number(digits: Int, text: String)
        case text(String)
    }

    private let parts: [Part]
    private let name: String

    init(_ name: String) {
        self.name = name
        var parts: [Part] = []
        var rest = name.lowercased()[...]
        while let first = rest.first {
            let isNumber = first.isASCII && first.isNumber
            let run = rest.prefix { ($0.isASCII && $0.isNumber) == isNumber }
            rest = rest[run.endIndex...]
            let digits = run.drop { $0 == "0" }
            parts.append(isNumber ? .number(digits: digits.count, text: String(digits)) : .text(String(run)))
        }
        self.parts = parts
    }

    static func < (one: NaturalKey, other: NaturalKey) -> Bool {
        for (mine, theirs) in zip(one.parts, other.parts) where mine != theirs { return mine < theirs }
        return one.parts.count == other.parts.count ? one.name < other.name : one.parts.count < other.parts.count
    }
}

#if Formats
    extension ComicInformation {
        static func thumbnail(_ reader: any FileReader, _ request: ThumbnailRequest) async throws -> Thumbnail {
            let archive = try await ZIPArchive.open(reader)
            let pages = pages(of: archive)
            guard pages.indices.contains(request.page &- 1) else {
                throw FileError.make(
                    .fileReadNoSuchFile, path: reader.path,
                    sentence: "“\(reader.path)” has no page \(request.page); it has \(pages.count)."
                )
            }
            let page = pages[request.page - 1]
            guard page.uncompressedSize <= Int64(InformationLimits.imageBytes) else {
                throw reader.tooLarge(
                    "page \(request.page) has \(page.uncompressedSize) bytes; at most \(InformationLimits.imageBytes) can be read"
                )
            }
            let sink = DataSink(limit: InformationLimits.imageBytes)
            try await archive.stream(page, into: sink)
            return try await ImageInformation.thumbnail(
                DataReader(sink.data, path: reader.path), ThumbnailRequest(dimension: request.dimension))
        }
    }
#endif
