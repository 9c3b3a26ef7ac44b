import Foundation
import Testing

import SSHTransport

struct HostKeyTests {
    @Test
    func `a key tells its type and the fingerprint that ssh-keygen shows`() throws {
        let key = try #require(HostKey(base64: SampleKeys.ed25519))
        #expect(key.type == "ssh-ed25519")
        #expect(key.algorithm == "ED25519")
        #expect(key.fingerprint == "SHA256:w2lyvIlTKd5oMEev0UL1reD9HdbDsMYAwDcaBLePV7M")
        #expect(key.base64 == SampleKeys.ed25519)
        let ecdsa = try #require(HostKey(base64: SampleKeys.ecdsa))
        #expect(ecdsa.type == "ecdsa-sha2-nistp256")
        #expect(ecdsa.fingerprint == "SHA256:YVmR/X3xk/dpsjZVLPPgdUiAvDqZPkaV4UCWRh0OVPg")
    }

    @Test(arguments: [
        [], [0, 0, 0], [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF, 1], [0, 0, 0, 1, 0x20, 0, 0, 0, 0], [0, 0, 0, 1, 0x61],
        [0, 0, 0, 1, 0x61, 0, 0, 0, 2, 1], [0, 0, 0, 1, 0x61, 0, 0, 0, 1, 1, 9],
    ])
    func `bytes that form no key are none`(bytes: [UInt8]) {
        #expect(HostKey(blob: bytes) == nil)
    }

    @Test
    func `a key that is too long is none`() {
        let long: [UInt8] = [0, 0, 0, 1, 0x61, 0, 0, 0x80, 0] + [UInt8](repeating: 1, count: 0x8000)
        #expect(HostKey(blob: long) == nil)
        #expect(HostKey(blob: [0, 0, 0, 1, 0x61, 0, 0, 0x70, 0] + long.prefix(0x7000)) != nil)
    }

    @Test
    func `no change of a key's bytes crashes, and each makes another fingerprint`() throws {
        let key = try #require(HostKey(base64: SampleKeys.ecdsa))
        var generator = SystemRandomNumberGenerator()
        var changes = 0
        for _ in 0..<2000 {
            var bytes = key.blob
            bytes[Int.random(in: bytes.indices, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
            bytes.removeLast(Int.random(in: 0...3, using: &generator))
            guard let changed = HostKey(blob: bytes) else { continue }
            changes += 1
            #expect(changed != key)
            #expect(changed.fingerprint != key.fingerprint)
        }
        #expect(changes > 100, "\(changes)")
    }
}
