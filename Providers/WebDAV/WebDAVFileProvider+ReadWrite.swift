import CurlTransport
public import FileProviderCore
import Foundation
import HTTPFileProvider

extension WebDAVFileProvider {
    /// A reader for one file by ranged `GET`. Nothing is sent: the first read tells whether the file is there. A whole file that comes with
    /// an `OC-Checksum` is compared with it; one that differs ends with `CocoaError(.fileReadCorruptFile)`.
    public func open(path: ProviderPath) async throws -> any FileReader {
        connection.open(HTTPRequest("GET", path), cost: .request, proof: { OCChecksum($0) })
    }

    /// Writes a file: `PUT` to a temporary name and `MOVE` into place, or one `PUT` where that shows whole files only, or in place.
    ///
    /// What was sent with its length and answered with success has arrived; up to 1 MiB that is taken as it is. Of more, and of an upload
    /// of unknown length, the size is looked at.
    ///
    /// A move that the server does not answer is looked after for as long as the policy's longest pause, the joining of chunks for ten
    /// minutes; while either may still be under way, what was uploaded is left.
    ///
    /// - Complexity: For a new file of up to 1 MiB two requests, in place one. What is larger costs two looks, or three; what overwrites one where a
    ///   `PUT` is not whole; a condition that only a lock keeps three requests. The server is asked once what it is.
    public func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws -> FileObject {
        if path.isRoot { throw FileError.isADirectory(path, url: url(of: path), writing: true) }
        if let tag = options.ifMatch, tag.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) {
            throw otherVersion(path)
        }
        defer { cache.drop(path) }
        let quirks = try await quirks()
        try refuseRawName(path, quirks)
        let write = FileWrite(path: path, options: options, quirks: quirks, source: MarkedSource(source))
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
        return write.isDirect ? try await putDirectly(write, replacing: found) : try await publish(write, replacing: found)
    }

    /// Refuses a write that would be refused at its end: a large upload had better not begin.
    ///
    /// - Returns: What is there already.
    @discardableResult
    func refuse(_ write: FileWrite) async throws -> FileObject? {
        let (path, options) = (write.path, write.options)
        let item = try await itemIfAny(path)
        if let wanted = options.ifMatch {
            var tag = item?.entryTag
            if let item, tag == nil, !item.isDirectory { tag = try await connection.send(HTTPRequest("HEAD", path))["ETag"] }
            if tag.map(HTTPConnection.version) != HTTPConnection.version(wanted) { throw otherVersion(path) }
        }
        guard let item else { return nil }
        if !options.overwrite { throw FileError.make(.fileWriteFileExists, path: path, url: url(of: path)) }
        return item
    }

    func otherVersion(_ path: ProviderPath, underlying: (any Error)? = nil) -> CocoaError {
        FileError.make(
            .fileWriteUnknown, path: path, url: url(of: path), sentence: "“\(path)” is no longer the version that was to be replaced.",
            underlying: underlying)
    }

    /// Sends the bytes to `path`. Once the last of them is on its way a cancellation waits for the server's answer: a file that appears
    /// after its removal would stay.
    func upload(_ write: FileWrite, to path: ProviderPath, headers: [(name: String, value: String)]) async throws -> ResponseHead {
        let upload = Task { try await put(write, to: path, headers: headers + timeHeaders(for: write) + OCChecksum.headers(for: write)) }
        let head = try await withTaskCancellationHandler {
            try await upload.value
        } onCancel: {
            if write.source.stop() { upload.cancel() }
        }
        learnTimeSetting(from: head, write)
        return head
    }

    private func put(_ write: FileWrite, to path: ProviderPath, headers: [(name: String, value: String)]) async throws -> ResponseHead {
        // Without a condition a second one does what the first did; with one it would find what the first has made.
        let isSure = !headers.contains { ["If-None-Match", "If-Match", "If"].contains($0.name) }
        do {
            return try await connection.send(
                HTTPRequest(
                    "PUT", path, headers: headers, body: .source(write.source), repetition: isSure ? .always : .ifNotDone, isWriting: true))
        } catch let error as HTTPStatusError where [409, 500].contains(error.code.rawValue) {
            try await refuseMissingParent(of: write.path, underlying: error)
            throw error
        } catch let error where error.isNoSuchFile {
            try await refuseMissingParent(of: write.path, underlying: error)
            throw error
        }
    }

    /// The file as the server has it at `path`: looked at where the answer to the upload is not proof enough.
    ///
    /// - Throws: `CocoaError(.fileWriteUnknown)` when it has another number of bytes.
    func verified(_ write: FileWrite, at path: ProviderPath) async throws -> FileObject {
        let (source, quirks) = (write.source, write.quirks)
        if let length = source.length, source.isSent || length == 0, length <= FileWrite.large, quirks.keepsSizes {
            return FileObject(path: path, type: .regular, size: length)
        }
        var item = try await item(path, isWriting: true)
        guard quirks.keepsSizes, let length = source.length ?? source.count else { return item }
        // A server that answers from a cache, as rclone does, may know the size seconds late.
        for look in 0..<6 where item.size != nil && item.size != length {
            try await Task.sleep(for: .milliseconds(50 << look))
            item = try await self.item(path, isWriting: true)
        }
        guard let size = item.size, size != length else { return item }
        let outcome = path == write.path ? "what is there now is damaged" : "nothing was replaced"
        throw FileError.make(
            .fileWriteUnknown, path: write.path, url: url(of: write.path),
            sentence: "The server kept \(size) of \(length) bytes; \(outcome).")
    }
}

/// One write with all that decides how it goes.
struct FileWrite: Sendable {
    /// Bytes above which it pays to look before and after, 1 MiB.
    static let large: Int64 = 1 << 20

    let path: ProviderPath
    let options: WriteOptions
    let quirks: WebDAVQuirks
    let source: MarkedSource

    /// Whether it is large, or may be.
    var isLarge: Bool { (source.length ?? .max) > Self.large }

    /// Whether the bytes go to the name itself: as the caller wants it, or because a `PUT` is as good as a `MOVE` after it.
    var isDirect: Bool {
        if options.placement == .inPlace { return true }
        // A server that puts whole files has a temporary name of its own: the longest names have no room for what it adds.
        guard quirks.putsWhole, path.nameBytes.count <= 200 else { return false }
        // A new file that is large, and was cancelled when it had arrived, could not be told from another's.
        if !options.overwrite { return quirks.ifNoneMatch == .exclusive && !isLarge }
        // A condition is looked at when the bytes begin to come: a large upload would leave much time after that.
        return options.ifMatch == nil || quirks.putsConditionally || (!isLarge && (quirks.honoursIf || quirks.ifMatch != .ignored))
    }

    /// What is known of the file once it is in place: what `item` says, and the tag in the first of `heads` that has one.
    func finished(_ item: FileObject, _ heads: [ResponseHead?]) -> FileObject {
        var item = item
        item.path = path
        item.name = path.name
        if quirks.timeSetting != .none { item.modifiedDate = options.modificationDate.map { $0.wholeSeconds } ?? item.modifiedDate }
        item.entryTag = heads.lazy.compactMap { $0?["OC-ETag"] ?? $0?["ETag"] }.first ?? item.entryTag
        return item
    }
}
