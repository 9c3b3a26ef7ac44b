/// A person who may log in to the server of a shelf.
public struct User: Hashable, Sendable, Identifiable {
    /// Never given to another person.
    public let id: Int64
    /// As it was entered. Logins ignore case.
    public let name: String
    /// Random, and different after each change of the password. Sessions and reading addresses contain it, so that none
    /// outlives the password.
    package let passwordVersion: String

    package init(id: Int64, name: String, passwordVersion: String) {
        self.id = id
        self.name = name
        self.passwordVersion = passwordVersion
    }

    /// The one reader of a server without logins.
    package static let everyone = User(id: 0, name: "", passwordVersion: "")
}
