import CSSH2
import Testing

@testable import SSHTransport

@Suite struct SSHAlgorithmsTests {
    @Test func `types of keys that are known come first, RSA by its safest signature`() {
        #expect(
            SSHAlgorithms.hostKeys(known: ["ssh-rsa"]).prefix(4) == [
                "rsa-sha2-512", "rsa-sha2-256", "ssh-rsa", "ssh-ed25519",
            ])
        #expect(
            SSHAlgorithms.hostKeys(known: ["ecdsa-sha2-nistp256"]).prefix(2) == ["ecdsa-sha2-nistp256", "ssh-ed25519"])
    }

    @Test func `types that are not safe are asked for under no circumstances, and none twice`() {
        let types = SSHAlgorithms.hostKeys(known: ["ssh-dss", "nonsense", "ssh-ed25519", "ssh-ed25519"])
        #expect(types == SSHAlgorithms.hostKeys)
    }

    @Test func `libssh2 knows something of every row`() throws {
        let session = try #require(libssh2_session_init_ex(nil, nil, nil, nil))
        defer { libssh2_session_free(session) }
        for (method, names) in SSHAlgorithms.preferences(knownHostKeys: []) {
            #expect(libssh2_session_method_pref(session, method, names.joined(separator: ",")) == 0, "row \(method)")
        }
    }

    @Test(arguments: ["cbc", "arcfour", "3des", "md5", "hmac-sha1", "dss", "group1-", "sha1"])
    func `what is broken is in no row`(word: String) {
        let all = SSHAlgorithms.preferences(knownHostKeys: []).flatMap(\.names)
        #expect(!all.contains { $0.contains(word) })
    }

    @Test func `the shortest key goes first, GCM before it, and MACs after encryption last`() {
        #expect(SSHAlgorithms.ciphers.first == "aes128-gcm@openssh.com")
        #expect(SSHAlgorithms.ciphers.first { $0.hasSuffix("-ctr") } == "aes128-ctr")
        #expect(SSHAlgorithms.macs.prefix(2) == ["hmac-sha2-256", "hmac-sha2-512"])
    }
}
