public import Publication

/// What a licence says about its user (LCP 1.0, section 3.7).
public struct LicenseUser: Hashable, Sendable {
    /// The identifier of the user at the provider; nil if it is missing or empty.
    public let id: String?
    /// The mail address.
    public let email: String?
    /// The name.
    public let name: String?
    /// The names of the members whose values are encrypted, and then written in Base64.
    public let encrypted: [String]
    /// Further facts, by the URI of each.
    public let others: [String: JSONValue]

    /// - Parameter members: The object `user`; nil if the licence has none.
    init(_ members: DocumentMembers?) throws {
        id = try members?.optionalString("id").flatMap { $0.isEmpty ? nil : $0 }
        email = try members?.optionalString("email")
        name = try members?.optionalString("name")
        encrypted = try members?.texts("encrypted") ?? []
        others = members?.others(["id", "email", "name", "encrypted"]) ?? [:]
    }
}
