import FileProviderCore
import WebServer

/// The parameters in the query of an address. Of several with one name the first counts.
struct RequestParameters: Sendable {
    private let fields: FormFields

    init(_ request: ServerRequest) { fields = FormFields(request.query) }

    /// The value of a parameter; nil if it is missing, empty, or an optional parameter of a template that the reader left
    /// as it was, such as `{startPage?}`.
    subscript(name: String) -> String? {
        guard let value = fields[name], !value.isEmpty else { return nil }
        return value.hasPrefix("{") && value.hasSuffix("}") ? nil : value
    }

    /// The query of an address with these parameters and a question mark in front; empty for none.
    static func query(_ items: [(name: String, value: String)]) -> String {
        if items.isEmpty { return "" }
        return "?" + items.map { $0.name + "=" + PercentEncoding.encoded(Array($0.value.utf8)) }.joined(separator: "&")
    }
}
