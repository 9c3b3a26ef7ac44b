import FileProviderCore
import Foundation

/// The names that a listing has given, and those that it cannot give.
struct ListedNames {
    fileprivate var unusable = UnusableNames()
    fileprivate var waiting: [DAVResponse] = []
    private var seen: Set<Digest> = []

    /// Two hashes of a name stand for it: a listing has up to a million.
    private struct Digest: Hashable {
        let first: Int
        let second: Int

        init(_ name: [UInt8]) {
            var hasher = Hasher()
            hasher.combine(name)
            first = hasher.finalize()
            hasher = Hasher()
            hasher.combine(1)
            hasher.combine(name)
            second = hasher.finalize()
        }
    }

    fileprivate mutating func insert(_ name: [UInt8]) -> Bool { seen.insert(Digest(name)).inserted }
}

extension RequestedItem {
    /// The responses that can be looked at now: those of `responses`, in an order in which each can be understood, and
    /// those that waited for the item's own.
    mutating func ready(_ responses: [DAVResponse]) -> [DAVResponse] {
        guard !wasSeen else { return responses }
        var preview = self
        let own = responses.firstIndex { preview.location(of: $0) == .itself }
        // Whether a question mark begins a query is for the item's own href to say.
        let unclear = responses.prefix(own ?? responses.count).filter { $0.href.contains(UInt8(ascii: "?")) }
        guard !unclear.isEmpty || !listed.waiting.isEmpty else { return responses }
        let rest = responses.enumerated().filter { $0 >= own ?? .max || !$1.href.contains(UInt8(ascii: "?")) }.map(
            \.element)
        let waiting = listed.waiting + unclear
        listed.waiting = own == nil ? Array(waiting.prefix(Self.maxWaiting)) : []
        return own == nil ? rest : rest + waiting
    }

    private static let maxWaiting = 10_000

    /// Whether `name` was not given before; counts it as left out if it was.
    mutating func isNew(_ name: [UInt8]) -> Bool {
        if listed.insert(name) { return true }
        leaveOut(name)
        return false
    }

    /// Counts an item that cannot be given.
    mutating func leaveOut(_ name: [UInt8]) { listed.unusable.add(nameBytes: name) }

    /// - Throws: ``FileError/unusableNames(_:in:url:)`` when something was left out.
    func refuseUnusable(in folder: ProviderPath, url: URL) throws {
        if !listed.unusable.isEmpty { throw FileError.unusableNames(listed.unusable, in: folder, url: url) }
    }
}
