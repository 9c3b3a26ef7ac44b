import FileProviderCore
import Foundation
import Testing

import SSHTransport

struct HostKeyPolicyTests {
    private let key: HostKey
    private let other: HostKey
    private let ecdsa: HostKey

    init() throws {
        key = try #require(HostKey(base64: SampleKeys.ed25519))
        other = try #require(HostKey(base64: SampleKeys.other))
        ecdsa = try #require(HostKey(base64: SampleKeys.ecdsa))
    }

    /// The error of one check, nil when the key passed.
    private func refusal(_ policy: HostKeyPolicy, _ key: HostKey, file: String, port: Int = 22) throws -> URLError? {
        do {
            try policy.check(
                key, name: ("host.example", port), knownHosts: KnownHosts(userFiles: [file], systemFiles: []))
            return nil
        } catch let error as URLError {
            return error
        }
    }

    @Test
    func `strict takes a known key and no unknown one`() throws {
        let folder = try ScratchFolder()
        let file = try folder.file("known_hosts", "host.example ssh-ed25519 \(SampleKeys.ed25519)\n")
        #expect(try refusal(.strict, key, file: file) == nil)
        let empty = try folder.file("empty", "broken\n")
        let error = try #require(try refusal(.strict, key, file: empty, port: 2222))
        #expect(error.code == .serverCertificateHasUnknownRoot)
        #expect(error.sentence.contains(key.fingerprint))
        #expect(error.sentence.contains("ssh -p 2222 host.example"))
        #expect(error.sentence.contains("\(empty):1"))
        #expect(try String(contentsOfFile: empty, encoding: .utf8) == "broken\n")
    }

    @Test
    func `accept-new keeps a new key and never takes a changed one`() throws {
        let folder = try ScratchFolder()
        let file = folder.path + "/known_hosts"
        #expect(try refusal(.acceptNew, key, file: file) == nil)
        #expect(try refusal(.strict, key, file: file) == nil)
        for policy in [HostKeyPolicy.acceptNew, .strict] {
            for changed in [other, ecdsa] {
                let error = try #require(try refusal(policy, changed, file: file))
                #expect(error.code == .serverCertificateUntrusted)
                for part in [changed.fingerprint, key.fingerprint, "\(file):1", "ssh-keygen -R 'host.example'"] {
                    #expect(error.sentence.contains(part))
                }
            }
        }
    }

    @Test
    func `accept-new does not pass over an authority`() throws {
        let folder = try ScratchFolder()
        let text = "@cert-authority *.example ssh-ed25519 \(SampleKeys.authority)\n"
        let file = try folder.file("known_hosts", text)
        let error = try #require(try refusal(.acceptNew, key, file: file))
        #expect(error.code == .serverCertificateHasUnknownRoot)
        #expect(error.sentence.contains("\(file):1"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
    }

    @Test
    func `a revoked key passes by no policy`() throws {
        let folder = try ScratchFolder()
        let line = "host.example ssh-ed25519 \(SampleKeys.ed25519)\n"
        let file = try folder.file("known_hosts", line + "@revoked " + line)
        for policy in [HostKeyPolicy.strict, .acceptNew, .pinned(fingerprints: [key.fingerprint])] {
            let error = try #require(try refusal(policy, key, file: file))
            #expect(error.code == .serverCertificateUntrusted)
            #expect(error.sentence.contains("\(file):2"))
        }
    }

    @Test
    func `a pin passes its own key only, known or not`() throws {
        let folder = try ScratchFolder()
        let file = try folder.file("known_hosts", "host.example ssh-ed25519 \(SampleKeys.other)\n")
        let policy = try HostKeyPolicy.pinned(checking: [ecdsa.fingerprint, " \(key.fingerprint)= "])
        #expect(try refusal(policy, key, file: file) == nil)
        let error = try #require(try refusal(policy, other, file: file))
        #expect(error.code == .serverCertificateUntrusted)
        #expect(error.sentence.contains(other.fingerprint) && error.sentence.contains(key.fingerprint))
        #expect(try refusal(.pinned(fingerprints: []), key, file: file) != nil)
    }

    @Test(arguments: [
        "MD5:d4:1d:8c:d9:8f:00:b2:04:e9:80:09:98:ec:f8:42:7e", "d4:1d:8c:d9:8f:00:b2:04:e9:80:09:98:ec:f8:42:7e", "",
        "SHA256:",
        "SHA256:AAAA",
        "SHA1:2jmj7l5rSw0yVb/vlWAYkK/YBwk", "sha256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU", "SHA256:*",
    ])
    func `what is no fingerprint of SHA-256 is no pin`(text: String) throws {
        let error = #expect(throws: URLError.self) { try HostKeyPolicy.pinned(checking: [text]) }
        #expect(error?.code == .badURL)
        #expect(error?.sentence.contains("SHA256:") == true)
        let folder = try ScratchFolder()
        #expect(
            try refusal(.pinned(fingerprints: [key.fingerprint, text]), key, file: folder.path + "/none")?.code
                == .badURL)
    }
}
