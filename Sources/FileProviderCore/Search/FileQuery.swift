public import Foundation

/// The condition of a search: a tree of conditions on a ``FileObject``, which a provider can translate for its server.
///
/// A condition on an unknown property (no size, no date) does not match; its ``not(_:)`` does. Equal trees are equal
/// values; a ``test(_:)`` is equal only to itself.
public indirect enum FileQuery: Sendable, Hashable {
    /// Every item.
    case all
    /// No item.
    case none
    /// The name that is shown.
    case name(TextMatch)
    /// The path from the provider's root on, with a slash in front.
    case path(TextMatch)
    /// The item's URL. Core's search sets it; otherwise it is the value of ``FileObjectKey/url``.
    case url(TextMatch)
    /// The media type, as the server sent it.
    case mimeType(TextMatch)
    /// The server's validator, with its quotes.
    case entryTag(TextMatch)
    /// Exactly this kind of item; a symbolic link is a link, whatever its target.
    case type(FileType)
    /// Bytes.
    case size(Comparison<Int64>)
    /// When the content last changed.
    case modified(Comparison<Date>)
    /// When the item was created, which most storages do not report.
    case created(Comparison<Date>)
    /// The server's clock at the time of its answer: the value of ``FileObjectKey/serverDate``.
    case serverDate(Comparison<Date>)
    /// Names that start with a dot.
    case hidden
    /// Whether any of the item's write permission bits is set.
    case writable(Bool)
    /// Whether this property of the item is known.
    case known(Key)
    /// All of these conditions; an empty list is ``all``.
    case and([FileQuery])
    /// At least one of these conditions; an empty list is ``none``.
    case or([FileQuery])
    /// The opposite of a condition; an item whose property is unknown matches, too.
    case not(FileQuery)
    /// A test in code, which no server can run: Core or the provider evaluates it for each item.
    case test(FileTest)

    /// A comparison of a known value with another.
    public enum Comparison<Value: Comparable & Hashable & Sendable>: Sendable, Hashable {
        /// Equal; dates are compared with fractions of a second.
        case equal(Value)
        /// Less, or earlier; not the same.
        case less(Value)
        /// Less, earlier or the same.
        case atMost(Value)
        /// Greater, or later; not the same.
        case greater(Value)
        /// Greater, later or the same.
        case atLeast(Value)

        /// Whether `value` meets the comparison; false for an unknown value.
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

    /// Returns whether `object` matches the query.
    ///
    /// - Throws: The error of a ``test(_:)``; otherwise nothing.
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

    /// Whether the result may depend on the item's URL, which listings do not have.
    var needsURL: Bool {
        switch self {
        case .url, .known(.url), .test: true
        case .and(let parts), .or(let parts): parts.contains(where: \.needsURL)
        case .not(let query): query.needsURL
        default: false
        }
    }

    /// Whether the result may depend on the item's path.
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
    /// Returns a query for items that pass `test`. No server can run it.
    public static func matching(_ test: @escaping @Sendable (FileObject) throws -> Bool) -> FileQuery {
        .test(FileTest("BLOCKPREDICATE", test))
    }

    /// Returns an ``and(_:)`` of both queries, without simplifying it.
    public static func && (one: FileQuery, other: FileQuery) -> FileQuery { .and([one, other]) }

    /// Returns an ``or(_:)`` of both queries, without simplifying it.
    public static func || (one: FileQuery, other: FileQuery) -> FileQuery { .or([one, other]) }

    /// Returns a ``not(_:)``, which also matches items whose property is unknown.
    public static prefix func ! (query: FileQuery) -> FileQuery { .not(query) }
}

extension FileQuery.Comparison where Value == Date {
    /// Later than `date`.
    public static func after(_ date: Date) -> Self { .greater(date) }

    /// Earlier than `date`.
    public static func before(_ date: Date) -> Self { .less(date) }
}

/// A condition in code; it is equal only to itself.
public final class FileTest: Sendable, Hashable, CustomStringConvertible {
    /// The text that stands for it in a query's description.
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
