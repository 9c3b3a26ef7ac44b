import Synchronization

/// A fault of a book that did not prevent opening it (`Warning` of Readium's streamer proposal).
public struct ContentWarning: Hashable, Sendable {
    /// How much of the book is affected.
    public enum Severity: Int, Hashable, Sendable, Comparable, CaseIterable {
        /// Readers will not notice.
        case minor
        /// Something is missing or wrong: a date, a table of contents, one resource.
        case moderate
        /// Parts of the text cannot be read, or may not be what the author meant.
        case major

        /// Compares by how much is affected.
        public static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
    }

    /// The kind of fault, for programs: lower-case words with hyphens, such as `missing-navigation`.
    public let tag: String
    /// How much of the book is affected.
    public let severity: Severity
    /// One sentence for people: the fault, and how it was handled.
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
    /// The most warnings that are kept; further ones are only counted.
    public static let maxCount = 1_000

    private let state = Mutex((warnings: [ContentWarning](), seen: Set<ContentWarning>(), dropped: 0))

    /// An empty log.
    public init() {}

    /// Adds a warning; repeated ones count once.
    ///
    /// Text from the book is made harmless: characters that control a line or its direction are replaced, and a message
    /// over 1,000 Unicode scalars loses its middle.
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

    /// Adds a warning, if there is one, as ``warn(_:severity:message:)`` does.
    package func warn(_ warning: ContentWarning?) {
        if let warning { warn(warning.tag, severity: warning.severity, message: warning.message) }
    }

    private static func shown(_ message: String) -> String {
        var scalars: [Unicode.Scalar] = message.unicodeScalars.map { isHarmless($0) ? $0 : "\u{FFFD}" }
        // The end says how the fault was handled.
        if scalars.count > 1_000 { scalars = scalars.prefix(500) + ["…"] + scalars.suffix(499) }
        return String(String.UnicodeScalarView(scalars))
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        // Embeddings, overrides and isolates (UAX #9) would reverse the text after the name.
        default: !("\u{202A}"..."\u{202E}").contains(scalar) && !("\u{2066}"..."\u{2069}").contains(scalar)
        }
    }

    /// The warnings in order of arrival; a last one says how many were dropped.
    public var all: [ContentWarning] {
        state.withLock { state in
            guard state.dropped > 0 else { return state.warnings }
            let message = "There are \(state.dropped) more warnings about this book; they are not listed."
            return state.warnings + [ContentWarning("too-many-warnings", severity: .moderate, message: message)]
        }
    }
}
