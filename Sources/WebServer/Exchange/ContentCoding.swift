/// How the bytes of an answer are packed (RFC 9110, section 8.4.1).
package enum ContentCoding: String, Sendable {
    case gzip

    /// Returns the coding to use for a client that sent `Accept-Encoding: header`; nil for the bytes as they are.
    ///
    /// `*` counts for a coding that the field doesn't name, and of several codings the client's weights decide (RFC 9110,
    /// section 12.5.3). A client that refuses everything gets the bytes as they are.
    package static func accepted(_ header: String?) -> ContentCoding? {
        guard let header else { return nil }
        var weights: [String: Double] = [:]
        for item in header.split(separator: ",") {
            let parts = item.split(separator: ";").map(\.trimmed)
            guard let name = parts.first?.lowercased() else { continue }
            weights[name == "x-gzip" ? "gzip" : name] = weight(parts.dropFirst())
        }
        guard let gzip = weights["gzip"] ?? weights["*"], gzip > 0 else { return nil }
        return gzip >= weights["identity"] ?? 0 ? .gzip : nil
    }

    /// The parameter `q`; 1 without it, and 0 if it is malformed (RFC 9110, section 12.4.2).
    private static func weight(_ parameters: ArraySlice<Substring>) -> Double {
        guard let weight = parameters.first(where: { $0.lowercased().hasPrefix("q=") })?.dropFirst(2) else { return 1 }
        let isNumber = weight.utf8.count <= 5 && weight.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
        guard isNumber, let number = Double(weight), number <= 1 else { return 0 }
        return number
    }
}
