import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import SSHTransport
import Testing

@testable import SFTPFileProvider

/// What is found out about a login before anything is sent.
@Suite struct SFTPAccessTests {
    /// A private key in OpenSSH's form (PROTOCOL.key), of no use to anybody: its public half is zeros.
    private func key(isEncrypted: Bool, blob other: [UInt8]? = nil) -> String {
        func string(_ bytes: some Collection<UInt8>) -> [UInt8] {
            withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { Array($0) } + bytes
        }
        let blob = other ?? string("ssh-ed25519".utf8) + string([UInt8](repeating: 0, count: 32))
        let head = Array("openssh-key-v1\0".utf8)
        let cipher =
            isEncrypted ? string("aes256-ctr".utf8) + string("bcrypt".utf8) : string("none".utf8) + string("none".utf8)
        let options = isEncrypted ? string(string([UInt8](repeating: 1, count: 16)) + [0, 0, 0, 16]) : string([])
        let bytes = head + cipher + options + [0, 0, 0, 1] + string(blob) + string([UInt8](repeating: 2, count: 160))
        return "-----BEGIN OPENSSH PRIVATE KEY-----\n"
            + Data(bytes).base64EncodedString(options: .lineLength64Characters)
            + "\n-----END OPENSSH PRIVATE KEY-----\n"
    }

    private func provider(_ address: String, _ options: ConnectionOptions) throws -> SFTPFileProvider {
        var configuration = SFTPConfiguration(baseURL: try #require(URL(string: address)))
        configuration.readsSSHConfig = false
        return try SFTPFileProvider(configuration: configuration, options: options)
    }

    /// A port on this machine where nobody listens.
    private static let nowhere = "sftp://anna@127.0.0.1:1/"

    @Test func `An encrypted key without its passphrase is told before a connection is made`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "carrel-key-\(UUID().uuidString)")
        try Data(key(isEncrypted: true).utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let options = ConnectionOptions(
            trust: TrustPolicy(identities: [file.path], knownHosts: []), retries: RetryPolicy(retries: 0), proxy: .none)
        let error = try await SFTPFaults.mustFail { try await provider(Self.nowhere, options).checkReachability() }
        #expect(error.urlCode == .userAuthenticationRequired && error.sentence.contains("passphrase"), "\(error)")
    }

    @Test func `A key that is not there or is none is told`() async throws {
        for content in [nil, "no key"] as [String?] {
            let file = FileManager.default.temporaryDirectory.appending(path: "carrel-key-\(UUID().uuidString)")
            if let content { try Data(content.utf8).write(to: file) }
            defer { try? FileManager.default.removeItem(at: file) }
            let options = ConnectionOptions(
                trust: TrustPolicy(identities: [file.path], knownHosts: []), retries: RetryPolicy(retries: 0),
                proxy: .none)
            let error = try await SFTPFaults.mustFail { try await provider(Self.nowhere, options).checkReachability() }
            #expect(error.sentence.contains(file.lastPathComponent), "\(error)")
        }
    }

    @Test func `A key in memory is looked at before a connection is made`() throws {
        let settings = try SSHHostSettings(host: "shelf", user: "anna", environment: ["HOME": "/nowhere"])
        let url = try #require(URL(string: "sftp://shelf/"))
        func method(_ key: String, _ passphrase: String? = nil, options: ConnectionOptions = ConnectionOptions()) throws
            -> SSHLogin.Method
        {
            try SFTPKeys(options: options, settings: settings, url: url).inMemory(
                Array(key.utf8), of: "anna", passphrase: passphrase)
        }
        let blob = Data([0, 0, 0, 11] + "ssh-ed25519".utf8 + [0, 0, 0, 32] + [UInt8](repeating: 0, count: 32))
        let hardware = [0, 0, 0, 26] + Array("sk-ssh-ed25519@openssh.com".utf8) + [UInt8](repeating: 0, count: 32)
        for (bytes, reason) in [
            ("", "is not a private key."), (SFTPFaults.secret, "is not a private key."),
            (String(key(isEncrypted: false).dropLast(40)), "is not a private key."),
            ("PuTTY-User-Key-File-3: ssh-ed25519\n\(SFTPFaults.secret)", "puttygen"),
            (
                "ssh-ed25519 \(blob.base64EncodedString()) \(SFTPFaults.secret)\n",
                "is a public key, not a private one."
            ),
            (key(isEncrypted: true), "is encrypted. Give its passphrase."),
            (key(isEncrypted: false, blob: hardware), "is in a hardware key."),
            ("-----BEGIN DSA PRIVATE KEY-----\nMAA=\n-----END DSA PRIVATE KEY-----\n", "libssh2 does not use."),
            (String(repeating: "x", count: 256 << 10 + 1), "is larger than 256 KiB."),
        ] {
            let error = #expect(throws: URLError.self) { try method(bytes) }
            #expect(error?.code == .userAuthenticationRequired)
            #expect(error?.sentence.contains("private key of “anna” ") == true, "\(reason)")
            #expect(error?.sentence.contains(reason) == true, "\(error?.sentence ?? "")")
            #expect(error.map { shownForms(of: $0).contains(SFTPFaults.secret) } == false)
        }
        var options = ConnectionOptions()
        options.clientKeyPassword = .password(user: "", password: SFTPFaults.secret)
        for (key, passphrase, options) in [
            (key(isEncrypted: false), nil, ConnectionOptions()),
            (key(isEncrypted: true), SFTPFaults.secret, ConnectionOptions()), (key(isEncrypted: true), nil, options),
        ] as [(String, String?, ConnectionOptions)] {
            let method = try method(key, passphrase, options: options)
            guard case .publicKey(let identity) = method else {
                Issue.record("The key is not offered.")
                continue
            }
            #expect((identity.passphrase != nil) == (passphrase != nil || options.clientKeyPassword != nil))
            #expect(identity.type == "ssh-ed25519" && identity.publicKey?.count == 51)
            var dumped = "\(method)"
            dump(method, to: &dumped)
            #expect(!dumped.contains(SFTPFaults.secret) && !dumped.contains("BEGIN"))
        }
    }

    @Test func `A server that is not there is told, whatever there is to log in with`() async throws {
        for options in [
            ConnectionOptions(
                credentials: FixedCredential(.password(user: "anna", password: SFTPFaults.secret)),
                trust: TrustPolicy(knownHosts: []),
                timeouts: Timeouts(connect: 2, idle: 2), retries: RetryPolicy(retries: 0), proxy: .none)
        ] {
            let error = try await SFTPFaults.mustFail { try await provider(Self.nowhere, options).checkReachability() }
            #expect(error.urlCode == .cannotConnectToHost, "\(error)")
        }
    }

    @Test func `An address that names no SFTP server is refused at once`() {
        for address in ["sftp:///a", "http://shelf.example/", "file:///a"] {
            let error = #expect(throws: URLError.self) { try provider(address, ConnectionOptions()) }
            #expect(error?.code == .badURL, "\(address)")
        }
    }
}
