import Foundation
import Testing

import Cryptography

@Suite struct HMACTests {
    struct Vector: Sendable {
        let key: [UInt8]
        let message: [UInt8]
        let codes: [HashAlgorithm: String]
    }

    /// RFC 4231, sections 4.2, 4.3, 4.4 and 4.7, for SHA-256, SHA-384 and SHA-512; the last has neither key nor
    /// message.
    private static let vectors = [
        Vector(
            key: [UInt8](repeating: 0x0B, count: 20), message: Array("Hi There".utf8),
            codes: [
                .sha1: "b617318655057264e28bc0b6fb378c8ef146be00",
                .sha256: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
                .sha384:
                    "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6",
                .sha512:
                    "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
            ]),
        Vector(
            key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
            codes: [
                .sha1: "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
                .sha256: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
                .sha384:
                    "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
                .sha512:
                    "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
            ]),
        Vector(
            key: [UInt8](repeating: 0xAA, count: 20), message: [UInt8](repeating: 0xDD, count: 50),
            codes: [
                .sha1: "125d7342b9ac11cd91a39af48aa17b4f63f175d3",
                .sha256: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
                .sha384:
                    "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b2a5ab39dc13814b94e3ab6e101a34f27",
                .sha512:
                    "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb",
            ]),
        Vector(
            key: [UInt8](repeating: 0xAA, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            codes: [
                .sha1: "90d0dace1c1bdc957339307803160335bde6df2b",
                .sha256: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
                .sha384:
                    "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952",
                .sha512:
                    "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
            ]),
        Vector(
            key: [], message: [],
            codes: [
                .sha1: "fbdb1d1b18aa6c08324b7d64b71fb76370690e1d",
                .sha256: "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad",
                .sha384:
                    "6c1f2ee938fad2e24bd91298474382ca218c75db3d83e114b3d4367776d14d3551289e75e8209cd4b792302840234adc",
                .sha512:
                    "b936cee86c9f87aa5d3c6f2e84cb5a4239a5fe50480a6ec66b70ab5b1f4ac6730c6c515421b327ec1d69402e53dfb49ad7381eb067b338fd7b0cb22247225d47",
            ]),
    ]

    @Test(arguments: vectors)
    func `codes are those of the standard`(vector: Vector) {
        for (algorithm, expected) in vector.codes {
            #expect(HMAC.code(of: vector.message, key: vector.key, algorithm).hexadecimal == expected, "\(algorithm)")
        }
    }

    @Test func `many at once are the same as one, also without key and message`() async {
        let vectors = Self.vectors
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<2_000 {
                let vector = vectors[number % vectors.count]
                group.addTask {
                    vector.codes.allSatisfy { algorithm, expected in
                        // Memory that strings are in for a moment only is another one's by now.
                        let noise = String(repeating: "x", count: number % 64)
                        return HMAC.code(of: Data(vector.message), key: Data(vector.key), algorithm).hexadecimal
                            == expected
                            && noise.utf8.count == number % 64
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    /// RFC 2202, section 2.
    @Test func `MD5 has a code, too`() {
        let code = HMAC.code(of: Data("what do ya want for nothing?".utf8), key: Data("Jefe".utf8), .md5)
        #expect(code.hexadecimal == "750c783e6ab0b503eaa86e310a5db738")
    }

    @Test func `only the whole code is valid`() {
        let (message, key) = (Array("message".utf8), Array("key".utf8))
        let code = HMAC.code(of: message, key: key, .sha1).bytes
        #expect(HMAC.isValid(code, of: message, key: key, algorithm: .sha1))
        for index in code.indices {
            var wrong = code
            wrong[index] ^= 1
            #expect(!HMAC.isValid(wrong, of: message, key: key, algorithm: .sha1))
        }
        #expect(!HMAC.isValid(code.dropLast(), of: message, key: key, algorithm: .sha1))
        #expect(!HMAC.isValid(code + [0], of: message, key: key, algorithm: .sha1))
        #expect(!HMAC.isValid([], of: message, key: key, algorithm: .sha1))
        #expect(!HMAC.isValid(code, of: message, key: key + [0x01], algorithm: .sha1))
        #expect(!HMAC.isValid(code, of: message, key: key, algorithm: .sha256))
    }
}
