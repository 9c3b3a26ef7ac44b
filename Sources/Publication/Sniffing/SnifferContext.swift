import Archives
public import FileProviderCore
public import Foundation
import MediaTypes
public import SafeXML

extension MediaType {
    /// The hints and, in the second round, the content that a sniffer may inspect.
    ///
    /// Sniffers share it, and each form of the content is made once. The forms are bounded: documents and entries of
    /// archives to 5 MB, an archive's directory by ``/Archives/ArchiveLimits``. ``read(_:)-(FilePart)`` and
    /// ``stream()`` return any bytes, at the sniffer's own cost.
    public final class SnifferContext: Sendable {
        /// The media types given as hints, unchanged.
        public let mediaTypes: [String]
        /// The file extensions given as hints, unchanged.
        public let fileExtensions: [String]
        private let types: [MediaType]
        private let extensions: Set<String>
        private let content: SniffedContent?
        /// Whether a second round with the content will follow; false if there are only hints.
        let contentFollows: Bool

        /// A context of hints alone (`MetadataSnifferContext`).
        public convenience init(mediaTypes: [String] = [], fileExtensions: [String] = []) {
            self.init(mediaTypes: mediaTypes, fileExtensions: fileExtensions, content: nil)
        }

        /// A context with the content of a file (`FileSnifferContext`), which ``close()`` closes.
        public convenience init(mediaTypes: [String] = [], fileExtensions: [String] = [], reader: any FileReader) {
            self.init(mediaTypes: mediaTypes, fileExtensions: fileExtensions, content: SniffedContent(reader))
        }

        /// A context with bytes in memory (`BytesSnifferContext`).
        public convenience init(mediaTypes: [String] = [], fileExtensions: [String] = [], bytes: Data) {
            self.init(
                mediaTypes: mediaTypes, fileExtensions: fileExtensions, content: SniffedContent(DataReader(bytes)))
        }

        init(mediaTypes: [String], fileExtensions: [String], content: SniffedContent?, contentFollows: Bool = false) {
            self.mediaTypes = mediaTypes
            self.fileExtensions = fileExtensions
            types = mediaTypes.compactMap { MediaType($0) }
            extensions = Set(fileExtensions.map(Self.normalised))
            self.content = content
            self.contentFollows = contentFollows
            content?.hint(types)
        }

        private static func normalised(_ fileExtension: String) -> String {
            (fileExtension.hasPrefix(".") ? String(fileExtension.dropFirst()) : fileExtension).lowercased()
        }

        // MARK: Hints

        /// Whether one of `extensions` was given as a hint, whatever its case.
        public func hasFileExtension(_ extensions: String...) -> Bool {
            extensions.contains { self.extensions.contains(Self.normalised($0)) }
        }

        /// Whether a hint is one of `types`; parameters that only the hint has are ignored.
        public func hasMediaType(_ types: String...) -> Bool {
            !self.types.isEmpty
                && types.contains { type in
                    MediaType(type).map { type in self.types.contains { type.contains($0) } } ?? false
                }
        }

        /// Whether a hint is one of `types`; parameters that only the hint has are ignored.
        public func hasMediaType(_ types: MediaType...) -> Bool {
            types.contains { type in self.types.contains { type.contains($0) } }
        }

        /// The first known `charset` among the hints.
        public var encoding: String.Encoding? { types.lazy.compactMap(\.encoding).first }

        // MARK: Bytes

        /// Whether there is content to inspect: false in the first round.
        public var hasContent: Bool { content != nil }

        /// Returns the bytes of `part`; nil in the first round.
        ///
        /// - Throws: The storage's errors; `CocoaError(.fileReadTooLarge)` over 256 MiB.
        /// - Complexity: No request for what was read before, which is at least the last 64 KiB.
        public func read(_ part: FilePart = .whole) async throws -> Data? { try await content?.reader.read(part).data }

        /// Returns the bytes in `range`, clamped to the content, for signatures; nil in the first round.
        ///
        /// - Throws: As ``read(_:)-(FilePart)``.
        public func read(_ range: Range<Int64>) async throws -> Data? { try await read(.range(range)) }

        /// Returns all bytes from the start as they arrive; nil in the first round. Leaving the loop early stops
        /// reading.
        public func stream() -> PumpedBytes? { content?.reader.bytes() }

        /// Closes the content. ``/MediaTypes/MediaType``'s own functions call this; an app closes the contexts that it
        /// made.
        public func close() async { await content?.close() }

        // MARK: Forms of the content

        /// The content as text, up to 5 MB: by its byte order mark, else in the hinted encoding, else as UTF-8, or
        /// UTF-16 if it looks like it. Nil for an archive and for content that is not text.
        public var contentAsString: String? { get async throws { try await content?.text() } }

        /// The content's outermost element; nil if the content is not XML. Complete for well-formed documents of up to
        /// 5 MB.
        ///
        /// Ignores white space and a byte order mark before the declaration, and the case of `<!DOCTYPE`.
        public var contentAsXML: XMLElement? { get async throws { try await content?.xml() } }

        /// The content as JSON, up to 5 MB; nil if it is not JSON. Ignores comments and a comma after the last element.
        public var contentAsJSON: JSONValue? { get async throws { try await content?.json() } }

        /// The content as an archive, also for a folder with an unpacked publication; nil if it is neither or cannot be
        /// listed.
        public var contentAsArchive: (any Archive)? { get async throws { try await content?.anyArchive() } }

        /// The content, or the `manifest.json` of a ZIP archive, as a Readium manifest; nil if it is not one.
        public var contentAsRWPM: Manifest? { get async throws { try await content?.manifest() } }

        /// Whether the content is an archive with an entry at `path`.
        public func containsArchiveEntry(at path: String) async throws -> Bool {
            try await contentAsArchive?.entry(at: path) != nil
        }

        /// Returns the bytes of an entry, up to 5 MB; nil if it does not exist or cannot be read.
        public func readArchiveEntry(at path: String) async throws -> Data? {
            try await content?.entry(path, of: contentAsArchive)
        }

        /// Whether the content is an archive that has files, all of which fulfil `condition`. Folders are skipped.
        public func archiveEntriesAllSatisfy(_ condition: (ArchiveEntry) throws -> Bool) async throws -> Bool {
            let files = try await contentAsArchive?.entries.filter { !$0.isDirectory } ?? []
            return try !files.isEmpty && files.allSatisfy(condition)
        }

        /// Whether the content is a JSON object that has all of `keys`, each with a value other than null; false
        /// without keys.
        public func containsJSONKeys(_ keys: String...) async throws -> Bool {
            guard !keys.isEmpty, let json = try await contentAsJSON else { return false }
            return keys.allSatisfy { json[$0] != nil }
        }
    }
}

/// The same as ``MediaTypes/MediaType/SnifferContext``.
public typealias SnifferContext = MediaType.SnifferContext

// For the built-in sniffers; cheaper than the whole content.
extension SnifferContext {
    /// The archive where it is a ZIP file or a folder.
    var zip: (any Archive)? { get async throws { try await content?.zip() } }

    /// The outermost element without its content.
    var xmlRoot: XMLElement? { get async throws { try await content?.xmlRoot() } }

    /// The first 16 KiB as text.
    var textStart: String? { get async throws { try await content?.textStart() } }

    /// The first 16 KiB; nil in the first round and for ZIP archives.
    var head: Data? {
        get async throws {
            guard let content, try await content.zip() == nil else { return nil }
            return try await content.head()
        }
    }
}
