public import FileProviderCore
public import Foundation

extension MediaType {
    /// Tells what a file is from hints, or from its content; nil when it is something else.
    public typealias Sniffer = @Sendable (_ context: SnifferContext) async throws -> MediaType?

    /// The sniffers that are used where none are given: the default ones, and what an app adds. Safe to change from any thread.
    public static let sniffers = SnifferList(Sniffers.all)

    /// What the hints say, in two tries: the sniffers', then the tables of known types and extensions.
    ///
    /// - Complexity: Nothing is read.
    public static func of(
        mediaTypes: [String] = [], fileExtensions: [String] = [], sniffers: [Sniffer] = MediaType.sniffers.all
    ) async throws -> MediaType? {
        try await Sniffing(mediaTypes: mediaTypes, fileExtensions: fileExtensions, sniffers: sniffers).run(content: nil)?.mediaType
    }

    /// What the bytes are that `bytes` gives, asked for only when the hints do not tell.
    public static func of(
        bytes: @escaping @Sendable () async throws -> Data, mediaTypes: [String] = [], fileExtensions: [String] = [],
        sniffers: [Sniffer] = MediaType.sniffers.all
    ) async throws -> MediaType? {
        try await Sniffing(mediaTypes: mediaTypes, fileExtensions: fileExtensions, sniffers: sniffers).run {
            SniffedContent(MemoryReader(try await bytes()))
        }?.mediaType
    }

    /// What the file at `path` is: by hints, its name among them, else by looking inside.
    ///
    /// - Parameter ignoringHints: Whether the content alone decides; hints stand in only where it tells nothing.
    /// - Throws: The provider's errors, such as that there is no such file; hints alone find out nothing about that.
    /// - Complexity: No request when the hints tell. One for an archive, at most two of 80 KiB together for any large file.
    public static func sniff(
        path: ProviderPath, of provider: any FileProviderReadWrite, mediaTypes: [String] = [], fileExtensions: [String] = [],
        sniffers: [Sniffer] = MediaType.sniffers.all, ignoringHints: Bool = false
    ) async throws -> Sniffed? {
        let sniffing = Sniffing(
            mediaTypes: mediaTypes, fileExtensions: fileExtensions + [path.fileExtension].compactMap(\.self), sniffers: sniffers,
            ignoringHints: ignoringHints)
        return try await sniffing.run { SniffedContent(try await provider.open(path: path)) }
    }
}

/// A media type, and what told it.
public struct Sniffed: Sendable, Hashable {
    /// What a media type was told by.
    public enum Basis: String, Sendable, Hashable {
        /// A media type that the caller or the server gave, or a file extension; never the bytes.
        case hint
        /// The bytes, whatever the file is called.
        case content
    }

    /// With name and file extension where the format is known; a hint that nobody knows is here as it was given.
    public let mediaType: MediaType
    /// ``Basis/hint`` also where the content was looked at and told nothing.
    public let basis: Basis

    /// An answer put together by a program; nothing is checked.
    public init(mediaType: MediaType, basis: Basis) {
        self.mediaType = mediaType
        self.basis = basis
    }
}

/// An ordered list of sniffers that may change while others read it.
public final class SnifferList: Sendable {
    private let list: Locked<[MediaType.Sniffer]>

    /// A list that is asked in the order of `sniffers`; the first answer counts.
    public init(_ sniffers: [MediaType.Sniffer]) {
        list = Locked(sniffers)
    }

    /// The sniffers, in the order in which they are asked. Assigning replaces them all; ``add(_:)`` loses nobody else's.
    public var all: [MediaType.Sniffer] {
        get { list.value }
        set { list.update { $0 = newValue } }
    }

    /// Adds a sniffer, asked after the others.
    public func add(_ sniffer: @escaping MediaType.Sniffer) { list.update { $0.append(sniffer) } }

    /// The sniffers of the list, and then others.
    public static func + (list: SnifferList, others: [MediaType.Sniffer]) -> [MediaType.Sniffer] { list.all + others }
}

/// The two rounds: all sniffers with the hints, then all with the content; tables of known hints last.
struct Sniffing {
    var mediaTypes: [String]
    var fileExtensions: [String]
    var sniffers: [MediaType.Sniffer]
    var ignoringHints = false

    /// - Parameter content: Opens the content, called only when the hints do not tell; nil where there is none.
    func run(content: (() async throws -> SniffedContent)?) async throws -> Sniffed? {
        if !ignoringHints, let found = try await ask(SnifferContext(mediaTypes: mediaTypes, fileExtensions: fileExtensions)) {
            return Sniffed(mediaType: found, basis: .hint)
        }
        guard let content = try await content?() else { return known() }
        do {
            let found = try await look(into: content)
            await content.reader.close()
            return found
        } catch {
            await content.reader.close()
            throw error
        }
    }

    /// The second round. The first read also brings the server's own word for the type, which is a hint like the others.
    func look(into content: SniffedContent) async throws -> Sniffed? {
        let isArchive = try await content.archive() != nil
        let served = try await content.reader.attributes().mimeType
        if !ignoringHints, let served, let found = try await ask(SnifferContext(mediaTypes: [served])) {
            return Sniffed(mediaType: found, basis: .hint)
        }
        // Without the hints: they had their say, and a sniffer must not answer with one of them what it did not find inside.
        if let found = try await ask(SnifferContext(mediaTypes: [], fileExtensions: [], content: content)) {
            return Sniffed(mediaType: found, basis: .content)
        }
        if let known = known() { return known }
        if isArchive { return Sniffed(mediaType: .zip, basis: .content) }
        if try await content.json() != nil { return Sniffed(mediaType: .json, basis: .content) }
        if try await content.xmlRoot() != nil { return Sniffed(mediaType: .xml, basis: .content) }
        return nil
    }

    private func ask(_ context: SnifferContext) async throws -> MediaType? {
        for sniffer in sniffers {
            if let found = try await sniffer(context) { return found }
        }
        return nil
    }

    /// What the tables know of a hint, else the first hint that is a media type and says anything.
    private func known() -> Sniffed? {
        let types = mediaTypes.compactMap { MediaType($0) }.filter { $0 != .binary }
        let found =
            types.lazy.compactMap { MediaType.known($0) }.first
            ?? fileExtensions.lazy.compactMap { MediaType.known(fileExtension: $0) }.first ?? types.first
        return found.map { Sniffed(mediaType: $0, basis: .hint) }
    }
}

/// Bytes in memory as a file, for what has no provider.
final class MemoryReader: FileReader {
    let path = ProviderPath.root
    let cost = Capabilities.ReadCost.local
    private let data: Data

    init(_ data: Data) {
        self.data = data
    }

    func attributes() async throws -> FileReaderAttributes { FileReaderAttributes(size: Int64(data.count)) }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        let range = part.resolved(size: Int64(data.count))
        let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: Int64(data.count))
        try sink.begin(extent)
        let bytes = data.dropFirst(Int(range.lowerBound)).prefix(range.count)
        if !bytes.isEmpty { try await sink.send(bytes) }
        return extent
    }
}
