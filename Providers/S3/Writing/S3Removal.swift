import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider
import SafeXML
import Synchronization

/// Why one key of many was not removed.
struct S3Refusal: Sendable {
    let key: [UInt8]
    let code: String
    let message: String?

    var isTransient: Bool { ["InternalError", "SlowDown", "ServiceUnavailable", "OperationAborted"].contains(code) }

    /// The sentence names the item, and how many there are like it.
    func error(others: Int, over connection: HTTPConnection) -> CocoaError {
        let path = (try? ProviderPath(bytes: key)) ?? .root
        let name = String(decoding: key, as: UTF8.self)
        let cause = HTTPServerMessage(
            code: FileProviderHTTPErrorCode(rawValue: code == "AccessDenied" ? 403 : 500), path: path,
            description: message ?? code)
        let rest = others > 0 ? ", and \(others) more" : ""
        return FileError.make(
            code == "AccessDenied" ? .fileWriteNoPermission : .fileWriteUnknown, path: path,
            url: connection.url(of: path),
            sentence: "“/\(name)”\(rest) could not be removed: \(cause.serverDescription ?? code)", underlying: cause)
    }
}

extension S3Service {
    /// Batches of keys on their way at once.
    private static let batches = 3

    /// Removes an object, the marker of a folder, or everything below one.
    func remove(_ item: FileObject, recursive: Bool, progress: ProgressReporter, over connection: HTTPConnection)
        async throws
    {
        guard item.isDirectory, recursive else {
            progress.expect(1)
            try await removeOne(
                item.isDirectory ? Self.prefix(of: item.path) : item.path.bytes, of: item.path, over: connection)
            return progress.advance(by: 1)
        }
        var refused: [S3Refusal] = []
        try await withThrowingTaskGroup(of: [S3Refusal].self) { group in
            var tree = S3Tree(self, below: item.path, over: connection)
            var running = 0
            while let objects = try await tree.next() {
                let keys = objects.map(\.key)
                progress.expectMore(Int64(keys.count))
                if running == Self.batches {
                    refused += try await group.next() ?? []
                    running -= 1
                }
                group.addTask { try await remove(keys, of: item.path, progress: progress, over: connection) }
                running += 1
            }
            for try await more in group { refused += more }
        }
        // Keys that could not be removed stay, and so does the folder: it can be removed again.
        if let first = refused.first { throw first.error(others: refused.count - 1, over: connection) }
    }

    /// Removes a thousand keys at most (`DeleteObjects`). Refusals that pass are tried again.
    ///
    /// - Returns: What the server refused for good.
    func remove(
        _ keys: [[UInt8]], of folder: ProviderPath, progress: ProgressReporter = ProgressReporter(),
        over connection: HTTPConnection
    ) async throws -> [S3Refusal] {
        let rest = Mutex(keys)
        let refused = CollectedValues<S3Refusal>()
        try await tryingAgain(over: connection) {
            let keys = rest.withLock { $0 }
            let all = try await removeOnce(keys, of: folder, over: connection)
            let passing = all.filter(\.isTransient)
            refused.append(all.filter { !$0.isTransient })
            progress.advance(by: Int64(keys.count - all.count))
            rest.withLock { $0 = passing.map(\.key) }
            guard passing.isEmpty else {
                throw LateFailure(
                    error: connection.error(status: 503, request: HTTPRequest("POST", path: folder, isWriting: true)))
            }
        }
        return refused.values
    }

    private func removeOnce(_ keys: [[UInt8]], of folder: ProviderPath, over connection: HTTPConnection) async throws
        -> [S3Refusal]
    {
        var body = #"<?xml version="1.0" encoding="UTF-8"?><Delete><Quiet>true</Quiet>"#
        var count = 0
        for key in keys {
            guard let text = S3Encoding.xml(key) else {
                // No XML document can name it.
                try await removeOne(key, of: folder, over: connection)
                continue
            }
            body += "<Object><Key>\(text)</Key></Object>"
            count += 1
        }
        if count == 0 { return [] }
        let data = Data((body + "</Delete>").utf8)
        let request = request(
            "POST", folder, url: url(ofKey: [], query: "delete="),
            headers: [("Content-Type", "application/xml")] + Self.digests(data), body: .data(data), isWriting: true)
        let (answer, _) = try await document(for: request, named: "Delete", over: connection)
        return answer.all("Error").map {
            S3Refusal(
                key: Array(($0.first("Key")?.text ?? "").utf8), code: $0.first("Code")?.text ?? "",
                message: $0.first("Message")?.text)
        }
    }

    /// Removes one key; one that is not there is fine.
    func removeOne(_ key: [UInt8], of path: ProviderPath, over connection: HTTPConnection) async throws {
        try Self.checkSegments(of: key)
        _ = try await connection.send(request("DELETE", path, url: url(ofKey: key), isWriting: true))
    }
}
