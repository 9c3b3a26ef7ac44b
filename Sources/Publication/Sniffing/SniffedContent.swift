import Archives
import FileProviderCore
import Foundation
import MediaTypes
import SafeXML

/// The content of one file in the forms that sniffers use. Each form is made once, however many sniffers and rounds
/// need it.
///
/// Reads as little of a remote file as possible: its end, which identifies an archive; its start, if it is not one; all
/// of it only if it begins as JSON and is small.
final class SniffedContent: Sendable {
    /// The largest document or entry that is read as a whole, in bytes.
    static let maxDocumentSize: Int64 = 5_000_000
    /// How much of a file's start is inspected, in bytes.
    static let headLength: Int64 = 16 << 10
    /// The largest file, in bytes, that is searched for entries if it begins as a ZIP archive and does not end as one.
    static let maxDamagedArchiveSize: Int64 = 64 << 20

    /// The file; nil for a folder.
    let file: CachedFileReader?
    let path: ProviderPath
    private let folder: FolderArchive?
    private let limits: ArchiveLimits
    private let checkpoints: (any CheckpointStore)?
    private let nameEncoding: String?
    private let opened = LazyValue<(any Archive)?>()
    private let zipped = LazyValue<(any Archive)?>()
    private let start = LazyValue<Data>()
    private let root = LazyValue<XMLElement?>()
    private let document = LazyValue<XMLElement?>()
    private let parsed = LazyValue<JSONValue?>()
    private let readium = LazyValue<Manifest?>()
    /// The encoding in the hints; set before the content is inspected.
    private let charset: LockedValue<MediaType?>

    init(
        _ base: any FileReader, limits: ArchiveLimits = .sniffing, checkpoints: (any CheckpointStore)? = nil,
        nameEncoding: String? = nil
    ) {
        file = CachedFileReader(base)
        path = base.path
        folder = nil
        self.limits = limits
        self.checkpoints = checkpoints
        self.nameEncoding = nameEncoding
        charset = LockedValue(nil)
    }

    /// A folder's content, listed as an archive's is.
    init(_ folder: FolderArchive) {
        file = nil
        path = folder.path
        self.folder = folder
        limits = .standard
        checkpoints = nil
        nameEncoding = nil
        charset = LockedValue(nil)
    }

    /// Reads the bytes; empty for a folder.
    var reader: any FileReader { file ?? DataReader(Data()) }

    /// Whether it is a folder's.
    var isFolder: Bool { file == nil }

    /// Whether the content is empty.
    var isEmpty: Bool {
        get async throws {
            if let file { return try await file.attributes().size == 0 }
            return folder?.entries.isEmpty ?? true
        }
    }

    /// Returns the type that the server declares; after the first read.
    func servedType() async throws -> String? { try await file?.attributes().mimeType }

    /// Takes the first hint that has a `charset`.
    func hint(_ types: [MediaType]) { charset.update { $0 = $0 ?? types.first { $0.encoding != nil } } }

    /// Closes the file or archive.
    func close() async {
        if let archive = opened.known ?? folder { await archive.close() }
        await file?.close()
    }

    // MARK: Archives

    /// Returns the archive; nil if the content is not one, or too damaged to be listed.
    func archive() async throws -> (any Archive)? {
        if let folder { return folder }
        guard let file else { return nil }
        return try await opened.value { [limits, checkpoints, nameEncoding] in
            let archive = try await ArchiveOpener.open(file, limits: limits, checkpoints: checkpoints)
            guard let zip = archive as? ZIPArchive else { return archive }
            return try await ZIPNames.decide(zip, assuming: nameEncoding)
        }
    }

    /// Returns the archive if it is a ZIP file or a folder, the kinds that distinguish formats. Nil also if it cannot
    /// be listed.
    ///
    /// - Complexity: One request for the end of the file; a second one if that does not decide.
    func zip() async throws -> (any Archive)? {
        if let folder { return folder }
        return try await zipped.value { [self] in
            guard try await mayBeZIP() else { return nil }
            let archive = try await ContentErrors.passOver { try await self.archive() }
            guard let zip = archive as? ZIPArchive, try await !startsAnotherFormat(zip) else { return nil }
            return zip
        }
    }

    /// Returns the archive, of any kind that can be listed.
    func anyArchive() async throws -> (any Archive)? {
        if let zip = try await zip() { return zip }
        guard let type = Signatures.archive(try await head()), [MediaType.rar, .sevenZip, .tar, .gz].contains(type)
        else { return nil }
        return try await ContentErrors.passOver { try await self.archive() }
    }

