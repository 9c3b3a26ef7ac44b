import Synchronization

/// Something wrong with a book that did not keep it from being opened (`Warning` of Readium's streamer proposal).
public struct ContentWarning: Hashable, Sendable {
    /// How much of the book it takes away.
    public enum Severity: Int, Hashable, Sendable, Comparable, CaseIterable {
        /// Nobody will notice.
        case minor
        /// Something is missing or wrong: a date, a table of contents, one resource.
        case moderate
        /// Parts of the text cannot be read, or may not be what the author meant.
        case major

        /// By how much it takes away.
        public static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
    }

    /// The kind of trouble, for programs: lower-case words with hyphens, such as `missing-navigation`.
    public let tag: String
    /// How much of the book it takes away.
    public let severity: Severity
    /// One sentence for people: what is wrong, and what was done about it.
    public let message: String

    /// A warning with all its parts.
    public init(_ tag: String, severity: Severity, message: String) {
        self.tag = tag
        self.severity = severity
        self.message = message
    }
}

/// Collects the warnings of one opening, from any thread.
public final class WarningLog: Sendable {
    /// How many are kept; what a book is worse than that is counted only.
    public static let maxCount = 1_000

    private let state = Mutex((warnings: [ContentWarning](), seen: Set<ContentWarning>(), dropped: 0))

    /// An empty log.
    public init() {}

    /// Notes a warning; the same one twice counts once.
    ///
    /// What comes in with a book's own names is made harmless: characters that control a line or turn its direction are
    /// replaced, and of a message over 1,000 Unicode scalars the middle is left out.
    public func warn(_ tag: String, severity: ContentWarning.Severity, message: String) {
        let warning = ContentWarning(tag, severity: severity, message: Self.shown(message))
        state.withLock { state in
            guard !state.seen.contains(warning) else { return }
            guard state.warnings.count < Self.maxCount else {
                state.dropped += 1
                return
            }
            state.seen.insert(warning)
            state.warnings.append(warning)
        }
    }

    /// Notes a warning, if there is one, as ``warn(_:severity:message:)`` does.
    package func warn(_ warning: ContentWarning?) {
        if let warning { warn(warning.tag, severity: warning.severity, message: warning.message) }
    }

    private static func shown(_ message: String) -> String {
        var scalars: [Unicode.Scalar] = message.unicodeScalars.map { isHarmless($0) ? $0 : "\u{FFFD}" }
        // What was done about it stands at the end.
        if scalars.count > 1_000 { scalars = scalars.prefix(500) + ["…"] + scalars.suffix(499) }
        return String(String.UnicodeScalarView(scalars))
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        // Embeddings, overrides and isolates (UAX #9): they would turn around what follows the name.
        default: !("\u{202A}"..."\u{202E}").contains(scalar) && !("\u{2066}"..."\u{2069}").contains(scalar)
        }
    }

    /// The warnings in the order in which they came; a last one says how many were left out.
    public var all: [ContentWarning] {
        state.withLock { state in
            guard state.dropped > 0 else { return state.warnings }
            let message = "\(state.dropped) more things are wrong with this book; they are not listed."
            return state.warnings + [ContentWarning("too-many-warnings", severity: .moderate, message: message)]
        }
    }
}
