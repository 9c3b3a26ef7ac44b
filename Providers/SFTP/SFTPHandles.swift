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

    /// Closes the files of idle readers.
    ///
    /// - Returns: Whether there were any.
    func giveBackIdle() async -> Bool {
        let calls = entries.value.values.compactMap { $0.reader?.giveBack() }
        // A session that is lost has given them back.
        for call in calls { _ = try? await call.value() }
        return !calls.isEmpty
    }

    /// Whether any reader is there.
    var isEmpty: Bool { !entries.value.values.contains { $0.reader != nil } }
}
