import CurlTransport
public import FileProviderCore
import Foundation
import HTTPFileProvider
import SafeXML

extension WebDAVFileProvider {
    /// Locks the item at `path` against changes by other clients, for example while a person edits it. A free name can
    /// be locked, too.
    ///
    /// Operations of this provider at `path` continue as before; moving the item away releases the lock. Release it
    /// with ``WebDAVLock/unlock()``.
    ///
    /// - Parameter timeout: Seconds for which the server should keep the lock without a refresh; it may choose another
    ///   time.
    /// - Throws: ``/HTTPFileProvider/HTTPStatusError`` with 423 if another client holds a lock there after all tries of
    ///   the policy; `CocoaError(.featureUnsupported)` if the server has no locks; `CocoaError(.fileNoSuchFile)`
    ///   without the parent.
    /// - Complexity: One `LOCK` (RFC 4918, section 9.10), and one more at each half of the time.
    public func lock(path: ProviderPath, timeout: Double = 600) async throws -> WebDAVLock {
        let lock = try await takeLock(path: path, timeout: timeout)
        locks.add(path, token: lock.token)
        return lock
    }

    /// A lock that only those requests know that are given it. One that is granted after a cancellation is given back
    /// when its token comes.
    func takeLock(path: ProviderPath, timeout: Double) async throws -> WebDAVLock {
        let taking = Task { try await requestLock(path: path, timeout: timeout) }
        do { return try await taking.sharedValue() } catch let error where error.isCancellation {
            Task {
                guard let lock = try? await taking.value else { return }
                await removeMade(by: lock)
                try? await lock.unlock()
            }
            throw error
        }
    }

    private func requestLock(path: ProviderPath, timeout: Double) async throws -> WebDAVLock {
        guard try await quirks().locks != .none else {
            throw FileError.unsupported("lock", by: Self.type, path: path, url: url(of: path))
        }
        let answer = DataSink(limit: 1 << 20)
        let request = HTTPRequest(
            "LOCK", path: path,
            headers: [
                ("Depth", "0"), ("Timeout", Self.timeout(timeout)), ("Content-Type", "application/xml; charset=utf-8"),
            ],
            body: .data(Self.lockInformation), repetition: .ifNotDone, isWriting: true
        ) { _ in answer }
        let head: ResponseHead
        do { head = try await connection.send(request) } catch let error as HTTPStatusError
            where [405, 501].contains(error.code.rawValue)
        {
            // Other providers of the server may look at places that have locks.
            known.correctHere { $0.locks = .none }
            throw FileError.make(
                .featureUnsupported, path: path, url: url(of: path), sentence: "This server has no locks.",
                underlying: error)
        } catch let error as HTTPStatusError where [409, 500].contains(error.code.rawValue) {
            try await refuseMissingParent(of: path, underlying: error)
            throw error
        }
        guard let token = head["Lock-Token"]?.trimmingCharacters(in: CharacterSet(charactersIn: "<> \t")),
            !token.isEmpty,
            !token.contains(where: { $0 == "<" || $0 == ">" || $0 == " " })
        else {
            throw FileError.make(
                .badServerResponse, url: url(of: path), sentence: "The server locks “\(path)” without a token.")
        }
        let lock = WebDAVLock(
            path: path, token: token, timeout: Self.granted(in: answer.data) ?? timeout, madeFile: head.status == 201,
            provider: self)
        lock.keepAlive()
        return lock
    }

    /// Holds a lock on `path` while `body` runs, and releases it afterwards, also after an error.
    ///
    /// - Throws: As ``lock(path:timeout:)``, and errors of `body`. A lock that cannot be released ends with its
    ///   time-out.
    public func withLock<Value: Sendable>(
        path: ProviderPath, timeout: Double = 600, _ body: (WebDAVLock) async throws -> Value
    ) async throws -> Value {
        try await with(try await lock(path: path, timeout: timeout), body)
    }

    /// Gives `lock` back after `body`, however it ends.
    func with<Value: Sendable>(_ lock: WebDAVLock, _ body: (WebDAVLock) async throws -> Value) async throws -> Value {
        do {
            let value = try await body(lock)
            await giveBack(lock)
            return value
        } catch {
            await giveBack(lock)
            throw error
        }
    }

    private func giveBack(_ lock: WebDAVLock) async {
        await cleanUp { try? await lock.unlock() }
    }

    /// Runs `work` in a task that is never cancelled, and waits for it, cancelled or not; after two seconds that task
    /// continues alone.
    func cleanUp(_ work: @escaping @Sendable () async -> Void) async {
        await withCancellationShield {
            let (ended, signal) = AsyncStream<Never>.makeStream()
            Task {
                await work()
                signal.finish()
            }
            Task {
                try await Task.sleep(for: .seconds(2))
                signal.finish()
            }
            for await _ in ended {}
        }
    }

