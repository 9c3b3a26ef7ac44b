public import Foundation

/// A request of HTTP, without its connection.
public struct ServerRequest: Sendable {
    /// As it was sent, such as `GET`.
    public var method: String
    /// The request target as it was sent, percent-encoded: path and query (RFC 9112, section 3.2.1).
    public var target: String
    /// Header fields in their order. Names count in any case.
    public var headers: [(name: String, value: String)]
    /// A small body: that of a form.
    public var body: Data
    /// The address of the client as the connection has it, such as `192.0.2.7`; that of the reverse proxy behind one, and
    /// nil if it is not known.
    public var remoteAddress: String?

    /// A request; `GET` without fields unless told otherwise.
    public init(
        method: String = "GET", target: String, headers: [(name: String, value: String)] = [], body: Data = Data(),
        remoteAddress: String? = nil
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.remoteAddress = remoteAddress
    }

    /// The values of the fields `name`, joined by commas; nil if there is none (RFC 9110, section 5.3).
    package func header(_ name: String) -> String? {
        let values = headers.filter { $0.name.isSameField(as: name) }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The target before its query.
    package var path: String { String(target.prefix { $0 != "?" }) }

    /// What follows the first `?` of the target; nil if there is none.
    package var query: String? {
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
