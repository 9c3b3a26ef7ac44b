/// Text from elsewhere, made fit for one line of a log. It may still hold secrets: see ``Secrets``.
package enum LogText {
    /// `text` with at most `limit` characters, on one line, and without what does something to a terminal.
    package static func shown(_ text: String, limit: Int = 200) -> String {
        var shown = ""
        var count = 0
        for scalar in text.unicodeScalars {
            if count == limit { return shown + "…" }
            shown.unicodeScalars.append(isHarmless(scalar) ? scalar : "\u{FFFD}")
            count += 1
        }
        return shown
    }

    /// No control character, and none that turns the direction of text or hides in it.
    package static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
        case .format: !scalar.properties.isBidiControl
        default: true
        }
    }
}
