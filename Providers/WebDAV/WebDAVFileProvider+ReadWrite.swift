import CurlTransport
public import FileProviderCore
import Foundation
import HTTPFileProvider

extension WebDAVFileProvider {
    /// Opens a file for reading by ranged `GET`. Sends nothing: the first read shows whether the file exists. A read of
    /// the whole file is compared with the `OC-Checksum` that comes with it, and throws
    /// `CocoaError(.fileReadCorruptFile)` if it differs.
    public func open(path: ProviderPath) async throws -> any FileReader {
        try await open(path: path, options: ReadOptions())
    }

    /// Opens a file for reading. The first read sends the conditions, and the server compares.
    public func open(path: ProviderPath, options: ReadOptions) async throws -> any FileReader {
        connection.open(
            HTTPRequest("GET", path: path), cost: .request, options: options, proof: { OCChecksum($0) })
    }

    /// Writes a file: `PUT` to a temporary name and `MOVE` into place, or one `PUT` where that shows whole files only,
    /// or in place.
    ///
    /// Verifies each upload with one `PROPFIND` of depth 0, unless the answer has the hash of its bytes: under the
    /// temporary name before the old file is replaced, or under the final name if the upload went there directly. Files
    /// are replaced directly after one upload of this provider was seen whole under a temporary name. If the server
    /// refuses looks, its acknowledgement is the proof, and the returned file has no size. If it refuses `MOVE`, the
    /// same bytes are uploaded to the final name after they were seen under the temporary one.
    ///
    /// If the server doesn't answer a move, the write looks for the result for as long as the policy's longest pause; if
    /// it doesn't answer a large upload or the joining of chunks, for ten minutes. While a move may still be running, the
    /// uploaded part is left.
    ///
    /// With `resumption`, the chunks of an unfinished large upload stay on a Nextcloud server, and a later write of the
    /// same source continues after them if both ends of their bytes are the source's. Other servers keep no part of a
    /// `PUT`: there a write begins again.
    ///
    /// - Complexity: Three requests for a new file of up to 1 MiB; two if a `PUT` shows whole files only, or in place.
    ///   A larger file costs one or two more looks, overwriting costs one if a `PUT` is not whole, and a condition that
    ///   needs a lock costs three requests. The server is asked once for its behaviour. A source of unknown length is
    ///   kept in a local temporary file, 64 MiB at most, until the server has accepted one such upload; a server that
    ///   refuses it (411) gets it from there.
    public func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        if path.isRoot { throw FileError.isADirectory(path, url: url(of: path), writing: true) }
        if let tag = options.ifMatch, tag.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) {
            throw otherVersion(path)
        }
        defer { cache.drop(path) }
        try refuseRawName(path, quirks: try await quirks())
        guard source.length == nil, takesUnknownLengths.value != true,
            let spool = try? await BlockingThreads.shared.run({ try UploadSpool(source) })
        else { return try await write(path, source, options) }
        if takesUnknownLengths.value == nil {
            do {
                let written = try await write(path, spool, options)
                takesUnknownLengths.update { $0 = true }
                return written
            } catch let error where Self.status(of: error) == 411 {
                takesUnknownLengths.update { $0 = false }
            }
        }
        return try await write(path, try await spool.whole(), options)
    }

    private func write(_ path: ProviderPath, _ source: any WriteSource, _ options: WriteOptions) async throws
        -> FileObject
    {
        let write = FileWrite(
            path: path, options: options, quirks: try await quirks(), source: MarkedSource(source),
            isTrusted: keepsUploads.value)
        let found = write.isLarge ? try await refuse(write) : nil
        if let chunked = try ChunkedUpload(write, replacing: found, of: self) {
            // The chunks are joined by another connection, which knows nothing of what this one has kept in a folder.
            await connection.forget([path])
            let joined = Task { try await chunked.run() }
            let result = await withTaskCancellationHandler {
                await joined.result
            } onCancel: {
                joined.cancel()
            }
            await connection.forget([path])
            return try result.get()
        }
        return write.isDirect
            ? try await putDirectly(write, replacing: found) : try await publish(write, replacing: found)
    }

    /// Refuses a write that would be refused at its end, before a large upload begins.
    ///
    /// - Returns: The existing item.
    @discardableResult
    func refuse(_ write: FileWrite) async throws -> FileObject? {
        let (path, options) = (write.path, write.options)
        let look = try await look(path)
        let item = look.item
        if let wanted = options.ifMatch {
            if case .refused(let error) = look { throw error }
            var tag = item?.entryTag
            if let item, tag == nil, !item.isDirectory {
                tag = try await connection.send(HTTPRequest("HEAD", path: path))["ETag"]
            }
            if tag.map(HTTPConnection.version) != HTTPConnection.version(wanted) { throw otherVersion(path) }
        }
        guard let item else { return nil }
        if !options.overwrite { throw FileError.make(.fileWriteFileExists, path: path, url: url(of: path)) }
        return item
    }

    func otherVersion(_ path: ProviderPath, underlying: (any Error)? = nil) -> CocoaError {
        FileError.make(
            .fileWriteUnknown, path: path, url: url(of: path),
            sentence: "“\(path)” is no longer the version that was to be replaced.",
            underlying: underlying)
    }
}

/// One write with all that decides how it goes.
struct FileWrite: Sendable {
    /// Bytes above which it pays to look before and after, 1 MiB.
    static let large: Int64 = 1 << 20

    let path: ProviderPath
    var options: WriteOptions
    let quirks: WebDAVQuirks
    var source: MarkedSource
    /// Whether an upload of this provider was seen whole under a temporary name.
    let isTrusted: Bool

    /// Whether it is large, or may be.
    var isLarge: Bool { (source.length ?? .max) > Self.large }

    /// Whether the bytes go to the name itself: as the caller wants it, or because a `PUT` is as good as a `MOVE` after
    /// it.
    var isDirect: Bool {
        if options.placement == .inPlace { return true }
        // There is no temporary name for a new file that could not be moved away from it.
        if quirks.refusesMoves, !options.overwrite { return true }
        // A server that shows whole files only adds its own suffix for the upload: the longest names have no room for
        // it.
        guard quirks.putsWhole, path.nameBytes.count <= 200 else { return false }
        // A new file that is large, and was cancelled when it had arrived, could not be told from another's.
        if !options.overwrite { return quirks.ifNoneMatch != .ignored && !isLarge }
        guard isTrusted else { return false }
        // A condition is looked at when the bytes begin to come: a large upload would leave much time after that.
        return options.ifMatch == nil || quirks.putsConditionally
            || (!isLarge && (quirks.honoursIf || quirks.ifMatch != .ignored))
    }

    /// What is known of the file once it is in place: what `item` says, and the tag in the first of `heads` that has
    /// one.
    func finished(_ item: FileObject, _ heads: [ResponseHead?]) -> FileObject {
        var item = item
        item.path = path
        item.name = path.name
        if quirks.timeSetting != .none {
            item.modifiedDate = options.modificationDate.map { $0.wholeSeconds } ?? item.modifiedDate
        }
        item.entryTag = heads.lazy.compactMap { $0?["OC-ETag"] ?? $0?["ETag"] }.first ?? item.entryTag
        return item
    }
}
