import FileProviderCore
import SFTPEngine

/// What keeps a file open that it can give back and open again.
protocol SFTPHandleHolder: AnyObject, Sendable {
    /// Begins to close the file where nobody has read from it for `duration`; nil where it is in use, closed, or of
    /// another session.
    func giveBack(on session: SFTPSession?, for duration: Duration) -> SFTPCall?

    /// Whether nobody reads from the file, which `session` keeps open.
    func isIdle(on session: SFTPSession) -> Bool
}

/// The readers that keep a file open. A server that has no more handles to give gets back those that nobody reads from
/// right now.
final class SFTPHandles: Sendable {
    private struct Entry: Sendable {
        weak var reader: (any SFTPHandleHolder)?
    }

    private let entries = LockedValue<[ObjectIdentifier: Entry]>([:])

    func add(_ reader: any SFTPHandleHolder) {
        entries.update { entries in
            // The dead ones go now and then.
            if entries.count % 64 == 63 { entries = entries.filter { $0.value.reader != nil } }
            entries[ObjectIdentifier(reader)] = Entry(reader: reader)
        }
    }

    func remove(_ reader: any SFTPHandleHolder) {
        entries.update { _ = $0.removeValue(forKey: ObjectIdentifier(reader)) }
    }

    private var readers: [any SFTPHandleHolder] { entries.value.values.compactMap(\.reader) }

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
