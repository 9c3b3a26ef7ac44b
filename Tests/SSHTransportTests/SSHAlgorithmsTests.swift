import Testing

@testable import SSHTransport

@Suite struct SSHAlgorithmsTests {
    @Test func `types of keys that are known come first, and RSA by its safest signature`() {
        #expect(SSHAlgorithms.hostKeys(known: ["ssh-rsa"]).prefix(4) == ["rsa-sha2-512", "rsa-sha2-256", "ssh-rsa", "ssh-ed25519"])
    }
}
