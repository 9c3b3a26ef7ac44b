import CCrypto
import Foundation
import SampleBooks
import Testing

@testable import Cryptography

@Suite struct FIPSTests {
    /// config(5), “Algorithm configuration module”. No FIPS provider is installed, so the process's own context has no
    /// hash at all.
    @Test func `hashes are there if openssl.cnf asks for FIPS`() async {
        await #expect(processExitsWith: .success) {
            let file = FileManager.default.temporaryDirectory.appending(path: "openssl-\(UUID().uuidString).cnf")
            try Data("openssl_conf = all\n[all]\nalg_section = evp\n[evp]\ndefault_properties = fips=yes\n".utf8).write(
                to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            setenv("OPENSSL_CONF", file.path, 1)
            try #require(EVP_MD_fetch(nil, "MD5", nil) == nil)
            #expect(Digest(.md5, of: Array("abc".utf8)).hexadecimal == "900150983cd24fb0d6963f7d28e17f72")
            var hash = Hash(.sha1)
            hash.update(Array("abc".utf8))
            #expect(hash.digest.hexadecimal == "a9993e364706816aba3e25717850c26c9cd0d89d")
            let code = HMAC.code(of: Array("Hi There".utf8), key: [UInt8](repeating: 0x0B, count: 20), .sha1)
            #expect(code.hexadecimal == "b617318655057264e28bc0b6fb378c8ef146be00")
        }
    }

    /// As a distribution may set it for every library context.
    @Test func `hashes are there if FIPS is what libcrypto asks for by default`() async {
        await #expect(processExitsWith: .success) {
            try #require(EVP_set_default_properties(HashLibrary.shared.context, "fips=yes") == 1)
            #expect(Digest(.md5, of: Array("abc".utf8)).hexadecimal == "900150983cd24fb0d6963f7d28e17f72")
            let code = HMAC.code(of: Array("Hi There".utf8), key: [UInt8](repeating: 0x0B, count: 20), .sha1)
            #expect(code.hexadecimal == "b617318655057264e28bc0b6fb378c8ef146be00")
        }
    }

    @Test func `certificates, signatures and AES are there if FIPS is what libcrypto asks for by default`() async {
        await #expect(processExitsWith: .success) {
            try #require(EVP_set_default_properties(HashLibrary.shared.context, "fips=yes") == 1)
            let provider = try #require(Certificate(pem: LCPVectors.rsaCertificatePEM))
            let root = try #require(Certificate(pem: LCPVectors.rootCertificatePEM))
            try provider.verify(intermediates: [], roots: [root], at: Date(timeIntervalSince1970: 1_750_000_000))
            #expect(provider.isSignature(LCPVectors.rsaSignature, of: LCPVectors.resource, by: .rsaSHA256))
            let list = try #require(RevocationList(pem: LCPVectors.revocationListPEM))
            #expect(list.isSigned(by: root))
            let plain = try #require(
                AESCBC.decrypted(LCPVectors.encryptedResource, key: Array(LCPVectors.contentKey)))
            #expect(Data(plain.prefix(100)) == LCPVectors.resource)
        }
    }
}
