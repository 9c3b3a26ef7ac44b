import Foundation

/// The web addresses that a document's outline leads to (URI actions; ISO 32000-1, section 12.6.4.7).
enum PDFAddress {
    private static let schemes: Set<String> = ["http", "https", "ftp", "ftps", "mailto", "tel"]

    /// The address that `text` means, percent-encoded.
    ///
    /// - Parameter base: The document's base for relative addresses.
    /// - Returns: Nil for a relative address without a base, and for a scheme that runs or opens something else, such
    ///   as `javascript`.
    static func resolve(_ text: String, base: String?) -> String? {
        let text = MarkupText.trimmed(text)
        guard !text.isEmpty else { return nil }
        if let scheme = HREF.scheme(of: text) { return schemes.contains(scheme) ? HREF.encoded(text, .whole) : nil }
        // People mean these as web addresses, and readers open them as such.
        if text.lowercased().hasPrefix("www.") { return "http://" + HREF.encoded(text, .whole) }
        guard let base = base.flatMap({ resolve($0, base: nil) }), base.hasPrefix("http"), let url = URL(string: base)
        else { return nil }
        return URL(string: HREF.encoded(text, .whole), relativeTo: url)?.absoluteURL.absoluteString
    }
}
