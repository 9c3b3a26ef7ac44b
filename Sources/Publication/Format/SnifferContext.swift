public import FileProviderCore
public import Foundation
public import SafeXML

/// What a sniffer may look at: hints, and in the second round the content.
///
/// Sniffers share it, and each form of the content is made once. Of a remote file as little is read as can be: its end, which tells an
/// archive; its start, if it is none; all of it only where it looks like JSON and is small.
public final class SnifferContext: Sendable {
    private let mediaTypes: [MediaType]
    private let fileExtensions: Set<String>
    private let content: SniffedContent?

    /// A context of hints alone.
    public convenience init(mediaTypes: [String] = [], fileExtensions: [String] = []) {
        self.init(mediaTypes: mediaTypes, fileExtensions: fileExtensions, content: nil)
    }

    /// A context with content.
    public convenience init(mediaTypes: [String] = [], fileExtensions: [String] = [], reader: any FileReader) {
        self.init(mediaTypes: mediaTypes, fileExtensions: fileExtensions, content: SniffedContent(reader))
    }

    init(mediaTypes: [String], fileExtensions: [String], content: SniffedContent?) {
        self.mediaTypes = mediaTypes.compactMap { MediaType($0) }
        self.fileExtensions = Set(fileExtensions.map { $0.lowercased() })
        self.content = content
    }

    /// Whether there is content to look at: false in the first round.
    public var hasContent: Bool { content != nil }

    /// Whether one of `extensions` was given as a hint, whatever its case.
    public func hasFileExtension(_ extensions: String...) -> Bool { extensions.contains { fileExtensions.contains($0.lowercased()) } }

    /// Whether a hint is one of `types`; parameters that only the hint has don't matter.
    public func hasMediaType(_ types: String...) -> Bool {
        types.contains { type in MediaType(type).map { type in mediaTypes.contains { type.contains($0) } } ?? false }
    }

    /// Whether a hint is one of `types`; parameters that only the hint has don't matter.
    public func hasMediaType(_ types: MediaType...) -> Bool { types.contains { type in mediaTypes.contains { type.contains($0) } } }

    /// The first `charset` among the hints.
    public var encoding: String.Encoding? { mediaTypes.lazy.compactMap(\.encoding).first }

    /// Bytes of the content; nil in the first round.
    public func read(_ part: FilePart) async throws -> Data? { try await content?.reader.read(part).data }

    /// The start of the content as text in the hinted encoding, else UTF-8; nil for what is an archive or no text.
    public func contentAsString() async throws -> String? {
        guard let head = try await content?.head() else { return nil }
        // The cut may go through a character.
        return (0...3).lazy.compactMap { String(data: head.dropLast($0), encoding: self.encoding ?? .utf8) }.first
    }

    /// The outermost element, without what is in it; nil when the content is no XML.
    public func contentAsXML() async throws -> XMLElement? { try await content?.xmlRoot() }

    /// The content as JSON, of files up to 5 MB; nil when it is none.
    public func contentAsJSON() async throws -> JSONValue? { try await content?.json() }

    /// The content as a ZIP archive; nil when it is none.
    public func contentAsArchive() async throws -> ZIPArchive? { try await content?.archive() }

    /// The content, or the archive's `manifest.json`, as a Readium manifest; nil when it is none.
    public func contentAsRWPM() async throws -> Manifest? { try await content?.manifest() }

    /// Whether the content is an archive with an entry at `path`.
    public func containsArchiveEntry(_ path: String) async throws -> Bool { try await contentAsArchive()?.directory.entry(at: path) != nil }

    /// The bytes of a small entry, 5 MB at most; nil when there is none.
    public func readArchiveEntry(_ path: String) async throws -> Data? { try await content?.entry(path) }
}

/// The content of one file in the forms that sniffers ask for, each made once.
actor SniffedContent {
    /// JSON is read whole up to here, in bytes.
    static let largestDocument: Int64 = 5_000_000
    private static let headLength: Int64 = 16 << 10

    nonisolated let reader: CachedFileReader
    private var archiveTask: Task<ZIPArchive?, any Error>?
    private var jsonTask: Task<JSONValue?, any Error>?
    private var manifestTask: Task<Manifest?, any Error>?

    init(_ base: any FileReader) {
        reader = CachedFileReader(base)
    }

    /// The archive; nil when the content is none, or one too damaged to be listed.
    func archive() async throws -> ZIPArchive? {
        let task =
            archiveTask
            ?? Task { [reader] in
                do { return try await ZIPArchive.open(reader) } catch let error as CocoaError where error.code == .fileReadCorruptFile {
                    return nil
                }
            }
        archiveTask = task
        return try await task.sharedValue()
    }

    /// The first bytes; nil for an archive, of which its end said everything.
    func head() async throws -> Data? {
        if try await archive() != nil { return nil }
        return try await reader.read(.range(0..<Self.headLength)).data
    }

    func xmlRoot() async throws -> XMLElement? {
        guard let head = try await head(), XMLRootFinder.mayBeXML(head) else { return nil }
        return XMLRootFinder.root(of: head)
    }

    func json() async throws -> JSONValue? {
        let task = jsonTask ?? Task { try await readJSON() }
        jsonTask = task
        return try await task.sharedValue()
    }

    private func readJSON() async throws -> JSONValue? {
        guard let head = try await head(), Self.looksLikeJSON(head) else { return nil }
        guard try await reader.attributes().size <= Self.largestDocument else { return nil }
        let data = try await reader.read(.whole).data
        return try? JSONValue(data: data, maximumSize: Int(Self.largestDocument))
    }

    private static func looksLikeJSON(_ head: Data) -> Bool {
        let start = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head
        return start.first { !" \t\r\n".utf8.contains($0) }.map { "{[".utf8.contains($0) } ?? false
    }

    func manifest() async throws -> Manifest? {
        let task = manifestTask ?? Task { try await readManifest() }
        manifestTask = task
        return try await task.sharedValue()
    }

    private func readManifest() async throws -> Manifest? {
        if let data = try await entry("manifest.json") { return try? Manifest(data: data) }
        return try await json().flatMap { try? Manifest(json: $0) }
    }

    func entry(_ path: String) async throws -> Data? {
        guard let archive = try await archive(), let entry = archive.directory.entry(at: path),
            entry.uncompressedSize <= Self.largestDocument
        else { return nil }
        return try await archive.read(entry)
    }
}

/// Finds the outermost element in the first bytes of a document.
private final class XMLRootFinder: XMLEventHandler {
    private struct Found: Error {}

    private var root: XMLElement?

    static func mayBeXML(_ head: Data) -> Bool {
        // Text in UTF-8 with or without its mark, or UTF-16, whose first character other than space is "<".
        let significant = head.prefix(512).first { ![0, 9, 10, 13, 32, 0xEF, 0xBB, 0xBF, 0xFE, 0xFF].contains($0) }
        return significant == UInt8(ascii: "<")
    }

    static func root(of head: Data) -> XMLElement? {
        let finder = XMLRootFinder()
        do {
            let parser = try XMLEventParser(handler: finder)
            try parser.parse(head)
            try parser.finish()
        } catch {
            // The parser stops at the root, at what is not well-formed before it, or at the end of these bytes: all the same here.
        }
        return finder.root
    }

    func start(element: String, namespace: String, attributes: [XMLAttribute]) throws {
        root = XMLElement(name: element, namespace: namespace, attributes: attributes)
        throw Found()
    }
}
