/// The parts of a request's query that this server knows, and the rest, which belongs to the resource.
package struct RequestQuery: Sendable {
    private let items: [String]

    /// - Parameter query: As it was sent, without the question mark; nil for none.
    package init(_ query: String?) {
        items = query?.split(separator: "&").map(String.init) ?? []
    }

    /// Whether `name` is one of the parts, with or without a value.
    package func has(_ name: String) -> Bool { items.contains { $0 == name || $0.hasPrefix(name + "=") } }

    /// Everything but the part `name`; nil for nothing.
    package func without(_ name: String) -> String? {
        let rest = items.filter { $0 != name }
        return rest.isEmpty ? nil : rest.joined(separator: "&")
    }
}
