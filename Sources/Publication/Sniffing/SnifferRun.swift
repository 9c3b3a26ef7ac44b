import FileProviderCore
import MediaTypes

/// The two rounds: all sniffers with the hints, then all with the content; if neither decides, the tables of known
/// hints.
struct SnifferRun: Sendable {
    var mediaTypes: [String]
    var fileExtensions: [String]
    var sniffers: [MediaType.Sniffer]
    var ignoringHints = false
    var timeLimit = MediaType.sniffingTimeLimit

    /// - Parameter content: Opens the content; called only if the hints don't decide. Nil if there is none.
    func run(content: (@Sendable () async throws -> SniffedContent)?) async throws -> SniffedType? {
        if let sniffed = try await byHints(contentFollows: content != nil) { return sniffed }
        guard let content else { return best }
        return try await bounded {
            let content = try await content()
            do {
                let found = try await judge(content)
                await content.close()
                return found
            } catch {
                await content.close()
                throw error
            }
        }
    }

    /// Does the same for open content, which stays open.
    func run(_ content: SniffedContent) async throws -> SniffedType? {
        if let sniffed = try await byHints(contentFollows: true) { return sniffed }
        return try await bounded { try await judge(content) }
    }

    // MARK: The first round

    /// Returns the type by hints if they suffice: a sniffer's answer, else a known format.
    private func byHints(contentFollows: Bool) async throws -> SniffedType? {
        guard !ignoringHints else { return nil }
        return try await byHints(mediaTypes, fileExtensions, contentFollows: contentFollows)
    }

    private func byHints(_ mediaTypes: [String], _ fileExtensions: [String], contentFollows: Bool) async throws
        -> SniffedType?
    {
        let context = SnifferContext(
            mediaTypes: mediaTypes, fileExtensions: fileExtensions, content: nil, contentFollows: contentFollows)
        if let found = try await ask(context) { return SniffedType(mediaType: found, basis: .hint) }
        let known = Self.known(mediaTypes, fileExtensions).first { !$0.isContainer && !(contentFollows && $0.isComic) }
        return known.map { SniffedType(mediaType: $0, basis: .hint) }
    }

    /// The best type among the hints: a known format, else a known container, else the first media type.
    private var best: SniffedType? {
        let known = Self.known(mediaTypes, fileExtensions)
        let given = mediaTypes.lazy.compactMap { MediaType($0) }.first { $0.essence != MediaType.binary.essence }
        return (known.first { !$0.isContainer } ?? known.first ?? given).map {
            SniffedType(mediaType: $0, basis: .hint)
        }
    }

    /// Returns the hints that the tables know, in their order, except for “just bytes”.
    private static func known(_ mediaTypes: [String], _ fileExtensions: [String]) -> [MediaType] {
        let types =
            mediaTypes.compactMap { MediaType.known($0) }
            + fileExtensions.compactMap { MediaType.known(fileExtension: $0) }
        return types.filter { $0 != .binary }
    }

    // MARK: The second round

    /// The first read also returns the type that the server declares, which is a further hint.
    private func judge(_ content: SniffedContent) async throws -> SniffedType? {
        let zip = try await content.zip()
        let served = [try await content.servedType()].compactMap(\.self)
        if !ignoringHints, let sniffed = try await byHints(served, [], contentFollows: true) { return sniffed }
        content.hint((mediaTypes + served).compactMap { MediaType($0) })
        let context = SnifferContext(
            mediaTypes: ignoringHints ? [] : mediaTypes + served, fileExtensions: ignoringHints ? [] : fileExtensions,
            content: content)
        if let found = try await ask(context) { return SniffedType(mediaType: narrowed(found), basis: .content) }
        let container = try await zip != nil && !content.isFolder ? MediaType.zip : container(content)
        // A format by name beats the container that its content shows; the other way round if hints are ignored.
        let hinted = best
        if let container, ignoringHints || hinted?.mediaType.isContainer != false || hinted?.mediaType.isComic == true {
            return SniffedType(mediaType: narrowed(container), basis: .content)
        }
        return hinted
    }

    /// Returns the kind of the content if no better type is known.
    private func container(_ content: SniffedContent) async throws -> MediaType? {
        if try await content.json() != nil { return .json }
        if try await content.xmlRoot() != nil { return .xml }
        return Signatures.isZIP(try await content.head()) ? .zip : nil
    }

    /// An archive that is named as a comic book is one.
    private func narrowed(_ found: MediaType) -> MediaType {
        guard let comic = Self.comics[found], Self.known(mediaTypes, fileExtensions).contains(where: \.isComic) else {
            return found
        }
        return comic
    }

    private static let comics: [MediaType: MediaType] = [.zip: .cbz, .rar: .cbr, .sevenZip: .cb7, .tar: .cbt]

    // MARK: Asking

    private func ask(_ context: SnifferContext) async throws -> MediaType? {
        for sniffer in sniffers {
            if let found = try await sniffer(context) { return found }
        }
        return nil
    }

    /// Returns the result of `body` within the time; after that cancels it, waits for it, and uses the hints.
    private func bounded(_ body: @escaping @Sendable () async throws -> SniffedType?) async throws -> SniffedType? {
        enum Outcome: Sendable {
            case found(SniffedType?)
            case late
        }
        return try await withThrowingTaskGroup(of: Outcome.self) { group in
            group.addTask { .found(try await body()) }
            group.addTask { [timeLimit] in
                try await Task.sleep(for: timeLimit)
                return .late
            }
            let first = try await group.next()
            group.cancelAll()
            if case .found(let found) = first { return found }
            return best
        }
    }
}

extension SnifferRun {
    /// With hints of which some may be nil.
    init(_ mediaTypes: [String?], _ fileExtensions: [String?], _ sniffers: [MediaType.Sniffer]) {
        self.init(
            mediaTypes: mediaTypes.compactMap(\.self), fileExtensions: fileExtensions.compactMap(\.self),
            sniffers: sniffers)
    }
}

extension MediaType {
    private static let containers: Set<MediaType> = [.binary, .zip, .gz, .json, .xml, .text, .rar, .sevenZip, .tar]
    private static let comics: Set<MediaType> = [.cbz, .cbr, .cb7, .cbt]

    /// Whether this kind contains many formats and says little about a file.
    fileprivate var isContainer: Bool { Self.containers.contains(self) }

    /// Whether it is a comic in some kind of archive: their names are often mixed up.
    fileprivate var isComic: Bool { Self.comics.contains(self) }
}
