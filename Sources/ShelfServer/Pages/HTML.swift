import WebServer

/// Markup that this server made. Text that is put into a literal is escaped, other markup is not:
///
///     let item: HTML = "<li>\(title)</li>"
struct HTML: Equatable, Sendable, ExpressibleByStringInterpolation {
    /// The markup.
    let text: String

    /// - Parameter markup: Becomes part of the page as it is.
    init(markup: String) { text = markup }

    init(stringLiteral value: String) { text = value }

    init(stringInterpolation interpolation: StringInterpolation) { text = interpolation.text }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 32 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }

        /// Text of an element, or of an attribute in quotes.
        mutating func appendInterpolation(_ value: String) { text += PageTemplate.escaped(value) }

        mutating func appendInterpolation(_ value: Int) { text += String(value) }

        mutating func appendInterpolation(_ value: HTML) { text += value.text }

        /// Nothing for nil.
        mutating func appendInterpolation(_ value: HTML?) { text += value?.text ?? "" }

        /// One after the other.
        mutating func appendInterpolation(_ values: [HTML]) { for value in values { text += value.text } }
    }
}

/// A file of this module with names in double braces.
struct PageFile: Sendable {
    private let text: String

    init(_ bytes: [UInt8]) { text = String(decoding: bytes, as: UTF8.self) }

    /// Returns the markup with `values` instead of their names. A name without a value is left out.
    func filled(with values: [String: HTML]) -> HTML {
        HTML(markup: PageTemplate(text).filled(with: values.mapValues(\.text)))
    }
}
