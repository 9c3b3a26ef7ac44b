import FileProviderCore
import Foundation
import WebServer

/// Who sent a request.
struct Visitor: Sendable {
    /// Why a login with the request was not accepted.
    enum Refusal: Hashable, Sendable {
        case wrong
        case tooMany(retryAfter: Int)
    }

    var user: User?
    /// The value of the cookie that is valid.
    var session: String?
    /// The value of the cookie to which the form to log in is bound, if the visitor sent it.
    var formCookie: String?
    /// That value for a visitor who has none yet.
    var newFormCookie: String?
    var refusal: Refusal?

    static let nobody = Visitor()
}

/// Finds out who sends a request: by the cookie of a session, or by a password in the request (RFC 7617).
struct ShelfAccess: Sendable {
    let people: PeopleStore
    let logins: LoginCheck
    let key: ShelfKey
    let access: ShelfServerConfiguration.Access
    var now: @Sendable () -> Date = { Date() }

    /// Returns whether no one has to log in at the moment.
    ///
    /// - Throws: Errors of the people's file.
    func isOpen() async throws -> Bool {
        switch access {
        case .everyone: true
        case .everyoneBeforeUsers: try await !people.hasHadUsers()
        case .users: false
        }
    }

    /// Finds out who sent `request` to a server where people log in.
    ///
    /// - Parameter client: The address of the client.
    /// - Throws: Errors of the people's file; `CancellationError`.
    func visitor(_ request: ServerRequest, client: String) async throws -> Visitor {
        var visitor = Visitor()
        let cookies = request.header("Cookie")
        visitor.formCookie = Session.values(of: Session.formCookie, in: cookies).first { !$0.isEmpty }
        if visitor.formCookie == nil { visitor.newFormCookie = ShelfKey.pathText(ShelfKey.random()) }
        for value in Session.values(of: Session.cookie, in: cookies).prefix(4) {
            guard let session = Session(value), let user = try await people.user(session.userID),
                session.isValid(for: user, at: now(), key), try await !people.hasEnded(session)
            else { continue }
            visitor.user = user
            visitor.session = value
            return visitor
        }
        guard let (name, password) = Self.basic(request.header("Authorization")) else { return visitor }
        switch try await logins.check(name: name, password: password, client: client) {
        case .user(let user): visitor.user = user
        case .wrong: visitor.refusal = .wrong
        case .tooMany(let seconds): visitor.refusal = .tooMany(retryAfter: seconds)
        }
        return visitor
    }

    /// What the forms of a visitor send back.
    func formToken(_ visitor: Visitor) -> String {
        let binding = visitor.session ?? visitor.formCookie ?? visitor.newFormCookie ?? ""
        return key.code("form", binding)
    }

    /// The name and password of a field `Authorization`, in UTF-8 (RFC 7617, section 2).
    static func basic(_ field: String?) -> (name: String, password: String)? {
        guard let parts = field?.split(separator: " ", maxSplits: 1), parts.count == 2,
            parts[0].lowercased() == "basic",
            let data = Data(base64Encoded: parts[1].trimmingCharacters(in: .whitespaces)),
            let text = String(validating: data, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { return nil }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
}

/// Whether a form was sent by a page of this server.
enum FormOrigin {
    /// A page of this server has no other origin. Browsers say `null` for a form of a page without a referrer, as all of
    /// these are, so that the form's token has to prove it.
    static func isOwn(_ request: ServerRequest, _ origin: String) -> Bool {
        if let site = request.header("Sec-Fetch-Site"), site != "same-origin", site != "none" { return false }
        guard let sender = request.header("Origin"), sender != "null" else { return true }
        return normalized(sender) == normalized(origin)
    }

    static var refusal: ServerResponse {
        RefusalAnswer.make(
            403, sentence: "This form was not sent by a page of this server, or is too old. Open it again.")
    }

    /// In lower case, and without the port that the scheme has anyway, as browsers write origins.
    private static func normalized(_ origin: String) -> String {
        let text = origin.lowercased()
        for (scheme, port) in [("http://", ":80"), ("https://", ":443")]
        where text.hasPrefix(scheme) && text.hasSuffix(port) {
            return String(text.dropLast(port.count))
        }
        return text
    }
}
