import FileProviderCore
import SFTPEngine

/// The readers that keep a file open. A server that has no more handles to give gets back those that nobody reads from right now.
final class SFTPHandles: Sendable {
    private struct Entry: Sendable {
        weak var reader: SFTPReader?
    }

    private let entries = Locked<[ObjectIdentifier: Entry]>([:])

    func add(_ reader: SFTPReader) {
        entries.update { entries in
            // The dead ones go now and then.
            if entries.count % 64 == 63 { entries = entries.filter { $0.value.reader != nil } }
            entries[ObjectIdentifier(reader)] = Entry(reader: reader)
        }
    }

    func remove(_ reader: SFTPReader) { entries.update { _ = $0.removeValue(forKey: ObjectIdentifier(reader)) } }

    private var readers: [SFTPReader] { entries.value.values.compactMap(\.reader) }

    /// Closes the files of idle readers.
    ///
    /// - Parameters:
    ///   - session: Of these alone; nil for all.
    ///   - duration: How long nobody has read from them.
    /// - Returns: Whether there were any.
    @discardableResult
    func giveBackIdle(on session: SFTPSession? = nil, for duration: Duration = .zero) async -> Bool {
        let calls = readers.compactMap { $0.giveBack(on: session, for: duration) }
        // A session that is lost has given them back.
        for call in calls { _ = try? await call.value() }
        return !calls.isEmpty
    }

    /// Files of `session` that idle readers keep open.
    func countIdle(on session: SFTPSession) -> Int { readers.count { $0.isIdle(on: session) } }

    /// Whether any reader is there.
    var isEmpty: Bool { readers.isEmpty }
}
