import Archives
import FileProviderCore
import Foundation
import MediaTags
import MediaTypes

/// The picture in a sound file as the only resource. Nothing is read before the first access.
final class EmbeddedCover: Fetcher {
    /// The link to the picture, with the relation `cover`.
    let link: Link
    private let picture: MediaPicture
    private let file: Link
    private let base: any Fetcher

    /// - Parameters:
    ///   - track: A track with a picture.
    ///   - names: The names that the publication's resources have in its root, in lower case.
    ///   - base: The fetcher that `track` is from. It is not closed with this fetcher.
    init?(of track: AudioTrack, besides names: Set<String>, base: any Fetcher) {
        guard let picture = track.description.cover else { return nil }
        self.picture = picture
        self.base = base
        file = track.file.link
        let type = picture.mediaType.flatMap { MediaType.known($0) } ?? .jpeg
        let fileExtension = type == .jpeg ? "jpg" : type.fileExtension ?? "jpg"
        let stems = ["cover"] + (2...100).map { "cover-\($0)" }
        let name =
            stems.lazy.map { "\($0).\(fileExtension)" }.first { !names.contains($0) }
            ?? "cover-of-the-sound.\(fileExtension)"
        var link = Link(href: name, type: type.string, rels: ["cover"])
        switch picture.content {
        case .range(let range): link.size = Int64(range.count)
        case .bytes(let data): link.size = Int64(data.count)
        }
        self.link = link
    }

    /// Whether `link` leads to the picture.
    func accepts(_ link: Link) -> Bool { HREF.candidates(link.href).contains(self.link.href) }

    func links() async throws -> [Link] { [link] }

    func get(_ link: Link) -> any Resource {
        guard accepts(link) else {
            return FailureResource(link, error: FileError.make(.fileReadNoSuchFile, path: link.href))
        }
        switch picture.content {
        case .bytes(let data): return BytesResource(link, data: data)
        case .range(let range): return PartResource(link, range: range, of: base.get(file))
        }
    }
}

/// A part of another resource.
private final class PartResource: Resource {
    let link: Link
    private let range: Range<Int64>
    private let whole: any Resource

    init(_ link: Link, range: Range<Int64>, of whole: any Resource) {
        self.link = link
        self.range = range
        self.whole = whole
    }

    func length() async throws -> Int64 { Int64(range.count) }

    func validator() async throws -> ResourceValidator? {
        try await whole.validator().map { ResourceValidator(length: Int64(range.count), tag: $0.tag) }
    }

    func stream(_ part: Range<Int64>?, into sink: any ByteSink) async throws {
        let size = Int64(range.count)
        let part = (part ?? 0..<size).clamped(to: 0..<size)
        try sink.begin(FileExtent(offset: part.lowerBound, count: Int64(part.count), size: size))
        guard !part.isEmpty else { return }
        let bounds = range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound
        try await whole.stream(bounds, into: TappedSink(sink, isAnnounced: true))
    }

    func close() async { await whole.close() }
}
