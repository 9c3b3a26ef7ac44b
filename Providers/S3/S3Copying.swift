import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider
import SafeXML

/// One object, and where its copy goes.
private struct S3Copy: Sendable {
    let source: [UInt8]
    let target: [UInt8]
    let size: Int64
    var mimeType: String?
}

extension S3Service {
    /// Copies in flight at once.
    private static let copies = 4
    /// Bytes of a part of an object that is copied in parts: at most this, so that some are in flight at once.
    private static let copyPart: Int64 = 512 << 20

    /// Copies an object, or everything below a folder.
    ///
    /// - Returns: The keys that were copied.
    @discardableResult
    func copy(
        _ item: FileObject, to destination: ProviderPath, progress: ProgressReporter, over connection: HTTPConnection
    ) async throws -> [[UInt8]] {
        try Self.checkKey(destination)
        guard item.isDirectory else {
            let copy = S3Copy(source: item.path.bytes, target: destination.bytes, size: item.size ?? 0, mimeType: item.mimeType)
            progress.expect(copy.size)
            try await run(copy, of: item.path, progress: progress, over: connection)
            return [copy.source]
        }
        let done = Collected<S3Copy>()
        do {
            try await copyTree(item.path, to: destination, done: done, progress: progress, over: connection)
        } catch {
            // Nothing was there before: what was copied goes again, also when the task is cancelled. The first error is the one to tell.
            let keys = done.values.map(\.target)
            await Task { _ = try? await removeAll(keys, of: destination, over: connection) }.value
            throw error
        }
        return done.values.map(\.source)
    }

    /// Copies, and when all of it has arrived removes what was copied, and nothing else.
    func move(_ item: FileObject, to destination: ProviderPath, progress: ProgressReporter, over connection: HTTPConnection) async throws {
        let keys = try await copy(item, to: destination, progress: progress, over: connection)
        let refused = try await Task { try await removeAll(keys, of: item.path, over: connection) }.value
        if let first = refused.first { throw first.error(others: refused.count - 1, over: connection) }
    }

    private func removeAll(_ keys: [[UInt8]], of path: ProviderPath, over connection: HTTPConnection) async throws -> [S3Refusal] {
        if keys.count == 1 {
            try await removeOne(keys[0], of: path, over: connection)
            return []
        }
        var refused: [S3Refusal] = []
        for start in stride(from: 0, to: keys.count, by: 1000) {
            refused += try await remove(Array(keys[start..<min(start + 1000, keys.count)]), of: path, over: connection)
        }
        return refused
    }

    private func copyTree(
        _ folder: ProviderPath, to destination: ProviderPath, done: Collected<S3Copy>, progress: ProgressReporter,
        over connection: HTTPConnection
    ) async throws {
        let length = Self.prefix(of: folder).count
        let prefix = Self.prefix(of: destination)
        try await withThrowingTaskGroup(of: Void.self) { group in
            var tree = S3Tree(self, below: folder, over: connection)
            var running = 0
            while let objects = try await tree.next() {
                progress.expectMore(objects.reduce(0) { $0 + ($1.size ?? 0) })
                for object in objects {
                    let copy = S3Copy(source: object.key, target: prefix + object.key.dropFirst(length), size: object.size ?? 0)
                    if running == Self.copies {
                        try await group.next()
                        running -= 1
                    }
                    group.addTask {
                        try await run(copy, of: folder, progress: progress, over: connection)
                        done.append(copy)
                    }
                    running += 1
                }
            }
            try await group.waitForAll()
        }
    }

    private func run(_ copy: S3Copy, of path: ProviderPath, progress: ProgressReporter, over connection: HTTPConnection) async throws {
        try Self.checkSegments(of: copy.source)
        try Self.checkSegments(of: copy.target)
        if copy.size > copyLimit {
            try await copyInParts(copy, of: path, over: connection)
        } else {
            let request = request(
                "PUT", path, url: url(ofKey: copy.target), headers: [copySource(copy)], body: .data(Data()), isWriting: true)
            _ = try await document(for: request, over: connection)
        }
        progress.advance(by: copy.size)
    }

    private func copySource(_ copy: S3Copy) -> (name: String, value: String) {
        ("x-amz-copy-source", "/\(configuration.bucket)/\(S3Encoding.percentEncoded(copy.source, keepsSlashes: true))")
    }

    /// `UploadPartCopy`, several at once, of one version of the object.
    private func copyInParts(_ copy: S3Copy, of path: ProviderPath, over connection: HTTPConnection) async throws {
        let look = try await connection.send(request("HEAD", path, url: url(ofKey: copy.source)))
        let version = look["ETag"].map { [("x-amz-copy-source-if-match", $0)] } ?? []
        let type = look["Content-Type"].map { [("Content-Type", $0)] } ?? []
        let upload = try await startUpload(copy.target, of: path, headers: type, over: connection)
        do {
            let size = max(min(Self.copyPart, copyLimit), (copy.size + 9999) / 10_000)
            let tags = Collected<(number: Int, tag: String)>()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, start) in stride(from: 0, to: copy.size, by: Int64.Stride(size)).enumerated() {
                    if index >= Self.copies { try await group.next() }
                    let range = ("x-amz-copy-source-range", "bytes=\(start)-\(min(start + size, copy.size) - 1)")
                    let query = "partNumber=\(index + 1)&uploadId=\(S3Encoding.percentEncoded(upload.utf8))"
                    let request = request(
                        "PUT", path, url: url(ofKey: copy.target, query: query), headers: [copySource(copy), range] + version,
                        body: .data(Data()), isWriting: true)
                    group.addTask {
                        let (answer, _) = try await document(for: request, over: connection)
                        tags.append((index + 1, answer.first("ETag")?.text ?? ""))
                    }
                }
                try await group.waitForAll()
            }
            try await finishUpload(
                upload, of: copy.target, path: path, parts: tags.values.sorted { $0.number < $1.number }, over: connection)
        } catch {
            await Task { await abortUpload(upload, of: copy.target, path: path, over: connection) }.value
            throw error
        }
    }

    /// - Throws: `CocoaError(.fileWriteInvalidFileName)` for a key with `.` or `..` between its slashes, which no URL can name: on its way
    ///   it would become that of another object.
    static func checkSegments(of key: [UInt8]) throws {
        let dot = UInt8(ascii: ".")
        let isLegal = key.split(separator: UInt8(ascii: "/")).allSatisfy { $0 != [dot] && $0 != [dot, dot] }
        guard isLegal else {
            let name = String(decoding: key, as: UTF8.self)
            throw FileError.make(
                .fileWriteInvalidFileName, path: name, sentence: "The object “\(name)” has “.” or “..” in its key, which no URL can name.")
        }
    }
}
