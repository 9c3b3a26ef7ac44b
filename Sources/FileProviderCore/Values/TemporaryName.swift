import Foundation

/// Names for unfinished files, recognisable so that the leftovers of a crash can be swept (``PartSweep``).
///
/// There are three kinds: `.TAG-w.carrel-part` for an item of one write, `.TAG.carrel-part` for parts from which a
/// later write may continue, and `.TAG-a.carrel-part` for a user's items that are out of their place for a moment.
public enum TemporaryName {
    /// The end of every such name.
    public static let suffix = ".carrel-part"

    /// The kind of item behind such a name.
    public enum Kind: Sendable, Hashable {
        /// An item of one write; no later write continues it.
        case single
        /// A part from which a later write may continue. Earlier versions gave such names to everything.
        case resumable
        /// A user's item, out of its place for a moment. Never swept.
        case aside
    }

    /// Returns a new name in the folder of `path`, for an item that no later write continues.
    public static func make(beside path: ProviderPath) throws -> ProviderPath { try make(beside: path, mark: "-w") }

    /// Returns a new name in the folder of `path`, for a user's item that has to leave its place for a moment.
    public static func makeAside(beside path: ProviderPath) throws -> ProviderPath {
        try make(beside: path, mark: "-a")
    }

    private static func make(beside path: ProviderPath, mark: String) throws -> ProviderPath {
        let tag = String(UInt64.random(in: .min ... .max), radix: 36)
        let padding = String(repeating: "0", count: max(0, maxTagLength - tag.count))
        return try (path.parent ?? .root).appending(".\(padding)\(tag)\(mark)\(suffix)")
    }

    /// Digits of 64 bits in base 36.
    private static let maxTagLength = 13
    /// Shorter tags are so rare, one in a hundred thousand, that a shorter name is taken for a user's own.
    private static let shortestTag = 10

    /// Returns the name, in the folder of `path`, of a part from which a later write continues: the same in every run.
    ///
    /// It holds a hash (FNV-1a, 64 bits) of the name of `path` and of `identity`. So it proves that the writer of the
    /// part knew both, and keeps the parts of different sources and versions apart. It proves nothing about the content
    /// or the writer: the hash is no secret, and others who may write into the folder can predict the name. Compare the
    /// part with the source before use.
    ///
    /// - Parameter identity: Nil for a write that no later one continues: the name is that of ``make(beside:)``.
    public static func make(beside path: ProviderPath, for identity: String?) throws -> ProviderPath {
        guard let identity else { return try make(beside: path) }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325  // Not Swift's own hash, which is another in each run.
        for byte in Array(path.nameBytes) + [0] + Array(identity.utf8) {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return try (path.parent ?? .root).appending(".\(String(hash, radix: 36))\(suffix)")
    }

    /// Returns `error` with the path that callers know: an error at or below `temporary` becomes one at `path`, under
    /// which the item was to be published. Other errors stay as they are.
    public static func error(_ error: any Error, under temporary: ProviderPath, of path: ProviderPath) -> any Error {
        guard let error = error as? CocoaError, let errorPath = error.userInfo[NSFilePathErrorKey] as? String,
            errorPath == temporary.string || errorPath.hasPrefix(temporary.string + "/")
        else { return error }
        var info = error.userInfo
        let named = { (text: String, path: ProviderPath) in
            text.replacingOccurrences(of: temporary.string, with: path.string)
        }
        info[NSFilePathErrorKey] = named(errorPath, path)
        info[NSLocalizedDescriptionKey] = (info[NSLocalizedDescriptionKey] as? String).map { named($0, path) }
        if let url = info[NSURLErrorKey] as? URL {
            let text = url.absoluteString.replacingOccurrences(of: temporary.percentEncoded, with: path.percentEncoded)
            info[NSURLErrorKey] = URL(string: text)
        }
        return CocoaError(error.code, userInfo: info)
    }

    /// Whether `name` may be a temporary name.
    public static func matches(_ name: String) -> Bool { name.hasPrefix(".") && name.hasSuffix(suffix) }

    /// Returns the kind of `name` if it is exactly a temporary name; nil otherwise.
    public static func kind(of name: String) -> Kind? {
        guard matches(name), name.utf8.count > suffix.utf8.count else { return nil }
        let parts = name.dropFirst().dropLast(suffix.count).split(separator: "-", omittingEmptySubsequences: false)
        let isTag = parts[0].utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
        guard parts.count <= 2, isTag, (shortestTag...maxTagLength).contains(parts[0].utf8.count) else { return nil }
        switch parts.dropFirst().first {
        case nil: return .resumable
        case "w": return .single
        case "a": return .aside
        default: return nil
        }
    }
}
