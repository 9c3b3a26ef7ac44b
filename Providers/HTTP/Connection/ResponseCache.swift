import Cryptography
package import CurlTransport
package import FileProviderCore
package import Foundation

/// Answers of one origin to one user, kept in a folder beyond the process (RFC 9111, as a private cache).
///
/// Each item has a folder below that of its parent, so that the answers that a change affects go in one step. Files
/// appear complete, by renaming; several processes may share the folder. If the folder fails, answers are not kept; no
/// operation fails for it.
package final class ResponseCache: Sendable {
    /// The header of a kept file, before the bytes of the answer.
    package struct Head: Codable, Sendable {
        /// The whole of what the answer was to: names of folders are only hashes.
        var key: String
        var headers: [[String]]
        var stored: Date
        /// As ``FileReaderAttributes/redirectedTo`` has it.
        var redirectedTo: URL?

        /// The header of that name.
        func value(_ name: String) -> String? { headers.first { $0.first?.lowercased() == name.lowercased() }?.last }

        /// The version of what was kept (RFC 9110, section 8.8.3).
        package var entryTag: String? { value("ETag") }

        /// As ``FileReaderAttributes/validator`` has it.
        var validator: String? { entryTag.map { HTTPConnection.version($0) } ?? value("Last-Modified") }

        /// The header that asks whether the answer still holds (RFC 9110, section 13.1).
        var condition: (name: String, value: String)? {
            entryTag.map { ("If-None-Match", $0) } ?? value("Last-Modified").map { ("If-Modified-Since", $0) }
        }

        /// The head of the answer as it came.
        var answer: ResponseHead {
            var head = ResponseHead(status: 200)
            head.headers = headers.compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil }
            head.redirectedTo = redirectedTo
            return head
        }
    }

    /// An answer that was kept.
    package struct Answer: Sendable {
        package var head: Head
        package var body: Data
        /// Whether it may be taken for true without asking.
        package var isFresh: Bool
    }

    /// A moment to keep answers by: what is asked for before a change and answered after it is not kept.
    package struct Moment: Sendable {
        fileprivate let changes: Int
        fileprivate let stamp: Data?
    }

    private struct State: Sendable {
        var changes = 0
        /// Items to be asked for again, and since when.
        var dropped: [ProviderPath: Date] = [:]
        /// Bytes in the folder, as far as this process knows; nil before the first look.
        var bytes: Int64?
        var keptSinceLook = 0
    }

    private let policy: CachePolicy
    /// All that is Carrel's in the folder that the user has named.
    private let top: URL
    private let root: URL
    private let base: String
    private let state = LockedValue(State())

    /// - Parameters:
    ///   - base: The root's URL with all that goes with every request.
    ///   - identity: Whose answers they are. It is kept as a hash alone, and so is `base`.
    /// - Returns: Nil where the policy has no folder.
    init?(policy: CachePolicy, base: String, identity: String) {
        guard let folder = policy.folder else { return nil }
        self.policy = policy
        self.base = Self.hash(Array("\(identity)\n\(base)".utf8))
        top = URL(fileURLWithPath: folder, isDirectory: true).appending(
            path: "carrel-answers", directoryHint: .isDirectory)
        root = top.appending(path: self.base, directoryHint: .isDirectory)
    }

    /// To be taken before the server is asked.
    package func moment() async -> Moment {
        let changes = state.value.changes
        let stamp = try? await BlockingThreads.shared.run { [stampFile] in try Data(contentsOf: stampFile) }
        return Moment(changes: changes, stamp: stamp)
    }

    /// The largest answer that is kept, in bytes.
    package var maxSize: Int64 { min(policy.largestFile, policy.capacity) }

    /// Returns the kept answer to `query` about the item at `path`; an empty query is for the item's bytes.
    package func answer(_ path: ProviderPath, query: String = "") async -> Answer? {
        guard let location = location(of: path, query) else { return nil }
        let key = key(path, query)
        let kept = try? await BlockingThreads.shared.run { [self] () -> Answer? in
            guard isOurs(top) else { return nil }
            let data = try Data(contentsOf: location)
            guard let end = data.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            let head = try JSONDecoder().decode(Head.self, from: data[..<end])
            guard head.key == key else { return nil }
            let age = Date().timeIntervalSince(head.stored)
            // Used lately: what was not goes first.
            try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: location.path)
            return Answer(
                head: head, body: Data(data[(end + 1)...]),
                isFresh: !policy.validates && age >= 0 && age < policy.lifetime)
        }
        guard let kept, !isDropped(path, stored: kept.head.stored) else { return nil }
        return kept
    }

    /// Keeps an answer that was asked for at `moment`, if it says how to ask whether it still holds.
    package func keep(
        _ body: Data, _ answer: ResponseHead, _ path: ProviderPath, query: String = "", since moment: Moment
    ) async {
        let headers = answer.headers.filter { !Self.passing.contains($0.name.lowercased()) }.map {
            [$0.name, $0.value]
        }
        let head = Head(key: key(path, query), headers: headers, stored: Date(), redirectedTo: answer.redirectedTo)
        guard state.value.changes == moment.changes, head.condition != nil, answer.mayBeKept,
            Int64(body.count) <= maxSize,
            let location = location(of: path, query), let line = try? JSONEncoder().encode(head)
        else { return }
        let wasKept = try? await BlockingThreads.shared.run { [self] in
            try makeFolder(location.deletingLastPathComponent())
            guard isOurs(top) else { return false }
            try (line + [UInt8(ascii: "\n")] + body).write(to: location, options: .atomic)
            // A change that came between the question and the file may not have seen it, here or in another process.
            guard state.value.changes != moment.changes || (try? Data(contentsOf: stampFile)) != moment.stamp else {
                return true
            }
            try FileManager.default.removeItem(at: location)
            return false
        }
        if wasKept == true { await makeRoom(for: Int64(line.count + 1 + body.count) + Self.overhead) }
    }

    /// Restarts the age of an answer that the server has confirmed.
    func renew(_ kept: Answer, path: ProviderPath, query: String = "", since moment: Moment) async {
        if !policy.validates { await keep(kept.body, kept.head.answer, path, query: query, since: moment) }
    }

    /// Forgets the item at `path`, what lies below it, and what its folder's listing said.
    func forget(_ path: ProviderPath) async {
        state.update { $0.changes += 1 }
        guard let folder = folder(of: path) else { return }
        let parent = path.parent.flatMap { self.folder(of: $0) }
        _ = try? await BlockingThreads.shared.run { [self] in
            try makeFolder(root)
            try? Data("\(UInt64.random(in: 0 ... .max))".utf8).write(to: stampFile, options: .atomic)
            try? FileManager.default.removeItem(at: folder)
            guard let parent else { return }
            for name in try FileManager.default.contentsOfDirectory(atPath: parent.path)
            where name.hasPrefix(Self.answerPrefix) {
                try? FileManager.default.removeItem(at: parent.appending(path: name))
            }
        }
    }

    /// Forgets as ``forget(_:)`` does, for all requests from now on; the files are removed later.
    package func drop(_ path: ProviderPath) {
        state.update { state in
            state.changes += 1
            if state.dropped.count >= 1000 { state.dropped = [.root: Date()] }
            state.dropped[path] = Date()
        }
        Task { await forget(path) }
    }

    private func isDropped(_ path: ProviderPath, stored: Date) -> Bool {
        state.value.dropped.contains {
            (path == $0.key || path.isBelow($0.key) || $0.key.parent == path) && stored <= $0.value
        }
    }

    // MARK: Places

    private static let answerPrefix = "answer-"
    /// The space that an entry takes besides its bytes: a folder.
    private static let overhead: Int64 = 4096
    /// Headers of the exchange rather than of what was exchanged (RFC 9110, section 7.6.1), and secrets.
    private static let passing: Set<String> = [
        "connection", "keep-alive", "transfer-encoding", "set-cookie", "authentication-info", "www-authenticate",
        "content-range",
    ]

    private var stampFile: URL { root.appending(path: "changes") }

    private func key(_ path: ProviderPath, _ query: String) -> String {
        "\(base)\n\(path.percentEncoded)\n\(Self.hash(Array(query.utf8)))"
    }

    private func location(of path: ProviderPath, _ query: String) -> URL? {
        folder(of: path)?.appending(path: Self.answerPrefix + Self.hash(Array(query.utf8)))
    }

    /// Nil for items so deep that a path on this machine would be too long.
    private func folder(of path: ProviderPath) -> URL? {
        guard path.components.count <= 64 else { return nil }
        return path.components.reduce(root) { $0.appending(path: Self.hash(Array($1)), directoryHint: .isDirectory) }
    }

    /// Half of a SHA-256, in hexadecimal digits.
    private static func hash(_ bytes: [UInt8]) -> String { String(Digest(.sha256, of: bytes).hexadecimal.prefix(32)) }

    private func makeFolder(_ folder: URL) throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Whether this user owns the folder and no other may write there: files of another user would be taken for the
    /// server's answers.
    private func isOurs(_ folder: URL) -> Bool {
        var status = stat()
        guard lstat(folder.path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid() && status.st_mode & 0o022 == 0
    }

    // MARK: Room

    private func makeRoom(for bytes: Int64) async {
        let needsLook = state.update { state in
            state.bytes = state.bytes.map { $0 + bytes }
            state.keptSinceLook += 1
            // Other processes keep answers, too.
            return state.bytes.map { $0 > policy.capacity } ?? true || state.keptSinceLook >= 256
        }
        guard needsLook else { return }
        let left = try? await BlockingThreads.shared.run { [self] in removeLeastUsed() }
        state.update { state in
            state.bytes = left
            state.keptSinceLook = 0
        }
    }

    /// Removes what was used least lately, to nine tenths of the capacity if that is exceeded. Returns what is left, in
    /// bytes.
    private func removeLeastUsed() -> Int64 {
        let keys: Set<URLResourceKey> = [.fileSizeKey, .contentModificationDateKey, .isRegularFileKey]
        var files: [(url: URL, used: Date, bytes: Int64)] = []
        for case let url as URL in FileManager.default.enumerator(at: top, includingPropertiesForKeys: Array(keys))
            ?? .init()
        {
            let values = try? url.resourceValues(forKeys: keys)
            guard values?.isRegularFile == true, url.lastPathComponent.hasPrefix(Self.answerPrefix) else { continue }
            files.append(
                (url, values?.contentModificationDate ?? .distantPast, Int64(values?.fileSize ?? 0) + Self.overhead))
        }
        var bytes = files.reduce(0) { $0 + $1.bytes }
        guard bytes > policy.capacity else { return bytes }
        for file in files.sorted(by: { $0.used < $1.used }) where bytes > policy.capacity / 10 * 9 {
            // Another process may have been quicker.
            try? FileManager.default.removeItem(at: file.url)
            bytes -= file.bytes
            var folder = file.url.deletingLastPathComponent()
            while folder.path.count > root.path.count, rmdir(folder.path) == 0 { folder.deleteLastPathComponent() }
        }
        return bytes
    }
}

extension ResponseHead {
    /// Whether a private cache may keep the answer (RFC 9111, section 5.2.2.5), and would recognise what it is an
    /// answer to.
    fileprivate var mayBeKept: Bool {
        guard status == 200 || status == 206, self["Vary"] != "*",
            joined("Cache-Control")?.lowercased().contains("no-store") != true
        else {
            return false
        }
        if self["ETag"] != nil { return true }
        // A time alone tells two versions of one second apart only when it is some time ago (RFC 9110, section
        // 8.8.2.2).
        guard let modified = self["Last-Modified"].flatMap({ HTTPDate.parse($0) }),
            let now = self["Date"].flatMap({ HTTPDate.parse($0) })
        else { return false }
        return now.timeIntervalSince(modified) >= 60
    }
}
