import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider

extension WebDAVFileProvider {
    /// One `MOVE` or `COPY` of `item`. Both URLs end in a slash for a folder: some servers insist.
    ///
    /// - Parameters:
    ///   - lock: One on `destination` that the provider's other requests do not know.
    ///   - ifMatch: The version that the file at `destination` must have.
    /// - Returns: The answer; nil where it was lost and the item turned out to be moved.
    @discardableResult
    func send(
        _ method: String, _ item: FileObject, to destination: ProviderPath, overwrite: Bool,
        under lock: WebDAVLock? = nil,
        ifMatch: String? = nil
    ) async throws -> ResponseHead? {
        try await checkDestination(destination, overwrite: overwrite)
        var headers = [("Overwrite", overwrite ? "T" : "F")]
        if method == "COPY" { headers.append(("Depth", "infinity")) }
        if method == "MOVE" { try await giveUpLocks(on: item.path) }
        let condition = condition(at: destination, under: lock, tag: ifMatch)
        if let condition { headers.append(condition) }
        var request = HTTPRequest(
            method, path: item.path, isFolder: item.isDirectory, headers: headers, repetition: .ifNotDone,
            isWriting: true)
        request.touches = [destination]
        cache.drop(destination)
        defer { cache.drop(destination) }
        var refusal: (any Error)?
        for form in destinationForms {
            guard let text = try await self.destination(destination, of: item, form) else { continue }
            var request = request
            request.headers.append(("Destination", text))
            do {
                let head = try await change(request, destination: destination)
                try await learn(form, item, at: destination)
                // It removes what it replaces, lock and all.
                if overwrite, try await quirks().vendor == .wsgidav { locks.forget(destination) }
                return head
            } catch let error as LostElsewhere { throw error.error } catch let error where !error.isCancellation {
                if Self.isWithoutAnswer(error) {
                    if method == "MOVE", try await hasMoved(item, to: destination, after: error) { return nil }
                    // The item at the destination may be the copy, or its beginning.
                    if method == "COPY", !overwrite, try await itemIfSeen(destination) != nil { throw error }
                } else if !overwrite {
                    // 412 says it; in the way of a folder some servers answer 409 or send the client elsewhere.
                    try await refuseTaken(destination, underlying: error)
                    // No other condition was sent: something was there, and is gone by now (RFC 4918, 10.6).
                    if Self.status(of: error) == 412, condition == nil {
                        throw FileError.make(
                            .fileWriteFileExists, path: destination, url: url(of: destination), underlying: error)
                    }
                }
                if Self.status(of: error) == 412, lock == nil, ifMatch == nil, locks.holds(destination) {
                    throw lostLock(destination, error: error)
                }
                // Only what may be about the header itself is worth another form of it.
                guard knownDestination.value == nil, [400, 403, 409, 502].contains(Self.status(of: error)) else {
                    throw error
                }
                refusal = refusal ?? error
            }
        }
        guard let refusal else { return nil }
        throw [400, 502].contains(Self.status(of: refusal)) ? noDestination(destination, refusal: refusal) : refusal
    }

    /// The `Destination` in one form; nil where the server has none such, or it would lead to another place.
    private func destination(_ path: ProviderPath, of item: FileObject, _ form: DestinationForm) async throws -> String?
    {
        let url = connection.url(of: path, isFolder: item.isDirectory)
        if form == .url { return url.absoluteString }
        // How the server writes its own address tells what it would make of a path.
        if hrefBase.value == nil { _ = try await itemIfSeen(item.path) }
        let base = hrefBase.value
        // Behind a proxy that rewrites paths this side's path is another place on the server.
        if form == .path { return base?.isRewritten == true ? nil : url.path(percentEncoded: true) }
        let origin = WebDAVHref.origin(in: Array(url.absoluteString.utf8)[...]) ?? ""
        let text = base?.destination(rootPath.appending(path), isFolder: item.isDirectory, origin: origin)
        return text ?? (knownDestination.value == form ? url.absoluteString : nil)
    }

    /// An item that the server accepted and put at an unknown place.
    private struct LostElsewhere: Error {
        let error: CocoaError
    }

    /// Remembers the form of `Destination` that has worked. Of any but the standard's own, success is no proof: it may
    /// have led elsewhere.
    private func learn(_ form: DestinationForm, _ item: FileObject, at destination: ProviderPath) async throws {
        if knownDestination.value == nil, form != .url, case .nothing = try await look(destination) {
            throw LostElsewhere(
                error: FileError.make(
                    .fileWriteUnknown, path: destination, url: url(of: destination),
                    sentence: "The server has taken “\(item.path)”, but not to “\(destination)”:"
                        + " a proxy in front of it has to rewrite the Destination header."))
        }
        knownDestination.update { $0 = form }
        known.destination = form
    }

    /// The form that has worked here; before that, all of them, the one that has worked for another provider of this
    /// host first.
    private var destinationForms: [DestinationForm] {
        if let form = knownDestination.value { return [form] }
        let first = known.destination.map { [$0] } ?? []
        return first + DestinationForm.allCases.filter { !first.contains($0) }
    }

