import Foundation

/// A state as it was after each run. One of these takes its place, as on a machine that has only an older copy.
struct StateCopies {
    private let file: URL
    private var copies: [Data] = []

    init(of file: URL) {
        self.file = file
    }

    /// Keeps the state as it is now. It has to be closed, and then is one file: SQLite's log is in it.
    mutating func keep() throws {
        if FileManager.default.fileExists(atPath: file.path + "-wal") {
            throw SyncHistory.Violation(description: "the closed state has a log beside it: \(file.path)-wal")
        }
        copies.append(try Data(contentsOf: file))
    }

    /// Sets the state back to one of the copies; now and then to none.
    ///
    /// - Returns: What happened, for the log.
    func setBack(_ numbers: inout SeededNumbers) throws -> String {
        if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
        guard !numbers.chance(1, in: 5), let number = copies.indices.randomElement(using: &numbers) else {
            return "the state is lost"
        }
        try copies[number].write(to: file)
        return "the state is set back to what run \(number + 1) left, of \(copies.count)"
    }
}
