import FileProviderCore
import Foundation

/// The fields of a sent form, or of a query: `application/x-www-form-urlencoded`.
struct FormFields: Sendable {
    private let fields: [(name: String, value: String)]

    /// - Parameter body: As it was sent. Bytes that are not UTF-8 become U+FFFD.
    init(_ body: Data) {
        fields = body.split(separator: UInt8(ascii: "&")).prefix(200).map { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.text(parts[0]), parts.count == 2 ? Self.text(parts[1]) : "")
        }
    }

    /// - Parameter query: Without the question mark; nil for none.
    init(_ query: String?) { self.init(Data((query ?? "").utf8)) }

    /// The value of the first field `name`; nil if there is none.
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    private static func text(_ bytes: Data) -> String {
        let spaced = bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return String(decoding: PercentEncoding.decoded(spaced), as: UTF8.self)
    }
}
