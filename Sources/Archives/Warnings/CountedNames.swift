/// The names that one warning is about: the first is shown, the others are counted.
package struct CountedNames: Hashable, Sendable {
    package private(set) var count = 0
    private(set) var first = ""

    /// The most Unicode scalars of a name that are shown.
    private static let maxLength = 200

    package init() {}

    package init(_ names: some Sequence<String>) {
        for name in names { add(name) }
    }

    package mutating func add(_ name: String) {
        if count == 0 { first = String(name.unicodeScalars.prefix(Self.maxLength)) }
        count += 1
    }

    /// Returns a warning about all of the names; nil if there are none. The names are the subject of the sentence,
    /// which `one` or `many` completes.
    package func warning(_ tag: String, severity: ContentWarning.Severity, one: String, many: String) -> ContentWarning?
    {
        switch count {
        case 0: nil
        case 1: ContentWarning(tag, severity: severity, message: "“\(first)” \(one)")
        default: ContentWarning(tag, severity: severity, message: "“\(first)” and \(count - 1) more \(many)")
        }
    }
}
