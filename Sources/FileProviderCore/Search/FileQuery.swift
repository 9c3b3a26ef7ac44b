public import Foundation

/// What a search looks for: a tree of conditions on a ``FileObject`` that a provider can walk and say in its server's
/// own words.
///
/// A condition on something that the item does not tell (no size, no date) does not match; its ``not(_:)`` does. Equal
/// trees are equal values; a ``test(_:)`` equals itself alone.
public indirect enum FileQuery: Sendable, Hashable {
    /// Every item.
    case all
    /// No item.
    case none
    /// The name that is shown.
    case name(TextMatch)
    /// The path from the provider's root on, with a slash in front.
    case path(TextMatch)
    /// The item's URL. Core's search knows it; elsewhere it is what stands under ``FileObjectKey/url``.
    case url(TextMatch)
    /// The media type as the server gave it.
    case mimeType(TextMatch)
    /// The server's validator, with its quotes.
    case entryTag(TextMatch)
    /// Exactly this kind of item; a symbolic link is a link, whatever it leads to.
    case type(FileType)
    /// Bytes.
    case size(Comparison<Int64>)
    /// When the content changed last.
    case modified(Comparison<Date>)
    /// When the item was made, which most storages do not tell.
    case created(Comparison<Date>)
    /// When the server told of the item: what stands under ``FileObjectKey/serverDate``.
    case serverDate(Comparison<Date>)
    /// Names that start with a dot.
    case hidden
    /// Whether any of the item's write permission bits is set.
    case writable(Bool)
    /// Whether the item tells this at all.
    case known(Key)
    /// All of them; none at all is ``all``.
    case and([FileQuery])
    /// At least one of them; none at all is ``none``.
    case or([FileQuery])
    /// Every other item, those included for which the condition's value is unknown.
    case not(FileQuery)
    /// A test that nobody can look into, so that Core or the provider has to ask it item by item.
    case test(FileTest)

    /// A known value and what it is measured by.
    public enum Comparison<Value: Comparable & Hashable & Sendable>: Sendable, Hashable {
        /// The same; of dates, to the fraction of a second.
        case equal(Value)
        /// Less, or earlier; not the same.
        case less(Value)
        /// Less, earlier or the same.
        case atMost(Value)
        /// Greater, or later; not the same.
        case greater(Value)
        /// Greater, later or the same.
        case atLeast(Value)

        /// Whether `value` is so; an unknown one is not.
        public func matches(_ value: Value?) -> Bool {
            guard let value else { return false }
            return switch self {
            case .equal(let other): value == other
            case .less(let other): value < other
            case .atMost(let other): value <= other
            case .greater(let other): value > other
            case .atLeast(let other): value >= other
            }
        }
    }

    /// Whether `object` is what is looked for.
    ///
    /// - Throws: What a ``test(_:)`` throws; without one, nothing.
    public func evaluate(_ object: FileObject) throws -> Bool {
        switch self {
        case .all: true
        case .none: false
        case .name(let match): match.matches(object.name)
        case .path(let match): match.matches(object.path.string)
        case .url(let match): match.matches(object[.url]?.absoluteString)
        case .mimeType(let match): match.matches(object.mimeType)
        case .entryTag(let match): match.matches(object.entryTag)
        case .type(let type): object.type == type
        case .size(let comparison): comparison.matches(object.size)
        case .modified(let comparison): comparison.matches(object.modifiedDate)
        case .created(let comparison): comparison.matches(object.creationDate)
        case .serverDate(let comparison): comparison.matches(object[.serverDate])
        case .hidden: object.isHidden
        case .writable(let wanted): object.isWritable == wanted
        case .known(let key): object.value(of: key) != nil
        case .and(let all): try all.allSatisfy { try $0.evaluate(object) }
        case .or(let any): try any.contains { try $0.evaluate(object) }
        case .not(let query): try !query.evaluate(object)
        case .test(let test): try test.evaluate(object)
        }
    }

    /// Whether the answer may depend on the item's URL, which listings do not tell.
    var needsURL: Bool {
        switch self {
        case .url, .known(.url), .test: true
        case .and(let parts), .or(let parts): parts.contains(where: \.needsURL)
        case .not(let query): query.needsURL
        default: false
        }
    }

    /// Whether the answer may depend on the item's path.
    var needsPath: Bool {
        switch self {
        case .path, .test: true
        case .and(let parts), .or(let parts): parts.contains(where: \.needsPath)
        case .not(let query): query.needsPath
        default: false
        }
    }
}

extension FileQuery {
    /// Items for which `test` says yes. No server can do that by itself.
    public static func matching(_ test: @escaping @Sendable (FileObject) throws -> Bool) -> FileQuery {
        .test(FileTest("BLOCKPREDICATE", test))
    }

    /// An ``and(_:)`` of the two, as they stand: nothing is simplified.
    public static func && (one: FileQuery, other: FileQuery) -> FileQuery { .and([one, other]) }

    /// An ``or(_:)`` of the two, as they stand: nothing is simplified.
    public static func || (one: FileQuery, other: FileQuery) -> FileQuery { .or([one, other]) }

    /// A ``not(_:)``: what the item does not tell matches.
    public static prefix func ! (query: FileQuery) -> FileQuery { .not(query) }
}

extension FileQuery.Comparison where Value == Date {
    /// Later than `date`.
    public static func after(_ date: Date) -> Self { .greater(date) }

    /// Earlier than `date`.
    public static func before(_ date: Date) -> Self { .less(date) }
}

/// A condition that is code: equal to itself alone.
public final class FileTest: Sendable, Hashable, CustomStringConvertible {
    /// What a query's description says in its place.
    public let description: String
    private let body: @Sendable (FileObject) throws -> Bool

    init(_ description: String, _ body: @escaping @Sendable (FileObject) throws -> Bool) {
        self.description = description
        self.body = body
    }

    /// Whether `object` passes.
    public func evaluate(_ object: FileObject) throws -> Bool { try body(object) }

    /// Whether both are one object; two tests with the same code are not equal.
    public static func == (one: FileTest, other: FileTest) -> Bool { one === other }

    /// By identity, as `==`.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
