import Cryptography
import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider

/// A large file on its way to Nextcloud in chunks, which the server joins at the end.
///
/// A later run doesn't send again the chunks that the server has with their full size, up to the first that it lacks:
/// the upload's name comes from the target, the size, both ends of the file, and ``WriteOptions/resumption`` or else the
/// modification time. Without either, the name is used once. With a resumption, both ends of the kept bytes are also
/// compared with the source. Source: docs.nextcloud.com, developer manual, “Chunked file upload”, version 2.
struct ChunkedUpload: Sendable {
    /// The server from its root on: the chunks do not lie below the provider's root.
    let server: WebDAVFileProvider
    let write: FileWrite
    /// The target, counted from the server's root.
    let target: ProviderPath
    /// `…/uploads/USER`.
    let uploads: ProviderPath
    let length: Int64
    let chunkSize: Int64
    /// The existing item at the target.
    let replaced: FileObject?

    /// The most chunks that the server accepts.
    private static let maxChunks: Int64 = 10_000

    /// Nil where the write does not go in chunks: it is small, its source can be read only once, or the path is none of
    /// Nextcloud's files.
    init?(_ write: FileWrite, replacing replaced: FileObject?, of provider: WebDAVFileProvider) throws {
        guard let size = write.quirks.chunkSize, let length = write.source.length, length > size,
            write.source.isRepeatable
        else {
            return nil
        }
        let target = provider.rootPath.appending(write.path)
        guard let uploads = try Self.uploads(for: target) else { return nil }
        self.write = write
        self.target = target
        self.uploads = uploads
        self.length = length
        self.replaced = replaced
        chunkSize = max(size, (length + Self.maxChunks - 1) / Self.maxChunks)
        server = try provider.ofWholeServer(write.quirks)
    }

    /// Where chunks of `target` go; nil for a path that is none of Nextcloud's files. Both are counted from the server's
    /// root.
    static func uploads(for target: ProviderPath) throws -> ProviderPath? {
        let names = target.components
        let marks = ["remote.php", "dav", "files"].map { ArraySlice($0.utf8) }
        guard let start = names.indices.first(where: { names[$0...].starts(with: marks) && names.count > $0 + 4 })
        else { return nil }
        var uploads = ProviderPath.root
        for name in names[..<(start + 2)] + [ArraySlice("uploads".utf8), names[start + 3]] {
            uploads = try uploads.appending(nameBytes: Array(name))
        }
        return uploads
    }

    func run() async throws -> FileObject {
        let folder = try uploads.appending(await name())
        do {
            let present = try await begin(folder)
            // From the first that is missing on: bytes pass in order, as taps of the source expect.
            for (name, part) in chunks.dropFirst(beginning(of: present).count) {
                try Task.checkCancellation()
                try await put(part, at: folder.appending(name))
            }
            try await checkChunks(in: folder)
            try Task.checkCancellation()
        } catch {
            await abandon(folder, after: error)
            throw error
        }
        return try await join(folder)
    }

    /// The chunks in their order: the name of each, and the bytes of the source that it has.
    var chunks: [(name: String, part: Range<Int64>)] {
        (1...Int((length + chunkSize - 1) / chunkSize)).map { number in
            let name = String(repeating: "0", count: max(0, 5 - "\(number)".count)) + "\(number)"
            return (name, Int64(number - 1) * chunkSize..<min(length, Int64(number) * chunkSize))
        }
    }

    /// The chunks that the server has with their size, up to the first that it has not.
    ///
    /// - Parameter present: Sizes by name.
    func beginning(of present: [String: Int64]) -> ArraySlice<(name: String, part: Range<Int64>)> {
        chunks.prefix { present[$0.name] == Int64($0.part.count) }
    }

    /// The identity by which a later run recognises the file; nil if there is none.
    private var version: String? {
        write.options.resumption ?? write.options.modificationDate.map { "\($0.timeIntervalSince1970)" }
    }

    private var destination: (name: String, value: String) { ("Destination", server.url(of: target).absoluteString) }

    private var total: (name: String, value: String) { ("OC-Total-Length", "\(length)") }

