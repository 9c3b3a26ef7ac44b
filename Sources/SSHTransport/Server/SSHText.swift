/// A server's words, fit for a sentence.
enum SSHText {
    /// Without what moves a cursor or ends a line.
    static func line(_ bytes: some Sequence<UInt8>) -> String {
        let text = String(decoding: Array(bytes), as: UTF8.self)
        let plain = String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
        return plain.split(separator: " ").joined(separator: " ")
    }
}
