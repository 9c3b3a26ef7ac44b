import FileProviderCore
import Foundation

/// The attempts to log in so far, and their results.
struct SSHAttempts {
    let login: SSHLogin
    let server: SSHServer
    /// The methods that the server accepts; nil while it has not been asked.
    var accepted: [String]? {
        didSet { isOutdated = false }
    }
    /// Whether something was tried after ``accepted`` was received: the server may accept other methods by now.
    private(set) var isOutdated = false
    private var refused: [String] = []
    private var unusable: [String] = []
    private var cause: (any Error)?
    private var keys = 0
    private var offered: Set<[UInt8]> = []
    private var hasOldRSA = false
    /// The number of keys that are offered at most, if there were more.
    private var keysLeft: Int?

    init(login: SSHLogin, server: SSHServer) {
        self.login = login
        self.server = server
    }

    /// Whether a method was sent. A server may close the connection in reply.
    var hasBegun = false {
        didSet { isOutdated = accepted != nil }
    }
    var hasFailed: Bool { !refused.isEmpty }
    /// Whether the password was refused, and not the method, which some servers do not have.
    var isPasswordRefused: Bool { refused.contains("password") && mayTry("password") }

    /// Nil for a server that does not say what it accepts.
    func mayTry(_ method: String) -> Bool { accepted.map { $0.isEmpty || $0.contains(method) } ?? true }

    /// A server that also accepts passwords must get one before it ends the login.
    private var maxKeys: Int {
        let takesPassword = mayTry("password") || mayTry("keyboard-interactive")
        return login.hasPassword && takesPassword ? min(login.maxKeys, SSHLogin.maxKeysBeforePassword) : login.maxKeys
    }

    /// Counts a key that is about to be offered; returns false for one that was offered before, and for one too many.
    mutating func takeKey(type: String?, publicKey: [UInt8]? = nil) -> Bool {
        if let publicKey, offered.contains(publicKey) { return false }
        guard keys < maxKeys else {
            keysLeft = maxKeys
            return false
        }
        keys += 1
        if let publicKey { offered.insert(publicKey) }
        if type == "ssh-rsa", !SSHLibrary.signsRSAWithSHA2 { hasOldRSA = true }
        return true
    }

    /// Notes a key that could not be opened, and so was not offered.
    ///
    /// - Parameter hadBegun: Whether something was sent before it.
    mutating func giveBackKey(publicKey: [UInt8]?, hadBegun: Bool) {
        keys -= 1
        hasBegun = hadBegun
        if let publicKey { offered.remove(publicKey) }
    }

    /// Notes a key that was accepted and then failed: the server may require a second method, so it is asked for its
    /// list.
    mutating func failedInTheEnd(_ what: String, cause: any Error) {
        failed(what, cause)
        accepted = nil
    }

    mutating func failed(_ what: String, _ cause: any Error) {
        refused.append(what)
        self.cause = cause
    }

    mutating func unusable(_ why: String, _ cause: (any Error)?) {
        unusable.append(why)
        self.cause = self.cause ?? cause
    }

    func refusal(lastWords: String?, _ error: (any Error)?) -> URLError {
        // Then the server refused nothing.
        let isUnsent = refused.isEmpty && !unusable.isEmpty && !hasBegun
        var sentence =
            isUnsent
            ? "The login of “\(login.user)” to “\(server.host)” cannot begin: " + unusable.joined(separator: "; ")
            : "“\(server.host)” refused the login of “\(login.user)”"
        if refused.isEmpty, hasBegun { sentence += ", or lost the connection in the middle of it" }
        if refused.isEmpty, unusable.isEmpty, !hasBegun { sentence += ": there was no key and no password to try" }
        if !refused.isEmpty { sentence += " by " + refused.joined(separator: ", ") }
        if let accepted, !accepted.isEmpty { sentence += " (it accepts " + accepted.joined(separator: ", ") + ")" }
        sentence += "."
        if let lastWords, !lastWords.isEmpty { sentence += " It said: \(lastWords)." }
        for why in isUnsent ? [] : unusable { sentence += " " + why.prefix(1).uppercased() + why.dropFirst() + "." }
        if let keysLeft { sentence += " More than \(keysLeft) keys are not offered; name the one to use." }
        if hasOldRSA {
            sentence +=
                " libssh2 \(SSHLibrary.version) signs with RSA keys by SHA-1 only, which OpenSSH 8.8 and later refuse: "
                + "use an ed25519 key, or the ssh program (transport=ssh)."
        }
        let refusal = FileError.make(
            .userAuthenticationRequired, url: server.url, sentence: sentence, underlying: error ?? cause)
        return hasOldRSA && mayTry("publickey") ? refusal.markedAsOldRSA() : refusal
    }
}

extension URLError {
    private static let oldRSA = "CarrelOldRSASignature"

    /// Whether a refused login may have failed because this libssh2 signs with RSA keys in a way that servers no longer
    /// accept.
    package var isForOldRSA: Bool { userInfo[Self.oldRSA] as? Bool ?? false }

    fileprivate func markedAsOldRSA() -> URLError {
        var info = userInfo
        info[Self.oldRSA] = true
        return URLError(code, userInfo: info)
    }
}