    /// The same for the same file on its way to the same place, in every process.
    private func name() async throws -> String {
        guard let version else { return "carrel-\(UUID().uuidString.lowercased())" }
        var hash = Hash(.sha256)
        hash.update(Data("\(target.percentEncoded)\n\(length)\n\(chunkSize)\n\(version)\n".utf8))
        let sample: Int64 = 1 << 20
        for start in [0, max(0, length - sample)] { try await add(start..<min(length, start + sample), to: &hash) }
        return "carrel-" + hash.digest.hexadecimal.prefix(32)
    }

    private func add(_ part: Range<Int64>, to hash: inout Hash) async throws {
        // Not through the mark of the last byte: this is no sending.
        let bytes = try write.source.base.bytes(from: part.lowerBound)
        var left = part.count
        while left > 0, let piece = try await bytes.next(upTo: min(left, 256 << 10)) {
            hash.update(piece)
            left -= piece.count
        }
    }

    /// Makes the folder of the upload, or finds what is in it.
    private func begin(_ folder: ProviderPath) async throws -> [String: Int64] {
        do {
            try await make(folder)
            return [:]
        } catch let error as HTTPStatusError where error.code.rawValue == 405 {
            let present = try await chunks(in: folder)
            if write.options.resumption == nil { return present }
            if try await isOwn(present, in: folder) { return present }
            // The kept chunks are not the source's, although their name is.
            _ = try await server.change(
                HTTPRequest("DELETE", path: folder, isFolder: true, accepts: [404], isWriting: true))
            try await make(folder)
            return [:]
        }
    }

    private func make(_ folder: ProviderPath) async throws {
        _ = try await server.change(
            HTTPRequest(
                "MKCOL", path: folder, isFolder: true, headers: [destination], repetition: .ifNotDone, isWriting: true))
    }

    /// The sizes of the chunks that the server has, by name.
    private func chunks(in folder: ProviderPath) async throws -> [String: Int64] {
        let found = CollectedValues<FileObject>()
        try await server.list(folder) { found.append($0) }
        return Dictionary(found.values.compactMap { item in item.size.map { (item.name, $0) } }) { $1 }
    }

    /// Checks that the server has all bytes, before they replace anything. One request.
    ///
    /// - Throws: `CocoaError(.fileWriteUnknown)` if it has another number.
    private func checkChunks(in folder: ProviderPath) async throws {
        let kept = try await chunks(in: folder).values.reduce(0, +)
        guard kept != length else { return }
        throw FileError.make(
            .fileWriteUnknown, path: write.path, url: server.url(of: target),
            sentence: "The server kept \(kept) of the \(length) bytes of “\(write.path)”. Nothing was replaced.")
    }

    private func put(_ part: Range<Int64>, at path: ProviderPath) async throws {
        // The last is read to the end of the source: more than was promised is an error then, before anything is
        // joined.
        let source = PartSource(base: write.source.base, part: part, isLast: part.upperBound == length)
        _ = try await server.connection.send(
            HTTPRequest("PUT", path: path, headers: [destination, total], body: .source(source), isWriting: true))
    }

    /// Leaves the chunks that a later run can use, and removes the rest. The server removes abandoned chunks after a
    /// day.
    private func abandon(_ folder: ProviderPath, after error: any Error) async {
        if version != nil, error.isTransient || error.isCancellation { return }
        await server.cleanUp {
            let request = HTTPRequest("DELETE", path: folder, isFolder: true, accepts: [404], isWriting: true)
            _ = try? await server.connection.sendOnce(request)
        }
    }

    /// How long joining is waited for once it was not answered, in seconds.
    @TaskLocal static var joinTime: Double = 600

