import Foundation

/// A login that a browser keeps in a cookie: who, since when, a random number, and a code over these and the version of the
/// password. The server keeps nothing but the numbers of sessions that were ended.
struct Session: Hashable, Sendable {
    /// The name of the cookie.
    static let cookie = "carrel-shelf"
    /// The name of the cookie that a form of a person without a login is bound to.
    static let formCookie = "carrel-shelf-form"
    /// Seconds; 30 days.
    static let lifetime: Int64 = 30 * 24 * 3_600

    let userID: Int64
    /// Seconds since 1970.
    let issued: Int64
    /// Tells the sessions of a person apart.
    let id: String
    private let code: String

    init(of user: User, at date: Date, _ key: ShelfKey) {
        userID = user.id
        issued = Int64(date.timeIntervalSince1970)
        id = ShelfKey.pathText(ShelfKey.random().prefix(12))
        code = key.code("session", Self.text(user, issued, id))
    }

    /// The session in a cookie's value, of which nothing is proven yet; nil for another form.
    init?(_ value: String) {
        let parts = value.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, let userID = Int64(parts[0]), let issued = Int64(parts[1]) else { return nil }
        self.userID = userID
        self.issued = issued
        id = String(parts[2])
        code = String(parts[3])
    }

    /// The cookie's value.
    var value: String { "\(userID).\(issued).\(id).\(code)" }

    /// Whether this server made the session for `user`, with the present password and within the last 30 days. It may have
    /// been ended since: see ``PeopleStore/hasEnded(_:)``.
    func isValid(for user: User, at date: Date, _ key: ShelfKey) -> Bool {
        let now = Int64(date.timeIntervalSince1970)
        // A clock that was set back by a little ends no session.
        guard user.id == userID, issued <= now + 3_600, issued > now - Self.lifetime else { return false }
        return key.isCode(code, "session", Self.text(user, issued, id))
    }

    private static func text(_ user: User, _ issued: Int64, _ id: String) -> String {
        "\(user.id)\n\(issued)\n\(id)\n\(user.passwordVersion)"
    }

    // MARK: Cookies (RFC 6265)

    /// The field `Set-Cookie` that keeps `value`.
    ///
    /// - Parameters:
    ///   - path: The path of the server.
    ///   - isSecure: Whether clients reach the server by HTTPS.
    ///   - seconds: How long; 0 removes the cookie.
    static func field(_ name: String, _ value: String, path: String, isSecure: Bool, seconds: Int64) -> String {
        "\(name)=\(value); Path=\(path); Max-Age=\(seconds); HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }

    /// The values of the cookie `name` in a field `Cookie`. A browser sends several for different paths.
    static func values(of name: String, in field: String?) -> [String] {
        (field ?? "").split(whereSeparator: { $0 == ";" || $0 == "," }).prefix(100).compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == name else { return nil }
            return parts[1].trimmingCharacters(in: .whitespaces)
        }
    }
}