    /// `LOCK` without a body (RFC 4918, section 9.10.2).
    func refresh(_ token: String, at path: ProviderPath, timeout: Double) async throws {
        do {
            _ = try await connection.send(
                HTTPRequest(
                    "LOCK", path: path, headers: [("If", "(<\(token)>)"), ("Timeout", Self.timeout(timeout))],
                    isWriting: true))
        } catch let error as HTTPStatusError
            where (400..<500).contains(error.code.rawValue) && ![408, 425, 429].contains(error.code.rawValue)
        {
            throw lostLock(path, error: error)
        }
    }

    func lostLock(_ path: ProviderPath, error: any Error) -> CocoaError {
        FileError.make(
            .fileWriteUnknown, path: path, url: url(of: path), sentence: "The lock on “\(path)” is no longer held.",
            underlying: error)
    }

    /// `UNLOCK` (RFC 4918, section 9.11). Servers say in many ways that there is no such lock.
    func unlock(_ token: String, at path: ProviderPath) async throws {
        _ = try await connection.send(
            // Done twice it does no harm, so that also a server that breaks down over it is asked again.
            HTTPRequest("UNLOCK", path: path, headers: [("Lock-Token", "<\(token)>")], accepts: [400, 404, 409, 412]))
    }

    /// Gives up the locks on what is about to be moved away, which do not go with it (RFC 4918, section 7.6); servers
    /// differ in which tokens they want to see for the two places of a `MOVE`.
    func giveUpLocks(on path: ProviderPath) async throws {
        for held in locks.touched(by: path) {
            locks.remove(held.path, token: held.token)
            try await unlock(held.token, at: held.path)
        }
    }

    /// The `If` header of a change at `path` (RFC 4918, section 10.4): the tokens of the locks that are held there, and
    /// the version that the file must have, in either of the two forms that one version has in time; nil for none.
    ///
    /// A list that names a resource is passed over by a server that knows it by another URL, behind a proxy that
    /// rewrites paths. One that names none is about the request's own, as an upload has it; in a `DELETE` Apache looks
    /// for it in the folder above, too, and a move's destination is not the request's own.
    func condition(
        at path: ProviderPath, isUpload: Bool = false, under lock: WebDAVLock? = nil, tag: String? = nil
    ) -> (name: String, value: String)? {
        let forms = tag.map { Self.forms(of: $0) } ?? []
        var held = locks.touched(by: path)
        if let lock { held.append((lock.path, lock.token)) }
        let isTagged = !isUpload || held.contains { $0.path != path }
        func resource(_ path: ProviderPath) -> String { isTagged ? "<\(url(of: path).absoluteString)> " : "" }
        var lists = held.map { held in
            let ors =
                held.path != path || forms.isEmpty ? ["(<\(held.token)>)"] : forms.map { "(<\(held.token)> [\($0)])" }
            return resource(held.path) + ors.joined(separator: " ")
        }
        if !forms.isEmpty, !held.contains(where: { $0.path == path }) {
            lists.append(resource(path) + forms.map { "([\($0)])" }.joined(separator: " "))
        }
        return lists.isEmpty ? nil : ("If", lists.joined(separator: " "))
    }

    /// Apache calls the same tag weak for the first seconds of a file and strong after them.
    private static func forms(of tag: String) -> [String] {
        let strong = HTTPConnection.version(tag)
        return [strong, "W/" + strong]
    }

    private static func timeout(_ seconds: Double) -> String { "Second-\(Int64(min(max(1, seconds), 4_000_000_000)))" }

    private static let lockInformation = Data(
        """
        <?xml version="1.0" encoding="utf-8"?><D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope>\
        <D:locktype><D:write/></D:locktype><D:owner>Carrel</D:owner></D:lockinfo>
        """.utf8)

    /// The time in seconds that the answer to a `LOCK` grants; nil where it tells none, or that it has no end.
    private static func granted(in body: Data) -> Double? {
        guard let root = try? XMLElement.parse(body), let element = root.descendants("timeout", namespace: "DAV:").first
        else { return nil }
        for word in element.text.split(separator: ",") {
            let word = word.trimmingCharacters(in: .whitespaces)
            if word.hasPrefix("Second-"), let seconds = Int64(word.dropFirst("Second-".count)), seconds > 0 {
                return Double(min(seconds, 4_294_967_295))
            }
        }
        return nil
    }
}