    /// Has the server join the chunks.
    ///
    /// Joining may take long: a gateway gives up before (504), a second try meets the first (423), and one after it
    /// finds no chunks any more (404). So each further try begins with a look at the target, and nothing is removed,
    /// because the server may still need it.
    private func join(_ folder: ProviderPath) async throws -> FileObject {
        let headers =
            [destination, total, ("Overwrite", write.options.overwrite ? "T" : "F")] + server.timeHeaders(for: write)
        let condition = server.condition(at: target, tag: write.options.ifMatch).map { [$0] } ?? []
        let request = HTTPRequest(
            "MOVE", path: try folder.appending(".file"), headers: headers + condition, repetition: .ifNotDone,
            isWriting: true)
        let options = server.connection.options
        var (tries, pause, isUnanswered) = (0, options.retries.firstPause, false)
        var again: RepeatedTry?
        let deadline = ContinuousClock.now + .seconds(Self.joinTime)
        while true {
            do {
                if isUnanswered, let item = try await finished() { return write.finished(item, []) }
                // Whether the file is there is known by its answer only, cancelled or not.
                let head = try await RepeatedTry.run(again) {
                    try await withCancellationShield { try await server.connection.sendOnce(request) }
                }
                return write.finished(FileObject(path: write.path, type: .regular, size: length), [head])
            } catch {
                let isRefused = (error as? HTTPStatusError)?.code.rawValue == 412
                if isUnanswered, isRefused || error.isNoSuchFile, let item = try await finished() {
                    return write.finished(item, [])
                }
                let isLost = WebDAVFileProvider.isWithoutAnswer(error)
                isUnanswered = isUnanswered || isLost
                let mayGoOn = isUnanswered ? ContinuousClock.now < deadline : tries < options.retries.retries
                guard mayGoOn, isLost || error.isTransient, !error.isCancellation else {
                    if !isUnanswered { await abandon(folder, after: error) }
                    throw isRefused ? refusal(error) : error
                }
                tries += 1
                again = RepeatedTry(number: tries, cause: error)
                options.counters.add(.retries)
                let asked = (error as? any RetryAfterError)?.retryAfter ?? 0
                do { try await Task.sleep(for: .seconds(min(options.retries.longestPause, max(pause, asked)))) } catch {
                    if !isUnanswered { await abandon(folder, after: error) }
                    throw error
                }
                pause = min(pause * 2, options.retries.longestPause)
            }
        }
    }

    private func refusal(_ error: any Error) -> any Error {
        if write.options.ifMatch != nil { return server.otherVersion(write.path, underlying: error) }
        return FileError.make(.fileWriteFileExists, path: write.path, url: server.url(of: target), underlying: error)
    }

    /// The file at the target, if it is the one that was sent: by its size and the time that was set, and not the one
    /// from before.
    private func finished() async throws -> FileObject? {
        guard let item = try await server.itemIfAny(target), item.size == length else { return nil }
        if let wanted = write.options.modificationDate?.wholeSeconds, let date = item.modifiedDate, date != wanted {
            return nil
        }
        let isOld =
            replaced.map {
                $0.size == item.size && $0.entryTag == item.entryTag && $0.modifiedDate == item.modifiedDate
            } ?? false
        return isOld ? nil : item
    }
}

extension WebDAVFileProvider {
    /// This server from its root on.
    func ofWholeServer(_ quirks: WebDAVQuirks) throws -> WebDAVFileProvider {
        if rootPath.isRoot { return self }
        return try wholeServer.update { known in
            if let known { return known }
            let connection = try HTTPConnection(
                url: connection.baseURL.serverRoot, options: connection.options, provider: Self.type)
            let made = try WebDAVFileProvider(connection: connection, quirks: quirks)
            known = made
            return made
        }
    }
}

/// A part of a source, as a source.
private struct PartSource: WriteSource {
    let base: any WriteSource
    let part: Range<Int64>
    /// Whether what lies behind the part is shown, too: there should be nothing.
    let isLast: Bool

    var length: Int64? { Int64(part.count) }
    var isRepeatable: Bool { base.isRepeatable }

    func bytes(from offset: Int64) throws -> any ByteSource {
        Bytes(
            base: try base.bytes(from: part.lowerBound + offset),
            left: LockedValue(isLast ? .max : Int64(part.count) - offset))
    }

    private final class Bytes: ByteSource {
        private let base: any ByteSource
        private let left: LockedValue<Int64>

        init(base: any ByteSource, left: LockedValue<Int64>) {
            self.base = base
            self.left = left
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep {
            let maxCount = Int(clamping: left.value)
            if maxCount <= 0 { return .end }
            let step = try base.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(maxCount, buffer.count)]))
            if case .bytes(let count) = step { left.update { $0 -= Int64(count) } }
            return step
        }

        func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }
    }
}
