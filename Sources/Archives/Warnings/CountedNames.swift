/// Names that one warning is about, however many they are: the first is shown, the others are counted.
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

    /// What is wrong with all of them; nil where there is none. The names are the subject of the sentence: `one` and
    /// `many` say the rest.
    package func warning(_ tag: String, severity: ContentWarning.Severity, one: String, many: String) -> ContentWarning?
    {
        switch count {
        case 0: nil
        case 1: ContentWarning(tag, severity: severity, message: "“\(first)” \(one)")
        default: ContentWarning(tag, severity: severity, message: "“\(first)” and \(count - 1) more \(many)")
        }
    }
}
