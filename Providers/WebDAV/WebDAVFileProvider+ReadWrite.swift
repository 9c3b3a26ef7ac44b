import CurlTransport
public import FileProviderCore
import Foundation
import HTTPFileProvider

extension WebDAVFileProvider {
    /// A reader for one file by ranged `GET`. Nothing is sent: the first read tells whether the file is there.
    public func open(path: ProviderPath) async throws -> any FileReader { connection.open(path: path) }

    /// Writes a file: `PUT` to a temporary name, a look at its size, `MOVE` into place; or one `PUT` in place.
    ///
    /// - Complexity: Three requests, and one more to see what an overwriting or large upload would meet.
    public func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws -> FileObject {
        if path.isRoot { throw FileError.isADirectory(path, url: url(of: path), writing: true) }
        defer { cache.drop(path) }
        let target = try await target(at: path, length: source.length, options: options)
        switch options.placement {
        case .published: return try await publish(source, at: path, replacing: target, options: options)
        case .inPlace: return try await putInPlace(source, at: path, options: options)
        }
    }

    /// An upload that would be refused at its end had better not begin.
    private static let worthALook: Int64 = 1 << 20

    /// What is there already, as far as the write has to know.
    private func target(at path: ProviderPath, length: Int64?, options: WriteOptions) async throws -> FileObject? {
        let looks = options.overwrite || options.ifMatch != nil || options.placement == .inPlace || (length ?? .max) > Self.worthALook
        guard looks else { return nil }
        let item = try await itemIfAny(path)
        if let wanted = options.ifMatch { try await refuse(path, unlessTagIs: wanted, item) }
        guard let item else { return nil }
        if !options.overwrite { throw FileError.make(.fileWriteFileExists, path: path, url: url(of: path)) }
        return item
    }

    private func refuse(_ path: ProviderPath, unlessTagIs wanted: String, _ item: FileObject?) async throws {
        var tag = item?.entryTag
        if item != nil, tag == nil { tag = try await connection.send(HTTPRequest("HEAD", path))["ETag"] }
        guard tag.map(HTTPConnection.version) != HTTPConnection.version(wanted) else { return }
        throw otherVersion(path)
    }

    private func otherVersion(_ path: ProviderPath, underlying: (any Error)? = nil) -> CocoaError {
        FileError.make(
            .fileWriteUnknown, path: path, url: url(of: path), sentence: "“\(path)” is no longer the version that was to be replaced.",
            underlying: underlying)
    }

    private func publish(
        _ source: any WriteSource, at path: ProviderPath, replacing target: FileObject?, options: WriteOptions
    ) async throws -> FileObject {
        let temporary = try TemporaryName.make(beside: path)
        let source = MarkedSource(source)
        do {
            try await upload(source, at: temporary, for: path)
            let item = try await verified(temporary, source)
            try Task.checkCancellation()
            // From here on the file is there or not, cancelled or not: the move runs in a task of its own.
            return try await Task { try await moveIntoPlace(item, path, replacing: target, options) }.value
        } catch {
            await removeRest(temporary, isUnderWay: source.isSent)
            throw error
        }
    }

    /// Removes what an upload left, in a task that nobody cancels; after two seconds that task goes on by itself.
    ///
    /// What the server does not let go of stays under a name that tells.
    ///
    /// - Parameter isUnderWay: Whether all bytes were sent, so that the file may appear after a first removal that finds nothing.
    private func removeRest(_ temporary: ProviderPath, isUnderWay: Bool) async {
        let (ended, signal) = AsyncStream<Never>.makeStream()
        Task {
            await removeNow(temporary, isUnderWay: isUnderWay)
            signal.finish()
        }
        Task {
            try await Task.sleep(for: .seconds(2))
            signal.finish()
        }
        for await _ in ended {}
    }

    private func removeNow(_ temporary: ProviderPath, isUnderWay: Bool) async {
        // rclone brings the part of a broken upload to light some time after the connection has gone, removed or not.
        let isRclone = serverName.value?.hasPrefix("rclone") == true
        // WsgiDAV takes the part for a whole file, and has it some time after the connection has gone.
        let isUnderWay = isUnderWay || serverName.value?.hasPrefix("wsgidav") == true
        for look in 0..<6 {
            if look > 0 { try? await Task.sleep(for: .milliseconds(25 << look)) }
            let head = try? await connection.sendOnce(HTTPRequest("DELETE", temporary, accepts: [404], isWriting: true))
            if let head, !isRclone, head.status != 404 || !isUnderWay { return }
        }
    }

    private func moveIntoPlace(
        _ temporary: FileObject, _ path: ProviderPath, replacing target: FileObject?, _ options: WriteOptions
    ) async throws -> FileObject {
        if target?.isDirectory == true { try await removeItem(path: path, recursive: false) }
        try await send("MOVE", temporary, to: path, overwrite: target.map { !$0.isDirectory } ?? options.overwrite)
        var item = temporary
        item.path = path
        item.name = path.name
        return item
    }

