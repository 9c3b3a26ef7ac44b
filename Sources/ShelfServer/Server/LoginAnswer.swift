import Cryptography
import FileProviderCore
import Foundation
import MediaTypes
import OPDS
import WebServer

/// Logging in and out by forms, and the questions for those who have to log in.
enum LoginAnswer {
    /// The form, and the answer to what was sent by it.
    static func login(
        _ request: ServerRequest, _ visitor: Visitor, _ context: ShelfContext
    ) async throws -> ServerResponse {
        guard request.method == "POST" else {
            let next = safePath(FormFields(request.query)["next"])
            if context.settings.isOpen || visitor.user != nil { return Redirection.make(to: context.base + next) }
            return LoginPage.make(for: request, next: next, name: "", sentence: nil, status: 200, context)
        }
        let fields = FormFields(request.body)
        let (name, next) = (fields["name"] ?? "", safePath(fields["next"]))
        if context.settings.isOpen { return Redirection.make(to: context.base + next) }
        guard isProven(fields, context), visitor.session != nil || visitor.formCookie != nil,
            FormOrigin.isOwn(request, context.origin)
        else {
            let sentence = "This form is too old, or your browser keeps no cookies. Try again."
            return LoginPage.make(for: request, next: next, name: name, sentence: sentence, status: 403, context)
        }
        switch try await context.logins.check(
            name: name, password: fields["password"] ?? "", client: context.client)
        {
        case .user(let user):
            var answer = Redirection.make(to: context.base + next)
            let value = Session(of: user, at: Date(), context.key).value
            answer.headers.append(("Set-Cookie", cookie(value, context, seconds: Session.lifetime)))
            return answer
        case .wrong:
            let sentence = "This name and password do not belong together."
            return LoginPage.make(for: request, next: next, name: name, sentence: sentence, status: 403, context)
        case .tooMany(let seconds):
            let time = seconds <= 60 ? "\(seconds) seconds" : "\((seconds + 59) / 60) minutes"
            let sentence = "Too many wrong logins. Try again in \(time)."
            var answer = LoginPage.make(
                for: request, next: next, name: name, sentence: sentence, status: 429, context)
            answer.set("Retry-After", String(seconds))
            return answer
        }
    }

    /// Ends the session of the browser, also for copies of its cookie.
    static func logout(
        _ request: ServerRequest, _ visitor: Visitor, _ context: ShelfContext
    ) async throws -> ServerResponse {
        guard isProven(FormFields(request.body), context), FormOrigin.isOwn(request, context.origin) else {
            return FormOrigin.refusal
        }
        if let session = visitor.session.flatMap({ Session($0) }) { try await context.people.end(session) }
        var answer = Redirection.make(to: context.base + (context.settings.isOpen ? "" : "login"))
        answer.headers.append(("Set-Cookie", cookie("", context, seconds: 0)))
        return answer
    }

    // MARK: Questions

    /// Leads a browser to the form, and back afterwards.
    static func question(_ request: ServerRequest, _ context: ShelfContext) -> ServerResponse {
        let target = String(request.target.dropFirst(context.base.count))
        let next = safePath(target)
        let query = next.isEmpty ? "" : "?next=" + PercentEncoding.encoded(Array(next.utf8))
        return Redirection.make(to: context.base + "login" + query)
    }

    /// Tells a reading app how to log in (Authentication for OPDS 1.0, section 2).
    static func catalogueQuestion(_ context: ShelfContext) -> ServerResponse {
        let document = LoginDocument.document(context).json.data
        var answer = ServerResponse(status: 401, headers: ContentPolicy.service(), body: .data(document))
        answer.set("Content-Type", AuthenticationDocument.mediaType.string)
        answer.set("Cache-Control", "no-store")
        // The realm is a quoted string of ASCII (RFC 7617, section 2); the title is in the document.
        answer.set("WWW-Authenticate", "Basic realm=\"Books\", charset=\"UTF-8\"")
        let address = context.address + "opds/authentication.json"
        let relation = "rel=\"http://opds-spec.org/auth/document\""
        answer.set("Link", "<\(address)>; \(relation); type=\"\(AuthenticationDocument.mediaType.string)\"")
        return answer
    }

    // MARK: Parts

    private static func isProven(_ fields: FormFields, _ context: ShelfContext) -> Bool {
        ConstantTime.areEqual(Data((fields["token"] ?? "").utf8), Data(context.formToken.utf8))
    }

    private static func cookie(_ value: String, _ context: ShelfContext, seconds: Int64) -> String {
        Session.field(Session.cookie, value, path: context.base, isSecure: context.isSecure, seconds: seconds)
    }

    /// A path below the base, with its query. Anything that could lead elsewhere becomes the first page.
    static func safePath(_ text: String?) -> String {
        guard let text, text.utf8.count <= 2_000, !text.hasPrefix("/"), !text.hasPrefix("login"),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "\"") })
        else { return "" }
        let path = text.prefix { $0 != "?" && $0 != "#" }
        return path.split(separator: "/").contains("..") ? "" : text
    }
}

/// Answers that lead elsewhere, or that are the same everywhere.
enum Redirection {
    /// - Parameter status: 303 lets a form's answer be fetched with GET.
    static func make(to path: String, status: Int = 303) -> ServerResponse {
        var answer = ServerResponse(status: status, headers: ContentPolicy.service())
        answer.set("Location", path)
        answer.set("Cache-Control", "no-store")
        return answer
    }

    static func tooManyLogins(retryAfter seconds: Int) -> ServerResponse {
        var answer = RefusalAnswer.make(429, sentence: "Too many wrong logins. Try again later.")
        answer.set("Retry-After", String(seconds))
        return answer
    }
}
