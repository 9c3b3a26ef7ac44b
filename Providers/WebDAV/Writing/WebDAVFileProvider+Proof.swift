import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider

/// Finding out whether the bytes of an upload are there.
extension WebDAVFileProvider {
    /// The result of one look at a place.
    enum Look: Sendable {
        case item(FileObject)
        case nothing
        /// The server refuses looks, for example in a folder that may be written and not read.
        case refused(any Error)

        /// The item that was seen; nil for nothing, and where looking is refused.
        var item: FileObject? {
            if case .item(let item) = self { item } else { nil }
        }

        /// Whether a file of `length` bytes was seen; any length will do where it is nil, or the server tells none.
        func isFile(of length: Int64?) -> Bool {
            guard let item else { return false }
            return !item.isDirectory && (item.size == nil || length == nil || item.size == length)
        }
    }

    /// One `PROPFIND` of depth 0.
    func look(_ path: ProviderPath) async throws -> Look {
        do { return try await .item(item(path, isWriting: true)) } catch let error where error.isNoSuchFile {
            return .nothing
        } catch let error where [403, 405, 501].contains(Self.status(of: error)) {
            return .refused(error)
        }
    }

    /// Returns the item at `path`, or nil if nothing is there or the server refuses the look.
    func itemIfSeen(_ path: ProviderPath) async throws -> FileObject? { try await look(path).item }

    /// Returns the file at `path` as the server has it after an upload: one look, unless the answer gives the hash of
    /// the bytes.
    ///
    /// If looks are refused, the server's acknowledgement is the only proof, and the returned file has no size.
    ///
    /// - Parameter head: The answer to the upload.
    /// - Throws: `CocoaError(.fileWriteUnknown)` if the server kept another number of bytes, or no file.
    func verified(_ write: FileWrite, at path: ProviderPath, _ head: ResponseHead) async throws -> FileObject {
        let length = write.quirks.keepsSizes ? write.source.length ?? write.source.count : nil
        if let length, try await UploadHash.matches(head, write) {
            return FileObject(path: path, type: .regular, size: length)
        }
        var look = try await look(path)
        // A server that answers from a cache, as rclone does, may know the file or its size seconds late. What has more
        // bytes is another's.
        for pause in 0..<6 where !look.isFile(of: length) {
            if case .refused = look { break }
            if let length, let size = look.item?.size, size > length { break }
            try await Task.sleep(for: .milliseconds(50 << pause))
            look = try await self.look(path)
        }
        if case .refused(let error) = look {
            guard head.acknowledgesUpload else { throw error }
            return FileObject(path: path, type: .regular)
        }
        guard look.isFile(of: length), let item = look.item else {
            throw await notKept(write, at: path, look: look, length: length, head: head)
        }
        if path != write.path, let length, length > 0, item.size == length { keepsUploads.update { $0 = true } }
        return item
    }

    private func notKept(
        _ write: FileWrite, at path: ProviderPath, look: Look, length: Int64?, head: ResponseHead
    ) async -> CocoaError {
        var sentence = "The server answered the upload of “\(write.path)” with \(head.status), but kept no file."
        if let size = look.item?.size, let length {
            sentence = "The server kept \(size) of the \(length) bytes of “\(write.path)”."
        }
        if path != write.path {
            sentence += " Nothing was replaced."
        } else if await removeRest(write, look: look, head: head) {
            sentence += " What it kept was removed."
        } else if look.item != nil {
            sentence +=
                write.options.overwrite ? " The file is damaged now." : " What it kept may be another's and was left."
        }
        if head.isWebPage { sentence += " Its answer was a web page: a login page may be in the way." }
        return FileError.make(.fileWriteUnknown, path: write.path, url: url(of: write.path), sentence: sentence)
    }

    /// Removes the rest of a new file, if it is certain to be this upload's: nothing is there, or the version in the
    /// upload's answer, or a name that no other client can have taken.
    private func removeRest(_ write: FileWrite, look: Look, head: ResponseHead) async -> Bool {
        guard !write.options.overwrite, let item = look.item, !item.isDirectory else { return false }
        let tag = item.entryTag.map(HTTPConnection.version)
        let isOurs =
            item.size == 0 || write.quirks.ifNoneMatch == .exclusive
            || tag != nil && tag == head["ETag"].map(HTTPConnection.version)
        guard isOurs else { return false }
        let isRemoved = LockedValue(false)
        await cleanUp { [connection] in
            let request = HTTPRequest("DELETE", path: write.path, accepts: [404], isWriting: true)
            if (try? await connection.sendOnce(request)) != nil { isRemoved.update { $0 = true } }
        }
        return isRemoved.value
    }
}

extension ResponseHead {
    /// Whether the answer to an upload says that the file is kept, for those who cannot look: a web page, and a
    /// redirect, say nothing.
    fileprivate var acknowledgesUpload: Bool { isSuccess && !isWebPage }

    /// Whether a page came where a WebDAV server has nothing to say. Apache sends one with 201.
    fileprivate var isWebPage: Bool {
        status == 200 && self["Content-Type"]?.lowercased().hasPrefix("text/html") == true || status == 303
    }
}
