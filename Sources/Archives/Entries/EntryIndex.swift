/// Maps paths to an archive's entries: the exact path first, then one that is equal after Unicode normalisation.
struct EntryIndex: Sendable {
    /// Further entries whose paths equal an earlier one's after normalisation but differ in bytes.
    private struct Variant {
        var path: String
        var index: Int
    }

    /// The first entry of each path. Swift compares strings by canonical equivalence, so paths that differ in
    /// normalisation only are one key here; the key keeps the bytes of the first.
    private var first: [String: Int] = [:]
    private var variants: [Int: [Variant]] = [:]
    /// The most spellings of one path. No honest archive has more, and they would make reading a directory quadratic.
    private static let maxVariants = 8

    mutating func reserveCapacity(_ count: Int) { first.reserveCapacity(count) }

    /// - Returns: False if the path exists already: the first of several entries counts.
    mutating func add(_ path: String, at index: Int) -> Bool {
        guard let position = first.index(forKey: path) else {
            first[path] = index
            return true
        }
        let (key, earliest) = first[position]
        let others = variants[earliest] ?? []
        guard others.count < Self.maxVariants, !isSame(key, path), !others.contains(where: { isSame($0.path, path) })
        else { return false }
        variants[earliest] = others + [Variant(path: path, index: index)]
        return true
    }

    /// - Complexity: O(1).
    func index(of path: String) -> Int? {
        guard let index = first.index(forKey: path) else { return nil }
        let (key, earliest) = first[index]
        if isSame(key, path) { return earliest }
        return variants[earliest]?.first { isSame($0.path, path) }?.index ?? earliest
    }

    private func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
}
