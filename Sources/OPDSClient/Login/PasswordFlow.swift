import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider
import OPDS

/// A login that exchanges a user and password for a token (Authentication for OPDS 1.0, section 3.4.6; RFC 6749, section
/// 4.3).
final class PasswordFlow: Sendable {
    /// The server refused the user and password.
    struct Refused: Error {}

    /// The largest answer with a token, in bytes.
    private static let largestAnswer = 1 << 20

    private let authenticate: URL
    private let refresh: URL?
    private let user: String
    private let password: String
    private let options: ConnectionOptions
    private let refreshToken = LockedValue<String?>(nil)

    /// - Parameters:
    ///   - authenticate: The address that gives tokens.
    ///   - refresh: The address that gives new tokens for old ones; nil to log in again instead.
    init(authenticate: URL, refresh: URL?, user: String, password: String, options: ConnectionOptions) {
        self.authenticate = authenticate
        // A token for renewal belongs to the server that gave it.
        self.refresh = refresh.flatMap { Origin(ofServer: $0) == Origin(ofServer: authenticate) ? $0 : nil }
        self.user = user
        self.password = password
        var options = options
        options.credentials = FixedCredential(nil)
        options.keepsRedirectsInOrigin = true
        self.options = options
    }

    /// The links of `flow`, if they are addresses on web servers.
    static func addresses(of flow: AuthenticationDocument.Flow) -> (authenticate: URL, refresh: URL?)? {
        func address(_ rel: String) -> URL? {
            guard let link = flow.links.first(where: { $0.rels.contains(rel) }), let url = URL(string: link.href),
                Origin(ofServer: url) != nil
            else { return nil }
            return url
        }
        return address(CatalogRelation.authenticate).map { ($0, address(CatalogRelation.refresh)) }
    }

    /// Gets a token: by the token for renewal if there is one and the server still accepts it, else by the password.
    ///
    /// - Throws: ``Refused``; errors of the transport; `URLError(.badServerResponse)` for an answer without a token.
    func token() async throws -> Credential {
        if let refresh, let old = refreshToken.update({ $0.take() }) {
            let form = [("grant_type", "refresh_token"), ("refresh_token", old)]
            do { return try await token(from: refresh, form) } catch is Refused {}
        }
        return try await token(
            from: authenticate, [("grant_type", "password"), ("username", user), ("password", password)])
    }

    private func token(from url: URL, _ form: [(name: String, value: String)]) async throws -> Credential {
        try refuseClear(url)
        let connection = try HTTPConnection(url: url.withoutUser.serverRoot, options: options)
        let body = form.map { "\($0.name)=\(PercentEncoding.encoded(Array($0.value.utf8)))" }.joined(separator: "&")
        var request = HTTPRequest(
            "POST", path: (try? ProviderPath(percentEncoded: url.path(percentEncoded: true))) ?? .root,
            headers: [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")],
            body: .data(Data(body.utf8)), repetition: .ifNotDone, accepts: [400, 401, 403], isWriting: true)
        request.url = url.withoutUser
        let (data, head) = try await connection.data(for: request, limit: Self.largestAnswer)
        guard head.isSuccess else { throw Refused() }
        guard let answer = try? JSONValue(data: data, maximumSize: Self.largestAnswer),
            let token = answer["access_token"]?.stringValue, !token.isEmpty
        else {
            throw FileError.make(
                .badServerResponse, url: url, sentence: "“\(url.host() ?? "")” answered a login without a token.")
        }
        if let next = answer["refresh_token"]?.stringValue { refreshToken.update { $0 = next } }
        return .bearer(token, expires: Self.expiry(answer["expires_in"]?.doubleValue))
    }

    /// The time at which a token is replaced: a little before it expires. Nonsense means unknown.
    private static func expiry(_ seconds: Double?) -> Date? {
        guard let seconds, seconds > 0, seconds < 1e9 else { return nil }
        return Date(timeIntervalSinceNow: max(seconds * 0.9, seconds - 30))
    }

    /// - Throws: `URLError(.appTransportSecurityRequiresSecureConnection)` if the password would go in clear over a
    ///   network.
    private func refuseClear(_ url: URL) throws {
        guard let origin = Origin(ofServer: url) else { return }
        let staysHere = origin.isLoopback && options.proxy.staysOnThisMachine
        if origin.scheme == "https" || staysHere || options.allowsClearPassword { return }
        throw FileError.make(
            .appTransportSecurityRequiresSecureConnection, url: url,
            sentence:
                "“\(origin.host)” wants the password in clear over a connection that is not encrypted, which is refused unless it is allowed."
        )
    }
}
