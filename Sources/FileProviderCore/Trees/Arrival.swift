public import Foundation

/// The numbers behind the error of a file that is not what its listing said.
public struct UnexpectedFile: Error, Sendable, Hashable {
    /// Bytes that the storage listed; nil if it listed no size.
    public var listed: Int64?
    /// Bytes that a read delivered.
    public var arrived: Int64
    /// The location that answered, if the server redirected the read: often a login page.
    public var redirectedTo: URL?
}

extension FileError {
    /// A read delivered another file than the storage lists.
    public static func notAsListed(_ path: ProviderPath, file: UnexpectedFile, url: URL? = nil) -> CocoaError {
        let listed = file.listed.map { "the storage lists \($0)" } ?? "the storage lists another version"
        var sentence = "“\(path)” arrived with \(file.arrived) bytes; \(listed)."
        if let location = file.redirectedTo {
            sentence += " The read was redirected to \(location.absoluteString): is a login page in the way?"
        }
        return make(.fileReadCorruptFile, path: path, url: url, sentence: sentence, underlying: file)
    }

    /// A read ended before the end of the file.
    public static func endedEarly(_ path: ProviderPath, after count: Int64, of size: Int64, url: URL? = nil)
        -> CocoaError
    {
        make(.fileReadCorruptFile, path: path, url: url, sentence: "“\(path)” ended after \(count) of \(size) bytes.")
    }
}

extension FileProviderReadWrite {
    /// Compares the file that `reader` delivered with its listing, before the bytes are used.
    ///
    /// If size or version differ, one new look at the file decides: `reader` has to agree with its result. The same
    /// look is taken if there was no listing and the server redirected the read to another location.
    ///
    /// - Parameter listed: The file as a listing showed it; nil if there was none.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` with ``UnexpectedFile`` below it if `reader` still differs; an
    ///   error of the look.
    /// - Complexity: No request while both agree, else one. A reader that was not used yet needs one request itself.
    public func checkArrival(of reader: any FileReader, listed: FileObject? = nil) async throws {
        // A file opened on a disk or in memory is the file itself, whatever a listing said before.
        if reader.cost.roundTripsToOpen == 0 { return }
        let arrived = try await reader.attributes()
        if let listed, listed.isRegularFile {
            if arrived.agrees(with: listed) { return }
        } else if arrived.redirectedTo == nil {
            return
        }
        let now = try await ListingCache.bypassing { try await attributesOfItem(path: reader.path) }
        // Some servers give one file two tags, one for each method; its size then has to be enough.
        if arrived.agrees(with: now) || now.size == arrived.size || !now.isRegularFile { return }
        throw FileError.notAsListed(
            reader.path,
            file: UnexpectedFile(listed: now.size, arrived: arrived.size, redirectedTo: arrived.redirectedTo),
            url: url(of: reader.path))
    }
}

extension FileReaderAttributes {
    /// Whether all properties known to both agree.
    fileprivate func agrees(with item: FileObject) -> Bool {
        if let size = item.size, size != self.size { return false }
        guard let own = validator.flatMap(Self.opaqueTag), let listed = item.entryTag.flatMap(Self.opaqueTag) else {
            return true
        }
        return own == listed
    }

    /// Returns the part of an ETag for weak comparison (RFC 9110, section 8.8.3.2); nil for validators of other kinds.
    private static func opaqueTag(_ text: String) -> Substring? {
        let tag = text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
        return tag.hasPrefix("\"") ? tag : nil
    }
}
