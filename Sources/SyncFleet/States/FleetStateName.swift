/// The name of a published state, counted from the folder of all states: `PAIR/FENCE-MARK.sqlite`.
///
/// The mark is random, so no two uploads have one name, and none replaces another.
struct FleetStateName: Hashable, Sendable, CustomStringConvertible {
    let pair: Int64
    let fence: Int64
    /// Eight hexadecimal digits in lower case.
    let mark: String

    /// Creates a new name for the holder of a lease.
    init(pair: Int64, fence: Int64) {
        self.pair = pair
        self.fence = fence
        let digits = String(UInt32.random(in: .min ... .max), radix: 16)
        mark = String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// Reads a name; returns `nil` for any other text, which is then no state of a fleet.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasSuffix(Self.ending) else { return nil }
        let rest = parts[1].dropLast(Self.ending.count).split(separator: "-", omittingEmptySubsequences: false)
        guard rest.count == 2, let pair = Int64(parts[0]), let fence = Int64(rest[0]) else { return nil }
        let mark = String(rest[1])
        guard mark.utf8.count == 8, mark.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        (self.pair, self.fence, self.mark) = (pair, fence, mark)
        // “+7” and “007” are numbers, too.
        if description != text { return nil }
    }

    /// Reads a file's name in the cache.
    init?(cached name: String) {
        guard let end = name.firstIndex(of: "-") else { return nil }
        self.init(name[..<end] + "/" + name[name.index(after: end)...])
    }

    private static let ending = ".sqlite"

    /// The file's name in the pair's folder.
    var file: String { "\(fence)-\(mark)\(Self.ending)" }

    /// The file's name in the cache, which has no folders.
    var cached: String { "\(pair)-\(file)" }

    /// As ``init(_:)`` reads it.
    var description: String { "\(pair)/\(file)" }
}
