public import Foundation

/// Names in a listing that no ``ProviderPath`` can hold (empty, `.`, `..`, with a slash or NUL), or that the listing
/// uses twice.
///
/// A provider lists the other items, then throws ``FileError/unusableNames(_:in:url:)`` with this value as the
/// underlying error: the listing is correct, and incomplete.
public struct UnusableNames: Error, Sendable, Hashable {
    /// How many items were left out; 1 or more once a name was added.
    public private(set) var count = 0
    /// The first of these names, escaped as in ``ProviderPath``.
    public private(set) var first = ""

    /// Creates a value without names.
    public init() {}

    /// Whether nothing was left out.
    public var isEmpty: Bool { count == 0 }

    /// Counts one item that is left out.
    public mutating func add(nameBytes: some Collection<UInt8>) {
        if count == 0 { first = NameEscape.string(of: Array(nameBytes)[...]) }
        count += 1
    }

    /// Counts one item that is left out.
    public mutating func add(_ name: String) { add(nameBytes: Array(name.utf8)) }
}

extension FileError {
    /// The error that ends a listing of `folder` with items left out; all other items were listed before.
    public static func unusableNames(_ names: UnusableNames, in folder: ProviderPath, url: URL? = nil) -> CocoaError {
        let what = names.count == 1 ? "1 item" : "\(names.count) items"
        let verb = names.count == 1 ? "was" : "were"
        let shown = names.first.unicodeScalars.map {
            $0.value < 0x20 || $0.value == 0x7F ? $0.escaped(asASCII: true) : String($0)
        }.joined()
        return make(
            .fileReadInvalidFileName, path: folder, url: url,
            sentence:
                "\(what) in “\(folder)” \(verb) left out, because no file here can have such a name; the first is “\(shown)”.",
            underlying: names)
    }
}

extension Error {
    /// The items that a listing left out, if that was its only failure.
    public var unusableNames: UnusableNames? { (self as? CocoaError)?.underlying as? UnusableNames }
}
