import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider
import SafeXML

/// One version of an object, and where its copy goes.
private struct S3Copy: Sendable {
    let source: [UInt8]
    let target: [UInt8]
    var size: Int64
    /// The tag; nil if the server gives none, and then any version is copied.
    var entryTag: String?
    var mimeType: String?
    /// One that the bucket keeps; nil for the newest.
    var version: String?
}

extension S3Service {
    /// Copies in flight at once.
    private static let copies = 4
    /// How many versions of an object are tried before it counts as one that never stands still.
    private static let versions = 3
    /// Bytes of a part of an object that is copied in parts: at most this, so that some are in flight at once.
    private static let copyPart: Int64 = 512 << 20

    /// Copies an object, or everything below a folder.
    func copy(
        _ item: FileObject, to destination: ProviderPath, progress: ProgressReporter, over connection: HTTPConnection
    ) async throws {
        _ = try await copyAll(item, to: destination, progress: progress, over: connection)
    }

    /// Copies, and when all of it has arrived removes the versions that were copied, and nothing else.
    ///
    /// - Throws: Also `CocoaError(.fileWriteUnknown)` when something was replaced meanwhile: what is new stays where it
    ///   is.
    func move(
        _ item: FileObject, to destination: ProviderPath, progress: ProgressReporter, over connection: HTTPConnection
    ) async throws {
        let copied = try await copyAll(item, to: destination, progress: progress, over: connection)
        try await withCancellationShield {
            if item.isDirectory {
                try await removeTree(item.path, as: copied, over: connection)
            } else if let copy = copied.first {
                try await removeObject(copy, of: item.path, over: connection)
            }
        }
    }

    /// - Returns: The versions that were copied.
    private func copyAll(
        _ item: FileObject, to destination: ProviderPath, progress: ProgressReporter, over connection: HTTPConnection
    ) async throws -> [S3Copy] {
        try Self.checkKey(destination)
        guard item.isDirectory else {
            let copy = S3Copy(
                source: item.path.bytes, target: destination.bytes, size: item.size ?? 0, entryTag: item.entryTag)
            progress.expect(copy.size)
            return [try await run(copy, of: item.path, progress: progress, over: connection)]
        }
        let begun = CollectedValues<[UInt8]>()
        do {
            return try await copyTree(item.path, to: destination, begun: begun, progress: progress, over: connection)
        } catch {
            // Nothing was there before: what was copied goes again, also when the task is cancelled, and what may have
            // been, as its answer was not waited for. The first error is the one to tell.
            await withCancellationShield { _ = try? await removeAll(begun.values, of: destination, over: connection) }
            throw error
        }
    }

    private func removeObject(_ copy: S3Copy, of path: ProviderPath, over connection: HTTPConnection) async throws {
        do {
            let now = try await newest(copy, of: path, over: connection)
            guard now.entryTag == copy.entryTag else { throw Self.replaced([copy.source], of: path, over: connection) }
        } catch let error where error.isNoSuchFile {
            return
        }
        try await removeOne(copy.source, of: path, over: connection)
    }

    /// Lists the folder again, because copying may have taken hours.
    private func removeTree(_ folder: ProviderPath, as copied: [S3Copy], over connection: HTTPConnection) async throws {
        let known = Dictionary(copied.map { ($0.source, $0.entryTag) }, uniquingKeysWith: { first, _ in first })
        var refused: [S3Refusal] = []
        var replaced: [[UInt8]] = []
        var tree = S3Tree(self, below: folder, over: connection)
        while let objects = try await tree.next() {
            let ours = objects.filter { known.keys.contains($0.key) }
            let same = ours.filter { known[$0.key] == .some($0.entryTag) }.map(\.key)
            replaced += ours.filter { known[$0.key] != .some($0.entryTag) }.map(\.key)
            refused += try await removeAll(same, of: folder, over: connection)
        }
        if let first = refused.first { throw first.error(others: refused.count - 1, over: connection) }
        if !replaced.isEmpty { throw Self.replaced(replaced, of: folder, over: connection) }
    }

    private static func replaced(_ keys: [[UInt8]], of path: ProviderPath, over connection: HTTPConnection)
        -> CocoaError
    {
        let name = String(decoding: keys.first ?? [], as: UTF8.self)
        let rest = keys.count > 1 ? ", and \(keys.count - 1) more" : ""
        return FileError.make(
            .fileWriteUnknown, path: path, url: connection.url(of: path),
            sentence:
                "“/\(name)”\(rest) was replaced after it had been copied; what is new there was not moved and stays.")
    }

    private func removeAll(_ keys: [[UInt8]], of path: ProviderPath, over connection: HTTPConnection) async throws
        -> [S3Refusal]
    {
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
        _ folder: ProviderPath, to destination: ProviderPath, begun: CollectedValues<[UInt8]>,
        progress: ProgressReporter,
        over connection: HTTPConnection
    ) async throws -> [S3Copy] {
        let length = Self.prefix(of: folder).count
        let prefix = Self.prefix(of: destination)
        return try await withThrowingTaskGroup(of: S3Copy.self) { group in
            var done: [S3Copy] = []
            var tree = S3Tree(self, below: folder, over: connection)
            var running = 0
            while let objects = try await tree.next() {
                progress.expectMore(objects.reduce(0) { $0 + ($1.size ?? 0) })
                for object in objects {
                    let copy = S3Copy(
                        source: object.key, target: prefix + object.key.dropFirst(length), size: object.size ?? 0,
                        entryTag: object.entryTag
                    )
                    try Self.checkSegments(of: copy.source)
                    try Self.checkSegments(of: copy.target)
                    if running == Self.copies, let copied = try await group.next() {
                        done.append(copied)
                        running -= 1
                    }
                    begun.append(copy.target)
                    group.addTask { try await run(copy, of: folder, progress: progress, over: connection) }
                    running += 1
                }
            }
            for try await copied in group { done.append(copied) }
            return done
        }
    }

