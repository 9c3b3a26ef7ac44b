package import Foundation

/// The fields of a sent form (`application/x-www-form-urlencoded`; URL Standard, section 5.1).
package struct RequestForm: Sendable {
    private let pairs: [(name: String, value: String)]

    /// - Parameter body: The body of the request, whatever it is. What is no pair is ignored.
    package init(_ body: Data) {
        pairs = String(decoding: body, as: UTF8.self).split(separator: "&").compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? (Self.decoded(parts[0]), Self.decoded(parts[1])) : nil
        }
    }

    /// The value of the first field `name`; nil if there is none.
    package func value(_ name: String) -> String? { pairs.first { $0.name == name }?.value }

    /// Empty for text that cannot be decoded.
    private static func decoded(_ text: Substring) -> String {
        String(text.replacing("+", with: " ")).removingPercentEncoding ?? ""
    }
}
