import FileProviderCore
import Foundation

/// What has been tried of a login, and what came of it.
struct SSHAttempts {
    let login: SSHLogin
    let server: SSHServer
    /// The methods that the server takes; nil while it has not been asked.
    var accepted: [String]?
    private var refused: [String] = []
    private var unusable: [String] = []
    private var cause: (any Error)?
    private var keys = 0
    private var hasOldRSA = false
    private var hasLeftKeys = false

    init(login: SSHLogin, server: SSHServer) {
        self.login = login
        self.server = server
    }

    /// Whether a method was sent, which a server may answer by closing the connection.
    var hasBegun = false
    var hasFailed: Bool { !refused.isEmpty }

    /// Nil for one that does not say what it takes.
    func mayTry(_ method: String) -> Bool { accepted.map { $0.isEmpty || $0.contains(method) } ?? true }

    /// Counts a key that is going to be offered.
    mutating func takeKey(type: String?) -> Bool {
        guard keys < login.mostKeys else {
            hasLeftKeys = true
            return false
        }
        keys += 1
        if type == "ssh-rsa", !SSHLibrary.signsRSAWithSHA2 { hasOldRSA = true }
        return true
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
        var sentence = "“\(server.host)” refused the login of “\(login.user)”"
        if refused.isEmpty, hasBegun { sentence += ", or lost the connection in the middle of it" }
        if refused.isEmpty, unusable.isEmpty, !hasBegun { sentence += ": there was nothing to log in with" }
        if !refused.isEmpty { sentence += " by " + refused.joined(separator: ", ") }
        if let accepted, !accepted.isEmpty { sentence += " (it takes " + accepted.joined(separator: ", ") + ")" }
        sentence += "."
        if let lastWords, !lastWords.isEmpty { sentence += " It said: \(lastWords)." }
        for why in unusable { sentence += " " + why.prefix(1).uppercased() + why.dropFirst() + "." }
        if hasLeftKeys { sentence += " More than \(login.mostKeys) keys are not offered; name the one to use." }
        if hasOldRSA {
            sentence +=
                " libssh2 \(SSHLibrary.version) signs with RSA keys by SHA-1 only, which OpenSSH 8.8 and later refuse: "
                + "use an ed25519 key, or the ssh program (transport=ssh)."
        }
        return FileError.make(.userAuthenticationRequired, url: server.url, sentence: sentence, underlying: error ?? cause)
    }
}
