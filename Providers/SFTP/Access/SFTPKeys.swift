import FileProviderCore
import Foundation
import SSHTransport

/// The keys that a login by libssh2 offers, in order. Reads from the disk.
struct SFTPKeys {
    let options: ConnectionOptions
    let settings: SSHHostSettings
    /// Shown with errors.
    let url: URL

    /// The keys that the options name; if they name none, those of the agent, then those in files.
    func methods() throws -> [SSHLogin.Method] {
        if !options.trust.identities.isEmpty { return try options.trust.identities.map { try named($0) } }
        // Keys from ssh's configuration may be missing or unusable.
        let files = settings.identityFiles.compactMap { try? SSHPrivateKey(file: $0) }
            .filter { $0.isForLibrary && (!$0.isEncrypted || passphrase != nil) }
        let known = settings.identityFiles.compactMap { SSHPrivateKey.publicHalf(of: $0)?.blob }
        var methods: [SSHLogin.Method] = []
        if let agent {
            methods.append(.agent(socket: agent, only: settings.identitiesOnly ? known : nil, first: known))
        }
        return methods + files.map { .publicKey(identity($0)) }
    }

    private func named(_ file: String) throws -> SSHLogin.Method {
        // As with ssh, the public half is enough if the agent has the private one.
        let half = SSHPrivateKey.publicHalf(of: file)
        let byAgent = agent.flatMap { socket in half.map { SSHLogin.Method.agent(socket: socket, only: [$0.blob]) } }
        if let byAgent, access(file, F_OK) != 0 || SSHPrivateKey.isPublic(file) { return byAgent }
        let key = try SSHPrivateKey(file: file)
        guard key.isForLibrary else {
            throw refusal("The key “\(file)” \(Self.fault(of: key)); the ssh program (transport=ssh) may use it.")
        }
        if key.isEncrypted, passphrase == nil {
            if let byAgent { return byAgent }
            throw refusal("The key “\(file)” is encrypted. Give its passphrase.")
        }
        return .publicKey(identity(key))
    }

    /// A key that is not in a file, checked before anything is sent. A wrong passphrase is found only in the login.
    ///
    /// - Parameters:
    ///   - bytes: The content of a key file.
    ///   - passphrase: The key's passphrase; nil for that of the options.
    /// - Throws: `URLError(.userAuthenticationRequired)` for data that is not a private key which libssh2 uses, data
    ///   over 256 KiB, and an encrypted key without a passphrase.
    func inMemory(_ bytes: [UInt8], of user: String, passphrase: String?) throws -> SSHLogin.Method {
        let name = "of “\(user)”"
        guard bytes.count <= SSHPrivateKey.maxSize else {
            throw refusal("The private key \(name) is larger than \(SSHPrivateKey.maxSize >> 10) KiB.")
        }
        guard let key = SSHPrivateKey(bytes, file: "", beside: nil) else {
            throw refusal("The data given as the private key \(name) \(SSHPrivateKey.fault(of: bytes)).")
        }
        guard key.isForLibrary else { throw refusal("The private key \(name) \(Self.fault(of: key)).") }
        let secret = passphrase.map { SSHSecret($0) } ?? self.passphrase
        if key.isEncrypted, secret == nil {
            throw refusal("The private key \(name) is encrypted. Give its passphrase.")
        }
        return .publicKey(
            SSHIdentity(
                name: name, key: .memory(bytes), type: key.loginType, publicKey: key.publicKey?.blob,
                passphrase: key.isEncrypted ? secret : nil))
    }

    private static func fault(of key: SSHPrivateKey) -> String {
        key.algorithm == .securityKey ? "is in a hardware key" : "is of a kind that libssh2 does not use"
    }

    private func refusal(_ sentence: String) -> URLError {
        FileError.make(.userAuthenticationRequired, url: url, sentence: sentence)
    }

    private func identity(_ key: SSHPrivateKey) -> SSHIdentity {
        SSHIdentity(
            name: key.file, key: .file(key.file), type: key.loginType, publicKey: key.publicKey?.blob,
            passphrase: key.isEncrypted ? passphrase : nil)
    }

    private var passphrase: SSHSecret? {
        guard case .password(_, let password)? = options.clientKeyPassword?.kind else { return nil }
        return SSHSecret(password)
    }

    /// The agent's socket.
    private var agent: String? {
        switch settings.identityAgent {
        case .none: nil
        case .usual: ProcessInfo.processInfo.environment["SSH_AUTH_SOCK"]
        case .socket(let path): path
        }
    }
}
