import FileProviderCore
import SFTPEngine

/// An object that keeps a file open and can close and reopen it.
protocol SFTPHandleHolder: AnyObject, Sendable {
    /// Begins to close the file if it was not read for `duration`. Returns nil if it is in use, closed, or open on
    /// another session.
    func giveBack(on session: SFTPSession?, for duration: Duration) -> SFTPCall?

    /// Whether the file is open on `session` and not being read.
    func isIdle(on session: SFTPSession) -> Bool
}

/// The readers that keep a file open. When the server has no more handles, closes files that are not being read.
final class SFTPHandles: Sendable {
    private struct Entry: Sendable {
        weak var reader: (any SFTPHandleHolder)?
    }

    private let entries = LockedValue<[ObjectIdentifier: Entry]>([:])

    func add(_ reader: any SFTPHandleHolder) {
        entries.update { entries in
            // Removes dead entries now and then.
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
    ///   - session: The session whose files are closed; nil for all.
    ///   - duration: The time since the last read.
    /// - Returns: Whether there were any.
    @discardableResult
    func giveBackIdle(on session: SFTPSession? = nil, for duration: Duration = .zero) async -> Bool {
        let calls = readers.compactMap { $0.giveBack(on: session, for: duration) }
        // A lost session has closed its files already.
        for call in calls { _ = try? await call.value() }
        return !calls.isEmpty
    }

    /// Files of `session` that idle readers keep open.
    func countIdle(on session: SFTPSession) -> Int { readers.count { $0.isIdle(on: session) } }

    /// Whether any reader is there.
    var isEmpty: Bool { readers.isEmpty }
}
