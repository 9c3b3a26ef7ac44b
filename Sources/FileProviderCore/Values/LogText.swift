/// Foreign text, made safe for one line of a log. It may still hold secrets: see ``Secrets``.
package enum LogText {
    /// Returns `text` on one line, with at most `limit` characters and without characters that control a terminal.
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

    /// Whether it is no control character, and none that changes the direction of text or is invisible.
    package static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
        case .format: !scalar.properties.isBidiControl
        default: true
        }
    }
}