    /// Copies the version that was listed, or where that is gone the one that took its place.
    ///
    /// - Returns: What was copied.
    private func run(
        _ copy: S3Copy, of path: ProviderPath, progress: ProgressReporter, over connection: HTTPConnection
    ) async throws -> S3Copy {
        var copy = copy
        for _ in 0..<Self.versions {
            // Only a look tells the type as well, which a copy in parts has to be given.
            if copy.size > copyLimit { copy = try await newest(copy, of: path, over: connection) }
            do {
                try await copyVersion(copy, of: path, over: connection)
                progress.advance(by: copy.size)
                return copy
            } catch let error as HTTPStatusError where error.code.rawValue == 412 {
                copy = try await newest(copy, of: path, over: connection)
            }
        }
        let name = String(decoding: copy.source, as: UTF8.self)
        throw FileError.make(
            .fileReadUnknown, path: path, url: connection.url(of: path),
            sentence: "“/\(name)” was replaced again and again while it was copied.")
    }

    /// - Throws: `HTTPStatusError` 412 when the version is gone.
    private func copyVersion(_ copy: S3Copy, of path: ProviderPath, over connection: HTTPConnection) async throws {
        if copy.size > copyLimit { return try await copyInParts(copy, of: path, over: connection) }
        let request = request(
            "PUT", path, url: url(ofKey: copy.target), headers: copySource(copy), body: .data(Data()), isWriting: true)
        _ = try await document(for: request, named: "Copy", over: connection)
    }

    /// Copies a version that the bucket keeps over the object.
    ///
    /// - Throws: `CocoaError(.fileNoSuchFile)` for a version that is gone.
    func copyVersion(_ version: FileVersion, over connection: HTTPConnection) async throws {
        let path = version.path
        try Self.checkSegments(of: path.bytes)
        var copy = S3Copy(
            source: path.bytes, target: path.bytes, size: version.size ?? 0, version: version.identifier)
        if version.size.map({ $0 > copyLimit }) ?? true {
            // A copy in parts has to be given size and type.
            let head = try await connection.send(
                request("HEAD", path, url: url(of: path, version: version.identifier), isWriting: true))
            let item = FileObject(path: path, describedBy: head)
            (copy.size, copy.mimeType) = (item.size ?? copy.size, item.mimeType)
        }
        try await copyVersion(copy, of: path, over: connection)
    }

    /// The version that is there now, with its size and tag from one answer.
    private func newest(_ copy: S3Copy, of path: ProviderPath, over connection: HTTPConnection) async throws -> S3Copy {
        let item = FileObject(
            path: path, describedBy: try await connection.send(request("HEAD", path, url: url(ofKey: copy.source))))
        return S3Copy(
            source: copy.source, target: copy.target, size: item.size ?? copy.size, entryTag: item.entryTag,
            mimeType: item.mimeType)
    }

    private func copySource(_ copy: S3Copy) -> [(name: String, value: String)] {
        let source =
            "/\(configuration.bucket)/\(S3Encoding.percentEncoded(copy.source, keepsSlashes: true))"
            + (copy.version.map { "?versionId=\(S3Encoding.percentEncoded($0.utf8))" } ?? "")
        return [("x-amz-copy-source", source)] + (copy.entryTag.map { [("x-amz-copy-source-if-match", $0)] } ?? [])
    }

    /// `UploadPartCopy`, several at once, of one version of the object.
    private func copyInParts(_ copy: S3Copy, of path: ProviderPath, over connection: HTTPConnection) async throws {
        let type = copy.mimeType.map { [("Content-Type", $0)] } ?? []
        let upload = try await startUpload(copy.target, of: path, headers: type, over: connection)
        do {
            let size = max(min(Self.copyPart, copyLimit), (copy.size + 9999) / 10_000)
            let tags = CollectedValues<(number: Int, tag: String)>()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, start) in stride(from: 0, to: copy.size, by: Int64.Stride(size)).enumerated() {
                    if index >= Self.copies { try await group.next() }
                    let range = ("x-amz-copy-source-range", "bytes=\(start)-\(min(start + size, copy.size) - 1)")
                    let query = "partNumber=\(index + 1)&uploadId=\(S3Encoding.percentEncoded(upload.utf8))"
                    let request = request(
                        "PUT", path, url: url(ofKey: copy.target, query: query), headers: copySource(copy) + [range],
                        body: .data(Data()),
                        isWriting: true)
                    group.addTask {
                        let (answer, _) = try await document(for: request, named: "Copy", over: connection)
                        tags.append((index + 1, answer.first("ETag")?.text ?? ""))
                    }
                }
                try await group.waitForAll()
            }
            try await finishUpload(
                upload, of: copy.target, path: path, parts: tags.values.sorted { $0.number < $1.number },
                over: connection)
        } catch {
            await withCancellationShield { await abortUpload(upload, of: copy.target, path: path, over: connection) }
            throw error
        }
    }

    /// - Throws: `CocoaError(.fileWriteInvalidFileName)` for a key with `.` or `..` between its slashes, which no URL
    ///   can name: on its way it would become that of another object.
    static func checkSegments(of key: [UInt8]) throws {
        let dot = UInt8(ascii: ".")
        let isLegal = key.split(separator: UInt8(ascii: "/")).allSatisfy { $0 != [dot] && $0 != [dot, dot] }
        guard isLegal else {
            let name = String(decoding: key, as: UTF8.self)
            throw FileError.make(
                .fileWriteInvalidFileName, path: name,
                sentence: "The object “\(name)” has “.” or “..” in its key, which no URL can name.")
        }
    }
}
