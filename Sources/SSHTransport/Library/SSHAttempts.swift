import FileProviderCore
import Foundation

/// What has been tried of a login, and what came of it.
struct SSHAttempts {
    let login: SSHLogin
    let server: SSHServer
    /// The methods that the server takes; nil while it has not been asked.
    var accepted: [String]? {
        didSet { isOutdated = false }
    }
    /// Whether something was tried after ``accepted`` was told: the server may take other methods by now.
    private(set) var isOutdated = false
    private var refused: [String] = []
    private var unusable: [String] = []
    private var cause: (any Error)?
    private var keys = 0
    private var offered: Set<[UInt8]> = []
    private var hasOldRSA = false
    /// How many keys are offered at most, where there were more.
    private var keysLeft: Int?

    init(login: SSHLogin, server: SSHServer) {
        self.login = login
        self.server = server
    }

    /// Whether a method was sent, which a server may answer by closing the connection.
    var hasBegun = false {
        didSet { isOutdated = accepted != nil }
    }
    var hasFailed: Bool { !refused.isEmpty }
    /// Whether it was the password that did not do, and not the method, which some servers do not have.
    var isPasswordRefused: Bool { refused.contains("password") && mayTry("password") }

    /// Nil for one that does not say what it takes.
    func mayTry(_ method: String) -> Bool { accepted.map { $0.isEmpty || $0.contains(method) } ?? true }

    /// A server that takes passwords, too, is to have one before it has had enough.
    private var maxKeys: Int {
        let takesPassword = mayTry("password") || mayTry("keyboard-interactive")
        return login.hasPassword && takesPassword ? min(login.maxKeys, SSHLogin.maxKeysBeforePassword) : login.maxKeys
    }

    /// Counts a key that is going to be offered; false for one that was offered, and for one too many.
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

    /// A key could not be opened, and so was not offered.
    ///
    /// - Parameter hadBegun: Whether something was sent before it.
    mutating func giveBackKey(publicKey: [UInt8]?, hadBegun: Bool) {
        keys -= 1
        hasBegun = hadBegun
        if let publicKey { offered.remove(publicKey) }
    }

    /// A key was known, and did not do: the server may want another method beside it, and is to be asked which.
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
        if refused.isEmpty, unusable.isEmpty, !hasBegun { sentence += ": there was nothing to log in with" }
        if !refused.isEmpty { sentence += " by " + refused.joined(separator: ", ") }
        if let accepted, !accepted.isEmpty { sentence += " (it takes " + accepted.joined(separator: ", ") + ")" }
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

    /// Whether a login was refused that may have failed for one reason: this libssh2 signs with RSA keys in a way that
    /// servers take no more.
    package var isForOldRSA: Bool { userInfo[Self.oldRSA] as? Bool ?? false }

    fileprivate func markedAsOldRSA() -> URLError {
        var info = userInfo
        info[Self.oldRSA] = true
        return URLError(code, userInfo: info)
    }
}