    /// Sends the bytes. Once the last of them is on its way a cancellation waits for the server's answer: a file that appears after
    /// its removal would stay.
    private func upload(_ source: MarkedSource, at temporary: ProviderPath, for path: ProviderPath) async throws {
        let upload = Task { try await put(source, at: temporary, for: path) }
        try await withTaskCancellationHandler {
            try await upload.value
        } onCancel: {
            if source.stop() { upload.cancel() }
        }
        try Task.checkCancellation()
    }

    private func put(_ source: any WriteSource, at temporary: ProviderPath, for path: ProviderPath) async throws {
        do {
            _ = try await connection.send(HTTPRequest("PUT", temporary, body: .source(source), isWriting: true))
        } catch let error as HTTPStatusError where [409, 500].contains(error.code.rawValue) {
            try await refuseMissingParent(of: path, underlying: error)
            throw error
        } catch let error where error.isNoSuchFile {
            try await refuseMissingParent(of: path, underlying: error)
            throw error
        }
    }

    /// The file as the server has it, seen to have all the bytes.
    ///
    /// - Throws: `CocoaError(.fileWriteUnknown)` when it has another number.
    private func verified(_ path: ProviderPath, _ source: any WriteSource) async throws -> FileObject {
        var item = try await item(path, isWriting: true)
        guard let length = source.length else { return item }
        // A server that answers from a cache, as rclone does, may know the size seconds late.
        for look in 0..<6 where item.size != nil && item.size != length {
            try await Task.sleep(for: .milliseconds(50 << look))
            item = try await self.item(path, isWriting: true)
        }
        guard let size = item.size, size != length else { return item }
        throw FileError.make(
            .fileWriteUnknown, path: item.path, url: url(of: item.path),
            sentence: "The server kept \(size) of \(length) bytes; nothing was replaced.")
    }

    private func putInPlace(_ source: any WriteSource, at path: ProviderPath, options: WriteOptions) async throws -> FileObject {
        var headers: [(name: String, value: String)] = []
        // A weak tag matches nothing in `If-Match` (RFC 9110, section 13.1.1); it was compared before.
        if let tag = options.ifMatch, !tag.hasPrefix("W/") { headers.append(("If-Match", tag)) }
        if !options.overwrite { headers.append(("If-None-Match", "*")) }
        do {
            _ = try await connection.send(
                HTTPRequest("PUT", path, headers: headers, body: .source(source), repetition: .ifNotDone, isWriting: true))
        } catch let error as HTTPStatusError where error.code.rawValue == 412 {
            if options.ifMatch != nil { throw otherVersion(path, underlying: error) }
            throw FileError.make(.fileWriteFileExists, path: path, url: url(of: path), underlying: error)
        } catch let error as HTTPStatusError where error.code.rawValue == 409 {
            try await refuseMissingParent(of: path, underlying: error)
            throw error
        }
        return try await verified(path, source)
    }
}

/// A source that can be stopped up to the moment when its last byte is taken, and not after it.
private struct MarkedSource: WriteSource {
    private struct State: Sendable {
        var isStopped = false
        /// Whether the last byte of this round was taken.
        var isSent = false
    }

    private let base: any WriteSource
    private let state = Locked(State())

    init(_ base: any WriteSource) {
        self.base = base
    }

    var length: Int64? { base.length }
    var isRepeatable: Bool { base.isRepeatable }
    /// Whether the last byte was taken, in the last round.
    var isSent: Bool { state.value.isSent }

    /// Sees that the source is never given whole, neither now nor in a later round; false when it was already.
    func stop() -> Bool {
        state.update { state in
            state.isStopped = true
            return !state.isSent
        }
    }

    func bytes(from offset: Int64) throws -> any ByteSource {
        try state.update { state in
            if state.isStopped { throw CancellationError() }
            state.isSent = false
        }
        return Bytes(base: try base.bytes(from: offset), left: Locked(length.map { $0 - offset }), state: state)
    }

    private final class Bytes: ByteSource {
        private let base: any ByteSource
        private let left: Locked<Int64?>
        private let state: Locked<State>

        init(base: any ByteSource, left: Locked<Int64?>, state: Locked<State>) {
            self.base = base
            self.left = left
            self.state = state
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep {
            let step = try base.read(into: buffer)
            let isLast = isLast(step)
            try state.update { state in
                // Stopped meanwhile, perhaps by the very read: these bytes are not handed on, and so never all.
                if state.isStopped, !state.isSent { throw CancellationError() }
                if isLast { state.isSent = true }
            }
            return step
        }

        private func isLast(_ step: SourceStep) -> Bool {
            guard case .bytes(let count) = step else { return step == .end }
            return left.update { left in
                left = left.map { $0 - Int64(count) }
                return left.map { $0 <= 0 } ?? false
            }
        }

        func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }
    }
}
