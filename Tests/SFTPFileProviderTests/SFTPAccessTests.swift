import FaultServer
import FileProviderCore
import Foundation
import Testing

import SFTPFileProvider

/// What is found out about a login before anything is sent.
@Suite struct SFTPAccessTests {
    /// A private key in OpenSSH's form (PROTOCOL.key), of no use to anybody: its public half is zeros.
    private func key(isEncrypted: Bool) -> String {
        func string(_ bytes: some Collection<UInt8>) -> [UInt8] {
            withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { Array($0) } + bytes
        }
        let blob = string("ssh-ed25519".utf8) + string([UInt8](repeating: 0, count: 32))
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
