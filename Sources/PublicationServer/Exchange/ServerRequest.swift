public import Foundation

/// A request of HTTP, without its connection.
public struct ServerRequest: Sendable {
    /// As it was sent: `GET`, `HEAD` or `POST`.
    public var method: String
    /// The request target as it was sent, percent-encoded: path and query (RFC 9112, section 3.2.1).
    public var target: String
    /// Header fields in their order. Names count in any case.
    public var headers: [(name: String, value: String)]
    /// A small body: that of a form.
    public var body: Data

    /// A request; `GET` without fields unless told otherwise.
    public init(
        method: String = "GET", target: String, headers: [(name: String, value: String)] = [], body: Data = Data()
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// The values of the fields `name`, joined by commas; nil if there is none (RFC 9110, section 5.3).
    func header(_ name: String) -> String? {
        let values = headers.filter { $0.name.isSameField(as: name) }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The target before its query.
    var path: String { String(target.prefix { $0 != "?" }) }

    /// What follows the first `?` of the target; nil if there is none.
    var query: String? {
        target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
    }
}

extension String {
    /// Whether both are the name of one header field, in any case (RFC 9110, section 5.1).
    func isSameField(as name: String) -> Bool {
        utf8.elementsEqual(name.utf8) { first, second in
            first == second || first | 0x20 == second | 0x20 && (0x61...0x7a).contains(first | 0x20)
        }
    }
}
