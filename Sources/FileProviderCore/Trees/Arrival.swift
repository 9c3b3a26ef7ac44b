public import Foundation

/// The numbers behind the error of a file that is not what its listing said.
public struct UnexpectedFile: Error, Sendable, Hashable {
    /// Bytes that the storage listed; nil if it listed no size.
    public var listed: Int64?
    /// Bytes that a read brought.
    public var arrived: Int64
    /// The place that answered, if the server redirected the read there: often a login page.
    public var redirectedTo: URL?
}

extension FileError {
    /// A read brought another file than the storage lists.
    public static func notAsListed(_ path: ProviderPath, file: UnexpectedFile, url: URL? = nil) -> CocoaError {
        let listed = file.listed.map { "the storage lists \($0)" } ?? "the storage lists another version"
        var sentence = "“\(path)” came with \(file.arrived) bytes; \(listed)."
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
    /// Compares what `reader` brought with what a listing said about the file, before the bytes are put to use.
    ///
    /// If size or version differ, one new look at the file decides: what it shows is right, and `reader` has to agree
    /// with it. The same look is taken if nobody had listed the file and the server redirected the read to another
    /// place.
    ///
    /// - Parameter listed: The file as a listing showed it; nil if there was none.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` with ``UnexpectedFile`` below it if `reader` still differs; an
    ///   error of the look.
    /// - Complexity: Nothing while both agree; else one request. Nothing for a reader that was not used yet but one
    ///   request of its own.
    public func checkArrival(of reader: any FileReader, listed: FileObject? = nil) async throws {
        // What a disk or memory has opened is the file itself, whatever a listing said before.
        if reader.cost.roundTripsToOpen == 0 { return }
        let arrived = try await reader.attributes()
        if let listed, listed.isRegularFile {
            if arrived.agrees(with: listed) { return }
        } else if arrived.redirectedTo == nil {
            return
        }
        let now = try await ListingCache.bypassing { try await attributesOfItem(path: reader.path) }
        // Some servers give one file two tags, one for each method; its size then has to do.
        if arrived.agrees(with: now) || now.size == arrived.size || !now.isRegularFile { return }
        throw FileError.notAsListed(
            reader.path,
            file: UnexpectedFile(listed: now.size, arrived: arrived.size, redirectedTo: arrived.redirectedTo),
            url: url(of: reader.path))
    }
}

extension FileReaderAttributes {
    /// Whether nothing that both know differs.
    fileprivate func agrees(with item: FileObject) -> Bool {
        if let size = item.size, size != self.size { return false }
        guard let own = validator.flatMap(Self.opaqueTag), let listed = item.entryTag.flatMap(Self.opaqueTag) else {
            return true
        }
        return own == listed
    }

    /// What two ETags are compared by weakly (RFC 9110, section 8.8.3.2); nil for validators of other kinds.
    private static func opaqueTag(_ text: String) -> Substring? {
        let tag = text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
        return tag.hasPrefix("\"") ? tag : nil
    }
}
