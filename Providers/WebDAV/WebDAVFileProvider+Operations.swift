import CurlTransport
public import FileProviderCore
import Foundation
import HTTPFileProvider

extension WebDAVFileProvider {
    /// Makes a folder with one `MKCOL`, after a look: rclone's server answers for a folder that is there as for a new one.
    public func createFolder(path: ProviderPath) async throws {
        if try await itemIfAny(path) != nil { throw FileError.make(.fileWriteFileExists, path: path, url: url(of: path)) }
        try await refuseMisreadFolder(path)
        do { try await makeCollection(path) } catch let error as HTTPStatusError where error.code.rawValue == 409 {
            // By now the parent is there: it may have come into being meanwhile.
            try await makeCollection(path)
        }
    }

    private func makeCollection(_ path: ProviderPath) async throws {
        do {
            _ = try await change(HTTPRequest("MKCOL", path, isFolder: true, repetition: .ifNotDone, isWriting: true))
        } catch let error where !error.isCancellation && !Self.isWithoutAnswer(error) {
            // Servers refuse a folder that is there, or that has no parent, with half a dozen statuses; looking decides.
            try await refuseTaken(path, underlying: error)
            try await refuseMissingParent(of: path, underlying: error)
            throw error
        }
    }

    /// Moves on the server; progress moves once, at the end. A folder at `destination`, or a file there that gives way to a folder, is
    /// removed before: the two are not one step.
    ///
    /// - Throws: Also `CocoaError(.fileWriteInvalidFileName)` when `destination` is the item itself or lies in it.
    /// - Complexity: Two requests; one more for another folder, one for `overwrite`, and up to three for what is removed before.
    public func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter) async throws {
        try await transfer("MOVE", path, to: destination, overwrite: overwrite)
        progress.advance(by: 1)
    }

    /// Copies on the server; progress moves once, at the end.
    public func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter) async throws {
        let item = try await transfer("COPY", path, to: destination, overwrite: overwrite)
        progress.expect(item.size ?? 1)
        progress.advance(by: item.size ?? 1)
    }

    /// Removes what is at `path` with one `DELETE`, after a look at what it is.
    public func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        if path.isRoot { throw FileError.make(.fileWriteNoPermission, path: path, sentence: "The root cannot be removed.") }
        let item = try await item(path, isWriting: true)
        if item.isDirectory, !recursive { try await refuseContent(in: path) }
        _ = try await change(HTTPRequest("DELETE", path, isFolder: item.isDirectory, repetition: .ifNotDone, isWriting: true))
        progress.advance(by: 1)
    }

    /// `MOVE` or `COPY` (RFC 4918, sections 9.8 and 9.9), kept from merging folders and from replacing one with content.
    @discardableResult
    private func transfer(_ method: String, _ path: ProviderPath, to destination: ProviderPath, overwrite: Bool) async throws -> FileObject
    {
        if path.isRoot || destination == path || destination.isBelow(path) {
            throw FileError.make(
                .fileWriteInvalidFileName, path: destination, url: url(of: destination),
                sentence: "“\(path)” cannot be moved or copied to “\(destination)”, which is itself or lies in it.")
        }
        let item = try await item(path, isWriting: true)
        // Left to themselves, some servers make the folders that are missing and others break down.
        if destination.parent != path.parent { try await refuseMissingParent(of: destination, underlying: nil) }
        var overwrite = overwrite
        if overwrite, let target = try await itemIfAny(destination), target.isDirectory || item.isDirectory {
            // What servers do here differs, down to merging; removing the empty folder or the file first is the same everywhere.
            try await removeItem(path: destination, recursive: false)
            overwrite = false
        }
        try await send(method, item, to: destination, overwrite: overwrite)
        return item
    }

    /// One `MOVE` or `COPY` of `item`. Both URLs end in a slash for a folder: some servers insist.
    ///
    /// - Parameters:
    ///   - lock: One on `destination` that the provider's other requests do not know.
    ///   - ifMatch: The version that the file at `destination` must have.
    /// - Returns: The answer; nil where it was lost and the item turned out to be moved.
    @discardableResult
    func send(
        _ method: String, _ item: FileObject, to destination: ProviderPath, overwrite: Bool, under lock: WebDAVLock? = nil,
        ifMatch: String? = nil
    ) async throws -> ResponseHead? {
        try await checkDestination(destination, overwrite: overwrite)
        var headers = [
            ("Destination", connection.url(of: destination, isFolder: item.isDirectory).absoluteString),
            ("Overwrite", overwrite ? "T" : "F"),
        ]
        if method == "COPY" { headers.append(("Depth", "infinity")) }
        if method == "MOVE" { try await giveUpLocks(on: item.path) }
        if let condition = condition(at: destination, under: lock, tag: ifMatch) { headers.append(condition) }
        let request = HTTPRequest(
            method, item.path, isFolder: item.isDirectory, headers: headers, repetition: .ifNotDone, isWriting: true)
        cache.drop(destination)
        defer { cache.drop(destination) }
        do { return try await change(request) } catch let error where !error.isCancellation {
            if Self.isWithoutAnswer(error) {
                if method == "MOVE", try await hasMoved(item, to: destination) { return nil }
            } else if !overwrite {
                // 412 says it; in the way of a folder some servers answer 409 or send the client elsewhere.
                try await refuseTaken(destination, underlying: error)
            }
            throw error
        }
    }

    /// Whether the request may have been carried out: its answer was lost on the way, also behind a gateway.
    static func isWithoutAnswer(_ error: any Error) -> Bool {
        if let status = (error as? HTTPStatusError)?.code.rawValue { return [408, 502, 504].contains(status) }
        return (error as? URLError).map { $0.code == .networkConnectionLost || $0.code == .timedOut } ?? false
    }

    /// Whether what was at one place is at the other now.
    private func hasMoved(_ item: FileObject, to destination: ProviderPath) async throws -> Bool {
        guard try await itemIfAny(item.path) == nil, let there = try await itemIfAny(destination) else { return false }
        return there.type == item.type && there.size == item.size
    }

    /// Sends a request that changes something. A multi-status tells of the parts that failed: the first of them is thrown.
    func change(_ request: HTTPRequest) async throws -> ResponseHead {
        // Before, for whoever asks meanwhile must not keep the answer, and after.
        cache.drop(request.path)
        defer { cache.drop(request.path) }
        var request = request
        if !["MOVE", "COPY"].contains(request.method), let condition = condition(at: request.path) { request.headers.append(condition) }
        let answer = DataSink(limit: 8 << 20)
        request.receive = { $0.status == 207 ? answer as any ByteSink : DiscardingSink() }
        let head = try await connection.send(request)
        guard head.status == 207 else { return head }
        let decoder = try MultistatusDecoder()
        try decoder.parse(answer.data)
        try decoder.finish()
        guard let failed = decoder.take().first(where: { ($0.status ?? 200) >= 300 }) else { return head }
        var part = request
        part.path = failed.path?.relative(to: rootPath) ?? request.path
        throw connection.error(status: failed.status ?? 500, request: part)
    }

    private func refuseContent(in path: ProviderPath) async throws {
        try await list(path) { items in
            if !items.isEmpty { throw FileError.make(errno: ENOTEMPTY, path: path, url: self.url(of: path), writing: true) }
        }
    }

    /// - Throws: `CocoaError(.fileWriteFileExists)` when something is at `path`.
    private func refuseTaken(_ path: ProviderPath, underlying: any Error) async throws {
        guard try await itemIfAny(path) != nil else { return }
        throw FileError.make(.fileWriteFileExists, path: path, url: url(of: path), underlying: underlying)
    }

    /// - Throws: `CocoaError(.fileNoSuchFile)` when the folder that should hold `path` is not there.
    func refuseMissingParent(of path: ProviderPath, underlying: (any Error)?) async throws {
        guard let parent = path.parent, try await itemIfAny(parent)?.isDirectory != true else { return }
        throw FileError.make(
            .fileNoSuchFile, path: parent, url: url(of: parent), sentence: "The folder “\(parent)” does not exist.", underlying: underlying)
    }
}
