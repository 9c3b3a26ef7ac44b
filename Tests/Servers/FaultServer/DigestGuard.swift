import Foundation

/// What a server knows that takes digest logins (RFC 7616).
public struct DigestGuard: Sendable {
    /// The only user.
    public var user: String
    /// That user's password.
    public var password: String
    /// The realm that the challenge names.
    public var realm: String
    /// `MD5` or `SHA-256`, also with `-sess`.
    public var algorithm: String

    /// A guard of one user.
    public init(user: String = "ann", password: String = "pw", realm: String = "r", algorithm: String = "MD5") {
        self.user = user
        self.password = password
        self.realm = realm
        self.algorithm = algorithm
    }

    /// The value of `WWW-Authenticate`.
    public func challenge(_ nonce: String, isStale: Bool = false) -> String {
        let escaped = realm.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return
            "Digest realm=\"\(escaped)\", nonce=\"\(nonce)\", qop=\"auth\", algorithm=\(algorithm)\(isStale ? ", stale=true" : "")"
    }

    /// Whether the request's login is right and answers `nonce`.
    public func admits(_ request: FaultServer.Request, nonce: String) -> Bool {
        let fields = Self.fields(request)
        func hash(_ text: String) -> String {
            algorithm.hasPrefix("SHA-256") ? Digests.sha256(text) : Digests.md5(text)
        }
        guard fields["nonce"] == nonce, fields["username"] == user, let client = fields["cnonce"],
            let count = fields["nc"]
        else {
            return false
        }
        var first = hash("\(user):\(realm):\(password)")
        if algorithm.hasSuffix("-sess") { first = hash("\(first):\(nonce):\(client)") }
        return fields["response"]
            == hash("\(first):\(nonce):\(count):\(client):auth:" + hash("\(request.method):\(request.target)"))
    }

    /// The nonce that the request answers; nil if it has no digest login.
    public static func nonce(_ request: FaultServer.Request) -> String? { fields(request)["nonce"] }

    private static func fields(_ request: FaultServer.Request) -> [String: String] {
        guard let text = request.headers["authorization"], text.hasPrefix("Digest ") else { return [:] }
        var fields: [String: String] = [:]
        for match in text.dropFirst("Digest ".count).matches(of: /([a-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^,]*))/) {
            let quoted = match.output.2.map { String($0).replacing(/\\(.)/) { $0.output.1 } }
            fields[String(match.output.1)] = quoted ?? match.output.3.map { String($0) }
        }
        return fields
    }
}
