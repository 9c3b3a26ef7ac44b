/// A server's text, made fit for a sentence.
enum SSHText {
    /// Removes control characters, so that the text is one line and moves no cursor.
    static func line(_ bytes: some Sequence<UInt8>) -> String {
        let text = String(decoding: Array(bytes), as: UTF8.self)
        let plain = String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
        return plain.split(separator: " ").joined(separator: " ")
    }
}