    private func noDestination(_ path: ProviderPath, refusal: any Error) -> CocoaError {
        let error = FileError.make(
            .fileWriteUnknown, path: path, url: url(of: path),
            sentence:
                "“\(connection.baseURL.host() ?? "")” does not recognise its own address in the Destination header"
                + " (\(Self.status(of: refusal) ?? 0)): a proxy in front of the server has to rewrite it.",
            underlying: refusal)
        return CocoaError(error.code, userInfo: error.userInfo.merging([Self.noDestinationKey: true]) { $1 })
    }

    /// Marks the error of a move that was refused whatever its `Destination` looked like: nothing was moved, and
    /// nothing will be.
    private static let noDestinationKey = "CarrelNoDestination"

    /// Whether `error` says that the server, or a proxy in front of it, moves nothing.
    static func refusesMoves(_ error: any Error) -> Bool {
        [405, 501].contains(status(of: error)) || (error as? CocoaError)?.userInfo[noDestinationKey] != nil
    }

    /// Moves a part that this provider has uploaded under a name that no other client knows.
    ///
    /// A proxy may end a kept connection without an answer. While the part is still there it was not moved, so that the
    /// move is sent again.
    ///
    /// - Returns: The answer; nil if it was lost and the part turned out to be moved.
    func movePart(
        _ part: FileObject, to destination: ProviderPath, overwrite: Bool, under lock: WebDAVLock? = nil,
        ifMatch: String? = nil
    ) async throws -> ResponseHead? {
        var tries = 0
        var again: RepeatedTry?
        while true {
            do {
                return try await RepeatedTry.run(again) {
                    try await send(
                        "MOVE", part, to: destination, overwrite: overwrite, under: lock, ifMatch: ifMatch)
                }
            } catch let error
                where (error as? URLError)?.code == .networkConnectionLost
                && tries <= connection.options.retries.retries
            {
                tries += 1
                again = RepeatedTry(number: tries, cause: error)
                connection.options.counters.add(.retries)
            } catch let error where tries > 0 && Self.status(of: error) != nil {
                // The first may have been carried out after the look.
                guard try await isMoved(part, to: destination) else { throw error }
                return nil
            }
        }
    }

    /// The status that an error stands for; nil where it does not come from an answer.
    static func status(of error: any Error) -> Int? {
        let cause = (error as? CocoaError)?.underlying ?? error
        return (cause as? HTTPStatusError)?.code.rawValue
    }

    /// Whether the request may have been carried out: its answer was lost on the way, also behind a gateway.
    static func isWithoutAnswer(_ error: any Error) -> Bool {
        if let status = (error as? HTTPStatusError)?.code.rawValue { return [408, 502, 504].contains(status) }
        return (error as? URLError).map { $0.code == .networkConnectionLost || $0.code == .timedOut } ?? false
    }

    /// Whether the server may still be at it: it, or a gateway before it, only took too long. A gateway's 502 may be
    /// about the `Destination` while its form is not known.
    private func mayBeUnderWay(_ error: any Error) -> Bool {
        switch Self.status(of: error) {
        case 408, 504: true
        case 502: knownDestination.value != nil
        default: (error as? URLError)?.code == .timedOut
        }
    }

    /// Whether what was at one place is at the other now. While it may be on its way, both are looked at again, for as
    /// long as the policy's longest pause.
    ///
    /// - Throws: An error that ``isUndecided(_:)`` when that was not long enough.
    private func hasMoved(_ item: FileObject, to destination: ProviderPath, after error: any Error) async throws -> Bool
    {
        guard mayBeUnderWay(error) else { return try await isMoved(item, to: destination) }
        let policy = connection.options.retries
        let deadline = ContinuousClock.now + .seconds(policy.retries > 0 ? policy.longestPause : 0)
        var pause = policy.firstPause
        while true {
            do {
                if try await isMoved(item, to: destination) { return true }
            } catch let look where look.isCancellation || !look.isTransient {
                throw undecided(item, destination: destination, error: error)
            } catch {
                // A look that fails for a passing reason proves nothing.
            }
            guard ContinuousClock.now < deadline else { throw undecided(item, destination: destination, error: error) }
            try await Task.sleep(until: min(deadline, .now + .seconds(pause)))
            pause *= 2
        }
    }

    private func isMoved(_ item: FileObject, to destination: ProviderPath) async throws -> Bool {
        guard case .nothing = try await look(item.path), let there = try await itemIfSeen(destination) else {
            return false
        }
        return there.type == item.type && there.size == item.size
    }

    private func undecided(_ item: FileObject, destination: ProviderPath, error: any Error) -> CocoaError {
        FileError.make(
            .fileWriteUnknown, path: destination, url: url(of: destination),
            sentence:
                "The server has not said whether it moved “\(item.path)” to “\(destination)”, and may still be doing so."
                + " Nothing was removed.",
            underlying: error)
    }

    /// Whether `error` is that of a move whose end is not known: neither place may be touched.
    static func isUndecided(_ error: any Error) -> Bool {
        guard let error = error as? CocoaError, error.code == .fileWriteUnknown, error.userInfo[noDestinationKey] == nil
        else {
            return false
        }
        return error.underlying.map(isWithoutAnswer) ?? false
    }
}
