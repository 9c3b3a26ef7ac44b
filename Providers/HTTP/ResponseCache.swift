import CurlTransport
import FileProviderCore
import Foundation

/// Answers of one origin, kept in a folder beyond the process (RFC 9111, as a private cache).
///
/// Each item has a folder of its own below that of its parent, so that what a change touches goes in one step. Files come into being whole,
/// by renaming; several processes may share the folder. What goes wrong with it is as if nothing were kept: no operation fails for it.
final class ResponseCache: Sendable {
    /// What stands before the bytes of an answer.
    struct Head: Codable, Sendable {
        /// The whole of what the answer was to: names of folders are only hashes.
        var key: String
        var entryTag: String?
        var modified: String?
        var mimeType: String?
        var stored: Date

        /// As ``FileReaderAttributes/validator`` has it.
        var validator: String? { entryTag.map { HTTPConnection.version($0) } ?? modified }

        /// The header that asks whether the answer still holds (RFC 9110, section 13.1).
        var condition: (name: String, value: String)? {
            entryTag.map { ("If-None-Match", $0) } ?? modified.map { ("If-Modified-Since", $0) }
        }
    }

    /// An answer that was kept.
    struct Answer: Sendable {
        var head: Head
        var body: Data
        /// Whether it may be taken for true without asking.
        var isFresh: Bool
    }

    /// A moment to keep answers by: what is asked for before a change and answered after it is not kept.
    struct Moment: Sendable {
        fileprivate let changes: Int
    }

    private struct State: Sendable {
        var changes = 0
        /// Bytes in the folder, as far as this process knows; nil before the first look.
        var bytes: Int64?
        var keptSinceLook = 0
    }

    private let policy: CachePolicy
    private let top: URL
    private let root: URL
    private let base: String
    private let state = Locked(State())

    /// - Parameters:
    ///   - base: The root's URL, without secrets.
    ///   - user: Whose answers they are.
    /// - Returns: Nil where the policy has no folder.
    init?(policy: CachePolicy, base: URL, user: String?) {
        guard let folder = policy.folder else { return nil }
        self.policy = policy
        self.base = "\(user ?? "") \(base.absoluteString)"
        top = URL(fileURLWithPath: folder, isDirectory: true)
        root = top.appending(path: Self.hash(Array(self.base.utf8)), directoryHint: .isDirectory)
    }

    /// To be taken before the server is asked.
    var now: Moment { Moment(changes: state.value.changes) }

    /// The largest answer that is kept, in bytes.
    var largest: Int64 { min(policy.largestFile, policy.capacity) }

    /// What was kept as the answer to `query` about the item at `path`; nil for its bytes.
    func answer(_ path: ProviderPath, query: String? = nil) async -> Answer? {
        guard let place = place(of: path, query) else { return nil }
        let key = key(path, query)
        return try? await BlockingThreads.shared.run { [policy] in
            let data = try Data(contentsOf: place)
            guard let end = data.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            let head = try JSONDecoder().decode(Head.self, from: data[..<end])
            guard head.key == key else { return nil }
            let age = Date().timeIntervalSince(head.stored)
            // Used lately: what was not goes first.
            try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: place.path)
            return Answer(head: head, body: Data(data[(end + 1)...]), isFresh: !policy.validates && (0..<policy.lifetime).contains(age))
        }
    }

    /// Keeps an answer that was asked for at `moment`, if it says how to ask whether it still holds.
    func keep(_ body: Data, _ answer: ResponseHead, _ path: ProviderPath, query: String? = nil, since moment: Moment) async {
        let head = Head(
            key: key(path, query), entryTag: answer["ETag"], modified: answer["Last-Modified"], mimeType: answer["Content-Type"],
            stored: Date())
        guard state.value.changes == moment.changes, head.condition != nil, answer.mayBeKept, Int64(body.count) <= largest,
            let place = place(of: path, query),
            let line = try? JSONEncoder().encode(head)
        else { return }
        let wasKept = try? await BlockingThreads.shared.run { [self] in
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try (line + [UInt8(ascii: "\n")] + body).write(to: place, options: .atomic)
            // A change that came between the question and the file may not have seen it.
            guard state.value.changes != moment.changes else { return true }
            try FileManager.default.removeItem(at: place)
            return false
        }
        if wasKept == true { await makeRoom(for: Int64(line.count + 1 + body.count)) }
    }

    /// Forgets the item at `path`, what lies below it, and what its folder's listing said.
    func forget(_ path: ProviderPath) async {
        state.update { $0.changes += 1 }
        guard let folder = folder(of: path) else { return }
        let parent = path.parent.flatMap { self.folder(of: $0) }
        _ = try? await BlockingThreads.shared.run {
            try? FileManager.default.removeItem(at: folder)
            guard let parent else { return }
            for name in try FileManager.default.contentsOfDirectory(atPath: parent.path) where name.hasPrefix(Self.answerPrefix) {
                try FileManager.default.removeItem(at: parent.appending(path: name))
            }
        }
    }

    // MARK: Places

    private static let answerPrefix = "answer-"

    private func key(_ path: ProviderPath, _ query: String?) -> String { "\(base)\n\(path.percentEncoded)\n\(query ?? "")" }

    private func place(of path: ProviderPath, _ query: String?) -> URL? {
        folder(of: path)?.appending(path: Self.answerPrefix + (query.map { Self.hash(Array($0.utf8)) } ?? "bytes"))
    }

    /// Nil for items so deep that a path on this machine would be too long.
    private func folder(of path: ProviderPath) -> URL? {
        guard path.components.count <= 64 else { return nil }
        return path.components.reduce(root) { $0.appending(path: Self.hash($1), directoryHint: .isDirectory) }
    }

    /// FNV-1a, 64 bits. Names that share one push each other out; the key inside tells them apart.
    private static func hash(_ bytes: some Sequence<UInt8>) -> String {
        String(bytes.reduce(14_695_981_039_346_656_037 as UInt64) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }, radix: 36)
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
        let left = try? await BlockingThreads.shared.run { [self] in try removeLeastUsed() }
        state.update { state in
            state.bytes = left
            state.keptSinceLook = 0
        }
    }

    /// Removes what was used least lately, to nine tenths of the capacity if that is exceeded. Returns what is left, in bytes.
    private func removeLeastUsed() throws -> Int64 {
        let keys: Set<URLResourceKey> = [.fileSizeKey, .contentModificationDateKey, .isRegularFileKey]
        var files: [(url: URL, used: Date, bytes: Int64)] = []
        for case let url as URL in FileManager.default.enumerator(at: top, includingPropertiesForKeys: Array(keys)) ?? .init() {
            let values = try? url.resourceValues(forKeys: keys)
            guard values?.isRegularFile == true, url.lastPathComponent.hasPrefix(Self.answerPrefix) else { continue }
            files.append((url, values?.contentModificationDate ?? .distantPast, Int64(values?.fileSize ?? 0)))
        }
        var bytes = files.reduce(0) { $0 + $1.bytes }
        guard bytes > policy.capacity else { return bytes }
        for file in files.sorted(by: { $0.used < $1.used }) where bytes > policy.capacity / 10 * 9 {
            try FileManager.default.removeItem(at: file.url)
            bytes -= file.bytes
        }
        return bytes
    }
}

extension ResponseHead {
    /// Whether a private cache may keep the answer (RFC 9111, section 5.2.2.5), and would recognise what it is an answer to.
    fileprivate var mayBeKept: Bool {
        let control = joined("Cache-Control")?.lowercased() ?? ""
        return status == 200 || status == 206 ? !control.contains("no-store") && self["Vary"] != "*" : false
    }
}
