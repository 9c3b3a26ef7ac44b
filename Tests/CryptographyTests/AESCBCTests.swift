import Foundation
import SampleBooks
import Testing

import Cryptography

@Suite struct AESCBCTests {
    struct Answer: Sendable {
        let key: String
        let cipherText: String
    }

    private static let vector = "000102030405060708090a0b0c0d0e0f"
    private static let plainText =
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
    /// NIST SP 800-38A, appendix F.2, for keys of 128, 192 and 256 bits.
    private static let answers = [
        Answer(
            key: "2b7e151628aed2a6abf7158809cf4f3c",
            cipherText:
                "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b273bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"
        ),
        Answer(
            key: "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
            cipherText:
                "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd"
        ),
        Answer(
            key: "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            cipherText:
                "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"
        ),
    ]

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal.utf8)
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
    }

    private static func decryptor(key: [UInt8], vector: some Sequence<UInt8>) -> AESCBCDecryptor {
        Array(vector).withUnsafeBytes { AESCBCDecryptor(key: key, initializationVector: $0) }
    }

    @Test(arguments: answers)
    func `plain text is that of the standard`(answer: Answer) {
        let message = Self.bytes(Self.vector + answer.cipherText)
        #expect(AESCBC.decrypted(message, key: Self.bytes(answer.key)) == Self.bytes(Self.plainText))
    }

    @Test(arguments: answers)
    func `blocks may come in pieces, and be decrypted in place`(answer: Answer) {
        var blocks = Self.bytes(answer.cipherText)
        for cut in stride(from: 0, through: blocks.count, by: AESCBC.blockLength) {
            let decryptor = Self.decryptor(key: Self.bytes(answer.key), vector: Self.bytes(Self.vector))
            blocks = Self.bytes(answer.cipherText)
            blocks.withUnsafeMutableBytes { all in
                let first = UnsafeMutableRawBufferPointer(rebasing: all[..<cut])
                let second = UnsafeMutableRawBufferPointer(rebasing: all[cut...])
                decryptor.update(UnsafeRawBufferPointer(first), into: first)
                decryptor.update(UnsafeRawBufferPointer(second), into: second)
            }
            #expect(blocks == Self.bytes(Self.plainText), "cut at \(cut)")
        }
    }

    @Test func `decryption may begin at any block, with the block before it`() throws {
        let answer = try #require(Self.answers.last)
        let message = Self.bytes(Self.vector + answer.cipherText)
        let plain = Self.bytes(Self.plainText)
        for start in stride(from: 0, to: plain.count, by: AESCBC.blockLength) {
            #expect(AESCBC.decrypted(message[start...], key: Self.bytes(answer.key)) == Array(plain[start...]))
        }
    }

    @Test func `a message by the openssl tool is decrypted with its padding`() throws {
        let plain = try #require(
            AESCBC.decrypted(LCPVectors.encryptedResource, key: Array(LCPVectors.contentKey)))
        #expect(plain.count == 112)
        #expect(plain.last == 12)
        #expect(Data(plain.prefix(100)) == LCPVectors.resource)
    }

    @Test func `a message that is not a vector and whole blocks has no plain text`() {
        let key = [UInt8](repeating: 1, count: 32)
        for count in 0...64 {
            let plain = AESCBC.decrypted([UInt8](repeating: 2, count: count), key: key)
            #expect(plain?.count == (count >= 16 && count.isMultiple(of: 16) ? count - 16 : nil), "\(count) bytes")
        }
    }

    @Test func `a wrong key gives other bytes and no error`() throws {
        var key = Array(LCPVectors.contentKey)
        key[31] ^= 1
        let plain = try #require(AESCBC.decrypted(LCPVectors.encryptedResource, key: key))
        #expect(Data(plain.prefix(100)) != LCPVectors.resource)
    }
}
