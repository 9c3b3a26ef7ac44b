import Foundation

/// Binary data as text (RFC 7468).
enum PEM {
    /// Returns the data of the only part of `text` that is labelled `label`. Text outside the part is skipped.
    ///
    /// - Returns: Nil if there is no such part or more than one, if it is not base64, or if it has over `limit` bytes.
    static func data(of text: String, label: String, limit: Int) -> Data? {
        let parts = text.components(separatedBy: "-----BEGIN \(label)-----")
        guard parts.count == 2, let end = parts[1].range(of: "-----END \(label)-----") else { return nil }
        let base64 = parts[1][..<end.lowerBound].utf8.filter { $0 > UInt8(ascii: " ") }
        guard base64.count / 4 * 3 <= limit + 2 else { return nil }
        return Data(base64Encoded: Data(base64))
    }
}
