import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider

/// Ways to write the `Destination` of a move or copy (RFC 4918, section 10.3).
///
/// The standard's own is the URL that this side uses. A proxy that ends TLS or moves paths, and leaves this header as it is, makes another
/// server's URL of it.
enum DestinationForm: CaseIterable, Sendable {
    /// The URL as this side writes it.
    case url
    /// Its path alone.
    case path
    /// The URL as the server's own hrefs would have it.
    case asInHrefs
}

/// How a server writes its own address, as an href shows it.
struct HrefBase: Equatable, Sendable {
    /// Scheme and host; nil where hrefs have none.
    private let origin: String?
    /// The names at the start of each path on this side, and what the server has in their place.
    private let ours: ArraySlice<[UInt8]>
    private let theirs: ArraySlice<[UInt8]>

    /// - Parameters:
    ///   - from: The path of an item on this side, from the server's root on.
    ///   - to: The same item's path as the server has it.
    init(origin: String?, from: [[UInt8]], to: [[UInt8]]) {
        self.origin = origin
        let common = zip(from.reversed(), to.reversed()).prefix { $0 == $1 }.count
        ours = from.dropLast(common)
        theirs = to.dropLast(common)
    }

    /// What the server would call `path`, which is counted from its root on this side; nil where that is what this side calls it.
    func destination(_ path: ProviderPath, isFolder: Bool, origin usual: String) -> String? {
        let names = path.components
        guard names.count >= ours.count, zip(names, ours).allSatisfy({ $0.elementsEqual($1) }),
            let rest = try? ProviderPath(bytes: (theirs + names.dropFirst(ours.count).map { Array($0) }).joined(separator: "/".utf8)),
            (origin ?? usual) != usual || ours != theirs
        else { return nil }
        return "\(origin ?? usual)/\(rest.percentEncoded)\(isFolder ? "/" : "")"
    }
}

extension WebDAVFileProvider {
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
        var headers = [("Overwrite", overwrite ? "T" : "F")]
        if method == "COPY" { headers.append(("Depth", "infinity")) }
        if method == "MOVE" { try await giveUpLocks(on: item.path) }
        if let condition = condition(at: destination, under: lock, tag: ifMatch) { headers.append(condition) }
        var request = HTTPRequest(
            method, item.path, isFolder: item.isDirectory, headers: headers, repetition: .ifNotDone, isWriting: true)
        request.touches = [destination]
        cache.drop(destination)
        defer { cache.drop(destination) }
        var refusal: (any Error)?
        for (form, text) in destinations(destination, isFolder: item.isDirectory) {
            var request = request
            request.headers.append(("Destination", text))
            do {
                let head = try await change(request, destination: destination)
                knownDestination.update { $0 = form }
                return head
            } catch let error where !error.isCancellation {
                if Self.isWithoutAnswer(error) {
                    if method == "MOVE", try await hasMoved(item, to: destination) { return nil }
                } else if !overwrite {
                    // 412 says it; in the way of a folder some servers answer 409 or send the client elsewhere.
                    try await refuseTaken(destination, underlying: error)
                }
                // Only what may be about the header itself is worth another form of it.
                guard knownDestination.value == nil, [400, 403, 409, 502].contains(Self.status(of: error)) else { throw error }
                refusal = refusal ?? error
            }
        }
        guard let refusal else { return nil }
        throw [400, 502].contains(Self.status(of: refusal)) ? noDestination(destination, refusal) : refusal
    }

    /// The forms to try, each as it is written for `path`.
    private func destinations(_ path: ProviderPath, isFolder: Bool) -> [(DestinationForm, String)] {
        let url = connection.url(of: path, isFolder: isFolder)
        let path = rootPath.appending(path)
        let origin = WebDAVHref.origin(in: Array(url.absoluteString.utf8)[...]) ?? ""
        let written = (knownDestination.value.map { [$0] } ?? DestinationForm.allCases).compactMap { form -> (DestinationForm, String)? in
            switch form {
            case .url: (form, url.absoluteString)
            case .path: (form, url.path(percentEncoded: true))
            case .asInHrefs:
                hrefBase.value?.destination(path, isFolder: isFolder, origin: origin).map { (form, $0) }
            }
        }
        return written.isEmpty ? [(.url, url.absoluteString)] : written
    }

    private func noDestination(_ path: ProviderPath, _ refusal: any Error) -> CocoaError {
        FileError.make(
            .fileWriteUnknown, path: path, url: url(of: path),
            sentence: "“\(connection.baseURL.host() ?? "")” does not recognise its own address in the Destination header"
                + " (\(Self.status(of: refusal) ?? 0)): a proxy in front of the server has to rewrite it.",
            underlying: refusal)
    }

    /// The status that an error stands for; nil where it does not come from an answer.
    private static func status(of error: any Error) -> Int? {
        let cause = (error as? CocoaError)?.underlying ?? error
        return (cause as? HTTPStatusError)?.code.rawValue
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
}
