import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider

extension WebDAVFileProvider {
    /// Sends a request that changes something.
    ///
    /// - Parameter destination: Where a move or copy leads: failures may be about items there, too.
    /// - Throws: For a multi-status, the error of the item that failed; of several, all of them as
    ///   ``Swift/Error/itemErrors``.
    func change(_ request: HTTPRequest, destination: ProviderPath? = nil) async throws -> ResponseHead {
        // Before, so that a listing that runs meanwhile is not kept, and after.
        cache.drop(request.path)
        defer { cache.drop(request.path) }
        var request = request
        let held = ["MOVE", "COPY"].contains(request.method) ? nil : condition(at: request.path)
        if let held { request.headers.append(held) }
        let answer = DataSink(limit: 8 << 20)
        request.receive = { $0.status == 207 ? answer as any ByteSink : DiscardingSink() }
        let head: ResponseHead
        do { head = try await connection.send(request) } catch let error as HTTPStatusError
            where error.code.rawValue == 412 && held != nil
        {
            throw lostLock(request.path, error: error)
        }
        guard head.status == 207 else { return head }
        let decoder = try MultistatusDecoder()
        try decoder.parse(answer.data)
        try decoder.finish()
        let failures = failures(in: decoder.take(), of: request, destination)
        guard let first = failures.first else { return head }
        throw failures.count == 1 ? first : FileError.several(failures, in: request.path, url: url(of: request.path))
    }

    /// The errors of the items that failed by themselves, rather than because another one did (RFC 4918, section 11.4).
    private func failures(in responses: [DAVResponse], of request: HTTPRequest, _ destination: ProviderPath?)
        -> [any Error]
    {
        // An item that is already gone is as good as removed.
        let failed = responses.filter {
            $0.hasFailed && !(request.method == "DELETE" && ($0.status == 404 || $0.status == 410))
        }
        let causes = failed.filter { $0.status != 424 }
        return (causes.isEmpty ? failed : causes).flatMap { response in
            ([response.href] + response.moreHrefs).map { href in
                var part = request
                part.path =
                    [request.path, destination].compactMap { $0.flatMap { path(of: href, in: $0) } }.first
                    ?? request.path
                part.isFolder = href.last == UInt8(ascii: "/")
                return connection.error(status: response.status ?? 500, words: response.words, request: part)
            }
        }
    }

    /// The item that an href names; nil if that is neither `item` nor below it.
    func path(of href: [UInt8], in item: ProviderPath) -> ProviderPath? {
        let asked = RequestedItem(path: rootPath.appending(item), isFolder: true, kept: 0, encoding: hrefEncoding.value)
        return asked.names(downTo: href).flatMap { names in
            (try? ProviderPath(bytes: names.joined(separator: "/".utf8))).map { item.appending($0) }
        }
    }
}
