import Foundation
import Testing

import Cryptography

@Suite struct HashTests {
    /// RFC 1321, appendix A.5, and the examples to FIPS 180-4.
    private static let vectors: [(HashAlgorithm, String, String)] = [
        (.md5, "", "d41d8cd98f00b204e9800998ecf8427e"),
        (.sha1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (
            .sha384, "",
            "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b"
        ),
        (
            .sha512, "",
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
        ),
        (.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
        (.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            .sha384, "abc",
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
        ),
        (
            .sha512, "abc",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
        (.md5, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "8215ef0796a20bcaaae116d3876c664a"),
        (.sha1, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
        (
            .sha256, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            .sha384, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "3391fdddfc8dc7393707a65b1b4709397cf8b1d162af05abfe8f450de5f36bc6b0455a8520bc4e6f5fe95b1fe3c8452b"
        ),
        (
            .sha512, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c33596fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445"
        ),
    ]

    @Test(arguments: vectors)
    func `digests are those of the standards`(algorithm: HashAlgorithm, message: String, expected: String) {
        #expect(Digest(algorithm, of: Array(message.utf8)).hexadecimal == expected)
        var hash = Hash(algorithm)
        for byte in message.utf8 { hash.update([byte]) }
        #expect(hash.digest.hexadecimal == expected)
    }

    /// The last example to FIPS 180-4.
    @Test(arguments: [
        (HashAlgorithm.md5, "7707d6ae4e027c70eea2a935c2296f21"),
        (HashAlgorithm.sha1, "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
        (HashAlgorithm.sha256, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        (
            HashAlgorithm.sha384,
            "9d0e1809716474cb086e834e310a4a1ced149e9c00f248527972cec5704c2a5b07b8b3dc38ecc4ebae97ddd87f3d8985"
        ),
        (
            HashAlgorithm.sha512,
            "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973ebde0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"
        ),
    ])
    func `a million times the letter a`(algorithm: HashAlgorithm, expected: String) {
        var hash = Hash(algorithm)
        let piece = Data(repeating: UInt8(ascii: "a"), count: 1_000)
        for _ in 0..<1_000 { hash.update(piece) }
        #expect(hash.digest.hexadecimal == expected)
    }

    /// Blocks have 64 or 128 bytes.
    @Test(arguments: HashAlgorithm.allCases)
    func `a message may be cut anywhere`(algorithm: HashAlgorithm) {
        let message = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let whole = Digest(algorithm, of: message)
        #expect(whole.bytes.count == algorithm.byteCount)
        for cut in 0...message.count {
            var hash = Hash(algorithm)
            hash.update(message[..<cut])
            #expect(hash.digest == Digest(algorithm, of: message[..<cut]))
            hash.update(message[cut...])
            #expect(hash.digest == whole, "cut at \(cut)")
        }
    }

    @Test func `every kind of contiguous bytes is accepted`() {
        let message = Array("abc".utf8)
        let expected = Digest(.sha256, of: message)
        #expect(Digest(.sha256, of: Data(message)) == expected)
        #expect(Digest(.sha256, of: Data("xabc".utf8).dropFirst()) == expected)
        message.withUnsafeBytes { #expect(Digest(.sha256, of: $0) == expected) }
        #expect(Digest(.sha256, of: UnsafeRawBufferPointer(start: nil, count: 0)) == Digest(.sha256, of: Data()))
    }

    @Test(arguments: HashAlgorithm.allCases)
    func `copies continue independently`(algorithm: HashAlgorithm) {
        var first = Hash(algorithm)
        first.update(Array("a".utf8))
        var second = first
        let third = second
        second.update(Array("b".utf8))
        first.update(Array("c".utf8))
        #expect(first.digest == Digest(algorithm, of: Array("ac".utf8)))
        #expect(second.digest == Digest(algorithm, of: Array("ab".utf8)))
        #expect(third.digest == Digest(algorithm, of: Array("a".utf8)))
    }

    @Test func `a thousand tasks hash at once, from one beginning`() async {
        let algorithms = HashAlgorithm.allCases
        let beginnings = algorithms.map { algorithm in
            var hash = Hash(algorithm)
            hash.update(Array("beginning ".utf8))
            return hash
        }
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<1_000 {
                var hash = beginnings[task % algorithms.count]
                let algorithm = algorithms[task % algorithms.count]
                group.addTask {
                    hash.update(Array("\(task)".utf8))
                    return hash.digest == Digest(algorithm, of: Array("beginning \(task)".utf8))
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test func `a digest is shown in hexadecimal and in base64`() {
        let digest = Digest(.md5, of: Array("abc".utf8))
        #expect(digest.hexadecimal == "900150983cd24fb0d6963f7d28e17f72")
        #expect(digest.base64 == "kAFQmDzST7DWlj99KOF/cg==")
        #expect(Data(digest.bytes).base64EncodedString() == digest.base64)
    }
}
