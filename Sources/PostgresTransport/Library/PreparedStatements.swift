/// Which texts are prepared on a connection, at most 100. A text is prepared at its second use, since many are used
/// once.
struct PreparedStatements {
    enum Plan: Equatable {
        /// Send text and values.
        case direct
        /// Prepare it under this name, then run it by its name.
        case prepare(String)
        /// Run it by its name.
        case named(String)
    }

    private struct Entry {
        var name: String
        /// The run that prepares it; nil once the server has confirmed that.
        var preparing: Int?
        var lastUse: Int
    }

    private let limit: Int
    private var entries: [String: Entry] = [:]
    private var seen: Set<String> = []
    private var uses = 0
    /// Names on the server that are no longer wanted.
    private var unwanted: [String] = []

    init(limit: Int = 100) { self.limit = limit }

    /// - Parameter run: A number for the statements of one call. Only they may use a name before the server has
    ///   confirmed it: the others do not fail with them.
    mutating func plan(for text: String, run: Int) -> Plan {
        uses += 1
        if let entry = entries[text] {
            entries[text]?.lastUse = uses
            return entry.preparing == nil || entry.preparing == run ? .named(entry.name) : .direct
        }
        if seen.remove(text) == nil {
            if seen.count >= 10 * limit { seen = [] }
            seen.insert(text)
            return .direct
        }
        if entries.count >= limit {
            let confirmed = entries.filter { $0.value.preparing == nil }
            guard let oldest = confirmed.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return .direct }
            forget(oldest.key)
        }
        let name = "carrel_\(uses)"
        entries[text] = Entry(name: name, preparing: run, lastUse: uses)
        return .prepare(name)
    }

    /// The server has prepared it.
    mutating func confirm(_ text: String) { entries[text]?.preparing = nil }

    /// The server has not prepared it.
    mutating func abandon(_ text: String) { entries[text] = nil }

    /// The server has it, and it is no longer wanted.
    mutating func forget(_ text: String) {
        if let entry = entries.removeValue(forKey: text) { unwanted.append(entry.name) }
    }

    /// - Returns: Names to deallocate.
    mutating func takeUnwanted() -> [String] {
        defer { unwanted = [] }
        return unwanted
    }
}
