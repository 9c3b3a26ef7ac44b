import CurlTransport
import FileProviderCore
import Foundation

/// Finds out what a refusal means, by a lookup if that can decide.
extension FTPFileProvider {
    func refusal(_ reply: FTPReply, ofRemovingFolder path: ProviderPath, _ session: FTPSession) async throws
        -> any Error
    {
        let replyError = FTPReplyError(reply, path: path)
        guard let item = try await item(path, session) else {
            return missing(path, isWriting: true, underlying: replyError)
        }
        if item.isDirectory, (try? await hasContents(path, session: session)) == true {
            return FileError.make(errno: ENOTEMPTY, path: path, url: url(of: path), writing: true)
        }
        return FTPCondition(reply: reply, path: path, url: url(of: path), isWriting: true).error
    }

    func hasContents(_ path: ProviderPath, session: FTPSession) async throws -> Bool {
        var pages = try await listing(path, session)
        while let items = try pages.next() { if !items.isEmpty { return true } }
        return !pages.unusable.isEmpty
    }

    /// The error for a refused change of an item that must exist.
    func refusal(_ reply: FTPReply, ofChanging path: ProviderPath, _ session: FTPSession) async throws -> any Error {
        guard try await item(path, session) != nil else {
            return missing(path, isWriting: true, underlying: FTPReplyError(reply, path: path))
        }
        return FTPCondition(reply: reply, path: path, url: url(of: path), isWriting: true).error
    }

    /// The error for a refusal to write to a path.
    ///
    /// - Parameter moving: The item that was to be moved to the path.
    func refusal(
        _ reply: FTPReply, ofWriting path: ProviderPath, _ session: FTPSession, moving: ProviderPath? = nil
    ) async throws -> any Error {
        let replyError = FTPReplyError(reply, path: path)
        let condition = FTPCondition(reply: reply, path: path, url: url(of: path), isWriting: true).error
        if (condition as? CocoaError)?.code == .fileWriteOutOfSpace || replyError.code.isTransient { return condition }
        if let item = try await sight(path, session).item {
            if reply.verb == "MKD" {
                return FileError.make(.fileWriteFileExists, path: path, url: url(of: path), underlying: replyError)
            }
            if item.isDirectory { return FileError.isADirectory(path, url: url(of: path), writing: true) }
        }
        if let parent = path.parent, try await !mayBeFolder(parent, session: session) {
            return FileError.make(
                .fileNoSuchFile, path: parent, url: url(of: parent), sentence: "The folder “\(parent)” does not exist.",
                underlying: replyError)
        }
        if let moving, case .nothing = try await sight(moving, session) {
            return missing(moving, isWriting: true, underlying: replyError)
        }
        // Everything that must exist does, so a reply about a missing file is really about a permission.
        if (condition as? CocoaError)?.code == .fileNoSuchFile { return replyError }
        return condition
    }

    private func mayBeFolder(_ path: ProviderPath, session: FTPSession) async throws -> Bool {
        switch try await sight(path, session) {
        case .item(let item): item.isDirectory
        case .nothing: false
        case .hidden: true
        }
    }
}