    private func mayBeZIP() async throws -> Bool {
        guard let file else { return false }
        // Reads all at once if the size costs no request.
        if file.cost.roundTripsToOpen == 0 { _ = try await file.attributes() }
        let (tail, extent) = try await file.tail(ZIPArchive.tailLength)
        if tail.withUnsafeBytes({ !DirectoryEnd.candidates(in: $0, at: extent.offset).isEmpty }) { return true }
        return extent.size <= Self.maxDamagedArchiveSize ? Signatures.isZIP(try await head()) : false
    }

    /// A file of another format may end in a ZIP archive: the last file of a TAR archive, or an attachment of a
    /// picture.
    private func startsAnotherFormat(_ archive: ZIPArchive) async throws -> Bool {
        let entries = archive.directory.entries
        if entries.contains(where: { $0.headerOffset == 0 }) { return false }
        let head = try await head()
        // The end of an empty archive is 22 nearly empty bytes, which occur by chance.
        if entries.isEmpty { return !Signatures.isZIP(head) }
        return Signatures.isPDF(head) || Signatures.any(head) != nil
    }

    /// Returns an entry of up to ``maxDocumentSize`` bytes.
    func entry(_ path: String, of archive: (any Archive)?) async throws -> Data? {
        guard let archive, let entry = archive.entry(at: path), !entry.isDirectory, entry.length <= Self.maxDocumentSize
        else { return nil }
        return try await ContentErrors.passOver { try await archive.read(entry) }
    }

    // MARK: Documents

    /// The first bytes.
    func head() async throws -> Data {
        guard let file else { return Data() }
        return try await start.value { try await file.read([0..<Self.headLength])[0] }
    }

    /// Returns the first bytes; none for an archive, which its end identified.
    private func documentHead() async throws -> Data { try await zip() == nil ? head() : Data() }

    /// All bytes; nil over ``maxDocumentSize`` and for an archive.
    private func whole() async throws -> Data? {
        guard let file, try await zip() == nil, try await file.attributes().size <= Self.maxDocumentSize else {
            return nil
        }
        return try await file.read(.whole).data
    }

    /// The first bytes as text.
    func textStart() async throws -> String? {
        TextStart.decode(try await documentHead(), as: charset.value?.encoding)
    }

    /// All of it as text.
    func text() async throws -> String? {
        guard let data = try await whole() else { return nil }
        return TextStart.decode(data, as: charset.value?.encoding)
    }

    /// Returns the outermost element without its content.
    func xmlRoot() async throws -> XMLElement? {
        try await root.value { [self] in
            let head = try await documentHead()
            guard TextStart.firstCharacter(of: head) == UInt8(ascii: "<") else { return nil }
            return XMLRootFinder.root(of: head, encoding: charset.value?.parameters["charset"])
        }
    }

    /// Returns the outermost element, with its content if the document is complete and well-formed.
    func xml() async throws -> XMLElement? {
        try await document.value { [self] in
            guard let root = try await xmlRoot(), let data = try await whole() else { return try await xmlRoot() }
            return (try? XMLElement.parse(data)) ?? root
        }
    }

    func json() async throws -> JSONValue? {
        try await parsed.value { [self] in
            guard let first = TextStart.firstCharacter(of: try await documentHead()), "{[/".utf8.contains(first) else {
                return nil
            }
            guard let data = try await whole() else { return nil }
            return JSONValue(lenient: data, encoding: charset.value?.encoding, maximumSize: Int(Self.maxDocumentSize))
        }
    }

    /// Returns the content, or the archive's `manifest.json`, as a Readium manifest.
    func manifest() async throws -> Manifest? {
        try await readium.value { [self] in
            guard let archive = try await zip() else { return try await json().flatMap { try? Manifest(json: $0) } }
            guard let data = try await entry("manifest.json", of: archive) else { return nil }
            let json = JSONValue(lenient: data, maximumSize: Int(Self.maxDocumentSize))
            return json.flatMap { try? Manifest(json: $0) }
        }
    }
}

/// Errors about the content and not the storage: to a sniffer they mean that the content is not of its format.
enum ContentErrors {
    private static let codes: [CocoaError.Code] = [
        .fileReadCorruptFile, .featureUnsupported, .fileReadTooLarge, .fileReadNoPermission,
        .fileReadInapplicableStringEncoding,
    ]

    /// Whether `error` is about a file's content. Missing permission has a cause if the storage refused it, and none if
    /// an entry is encrypted.
    static func isOne(_ error: CocoaError) -> Bool {
        codes.contains(error.code) && (error.code != .fileReadNoPermission || error.underlying == nil)
    }

    static func passOver<Value>(_ body: () async throws -> Value?) async throws -> Value? {
        do { return try await body() } catch let error as CocoaError where isOne(error) { return nil }
    }
}
