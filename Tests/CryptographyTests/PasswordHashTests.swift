import Foundation
import Testing

import Cryptography

@Suite struct PasswordHashTests {
    /// Cheap, so that tests are fast.
    private let cheap = PasswordHash.Parameters(logarithm: 4, blockSize: 1, passes: 1)!

    /// RFC 7914, section 12.
    @Test func `the vectors of RFC 7914 are met`() throws {
        let small = try #require(PasswordHash.Parameters(logarithm: 4, blockSize: 1, passes: 1))
        let empty = PasswordHash.derive(Data(), salt: Data(), small, count: 64)
        #expect(
            Data(empty).map { String(format: "%02x", $0) }.joined()
                == "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906")
        let large = try #require(PasswordHash.Parameters(logarithm: 10, blockSize: 8, passes: 16))
        let salted = PasswordHash.derive(Data("password".utf8), salt: Data("NaCl".utf8), large, count: 64)
        #expect(
            Data(salted).map { String(format: "%02x", $0) }.joined()
                == "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640")
    }

    @Test func `a stored hash knows its password and no other`() throws {
        let hash = PasswordHash(of: Data("correct horse".utf8), cheap)
        let stored = try #require(PasswordHash(hash.text))
        #expect(stored.matches(Data("correct horse".utf8)))
        #expect(!stored.matches(Data("correct horsf".utf8)))
        #expect(!stored.matches(Data()))
        #expect(stored.text == hash.text)
        #expect(hash.text.hasPrefix("$scrypt$ln=4,r=1,p=1$"))
    }

    @Test func `the same password has another hash each time`() {
        #expect(PasswordHash(of: Data("same".utf8), cheap).text != PasswordHash(of: Data("same".utf8), cheap).text)
    }

    @Test func `a hash of another cost is to be replaced`() {
        let hash = PasswordHash(of: Data("a".utf8), cheap)
        #expect(hash.needsRehash())
        #expect(!hash.needsRehash(cheap))
    }

    @Test func `the usual cost is within the limits`() {
        let hash = PasswordHash(of: Data("a".utf8))
        #expect(hash.text.hasPrefix("$scrypt$ln=15,r=8,p=1$"))
        #expect(hash.matches(Data("a".utf8)))
    }

    @Test(arguments: [
        "", "plain", "$scrypt$ln=15,r=8,p=1$c2FsdHNhbHQ", "$argon2$ln=4,r=1,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=25,r=8,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=24,r=64,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$r=8,ln=15,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=-4,r=1,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA", "$scrypt$ln=4,r=1,p=1$$",
        "$scrypt$ln=4,r=1,p=1$c2FsdHNhbHQ$====",
    ])
    func `text that is no hash, or asks for too much memory, is refused`(text: String) {
        #expect(PasswordHash(text) == nil)
    }
}
