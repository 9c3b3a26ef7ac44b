import FileProviderCore

/// How a server writes its own address, as an href shows it.
struct HrefBase: Equatable, Sendable {
    /// Scheme and host; nil where hrefs have none.
    private let origin: String?
    /// The names at the start of each path on this side, and what the server has in their place.
    private let ours: ArraySlice<[UInt8]>
    private let theirs: ArraySlice<[UInt8]>

    /// - Parameters:
    ///   - from: The path of an item on this side, from the server's root on.
    ///   - to: The same item's path as the server has it.
    init(origin: String?, from: [[UInt8]], to: [[UInt8]]) {
        self.origin = origin
        let common = zip(from.reversed(), to.reversed()).prefix { $0 == $1 }.count
        ours = from.dropLast(common)
        theirs = to.dropLast(common)
    }

    /// Whether the server has another path where this side has its own.
    var isRewritten: Bool { ours != theirs }

    /// What the server would call `path`, which is counted from its root on this side; nil where that is what this side
    /// calls it.
    func destination(_ path: ProviderPath, isFolder: Bool, origin usual: String) -> String? {
        let names = path.components
        guard names.count >= ours.count, zip(names, ours).allSatisfy({ $0.elementsEqual($1) }),
            let rest = try? ProviderPath(
                bytes: (theirs + names.dropFirst(ours.count).map { Array($0) }).joined(separator: "/".utf8)),
            (origin ?? usual) != usual || ours != theirs
        else { return nil }
        return "\(origin ?? usual)/\(rest.percentEncoded)\(isFolder ? "/" : "")"
    }
}
