import Foundation
import SampleBooks
import Testing

import Cryptography

@Suite struct RevocationListTests {
    private static func list(_ pem: String) throws -> RevocationList { try #require(RevocationList(pem: pem)) }
    private static func certificate(_ pem: String) throws -> Certificate { try #require(Certificate(pem: pem)) }

    private static func der(_ pem: String) throws -> Data {
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        return try #require(Data(base64Encoded: lines.joined()))
    }

    @Test func `a list says when it was made and when the next one comes`() throws {
        let list = try Self.list(LCPVectors.revocationListPEM)
        // 2026-01-01 and 2050-01-01.
        #expect(list.thisUpdate == Date(timeIntervalSince1970: 1_767_225_600))
        #expect(list.nextUpdate == Date(timeIntervalSince1970: 2_524_608_000))
    }

    @Test func `a list has the revoked certificate and no other`() throws {
        let list = try Self.list(LCPVectors.revocationListPEM)
        #expect(list.contains(try Self.certificate(LCPVectors.revokedCertificatePEM)))
        for pem in [
            LCPVectors.rsaCertificatePEM, LCPVectors.ecdsaCertificatePEM, LCPVectors.expiredCertificatePEM,
            LCPVectors.strangerCertificatePEM, LCPVectors.rootCertificatePEM,
        ] {
            #expect(!list.contains(try Self.certificate(pem)))
        }
        let (old, stranger) = (LCPVectors.oldRevocationListPEM, LCPVectors.strangerRevocationListPEM)
        for pem in [old, stranger] {
            let other = try Self.list(pem)
            #expect(!other.contains(try Self.certificate(LCPVectors.revokedCertificatePEM)))
        }
    }

    @Test func `a list is signed by its issuer alone, with a key for lists`() throws {
        let list = try Self.list(LCPVectors.revocationListPEM)
        #expect(list.isSigned(by: try Self.certificate(LCPVectors.rootCertificatePEM)))
        for pem in [
            LCPVectors.strangerRootCertificatePEM, LCPVectors.rsaCertificatePEM, LCPVectors.ecdsaCertificatePEM,
        ] {
            #expect(!list.isSigned(by: try Self.certificate(pem)))
        }
        let between = try Self.list(LCPVectors.intermediateRevocationListPEM)
        #expect(!between.isSigned(by: try Self.certificate(LCPVectors.intermediateCertificatePEM)))
    }

    @Test func `a list with an unknown critical extension is refused`() throws {
        #expect(RevocationList(pem: LCPVectors.unknownRevocationListPEM) == nil)
    }

    @Test(arguments: ["", "-----BEGIN X509 CRL-----", LCPVectors.rootCertificatePEM])
    func `text without a list is refused`(pem: String) {
        #expect(RevocationList(pem: pem) == nil)
    }

    @Test func `no beginning of a list is one, nor is one with a byte more`() throws {
        let der = try Self.der(LCPVectors.revocationListPEM)
        #expect(RevocationList(der: der) != nil)
        for count in 0..<der.count { #expect(RevocationList(der: der.prefix(count)) == nil, "\(count) bytes") }
        #expect(RevocationList(der: der + [0]) == nil)
        #expect(RevocationList(der: Data(count: RevocationList.largest + 1)) == nil)
    }

    /// One byte outside the signed part repeats how the list is signed, and may be another without any meaning.
    @Test func `no changed byte takes a certificate off a signed list`() throws {
        let der = try Self.der(LCPVectors.revocationListPEM)
        let root = try Self.certificate(LCPVectors.rootCertificatePEM)
        let revoked = try Self.certificate(LCPVectors.revokedCertificatePEM)
        let whole = try Self.list(LCPVectors.revocationListPEM)
        var parsed = 0
        for index in der.indices {
            for change: UInt8 in [0x01, 0x80, 0xFF] {
                var changed = der
                changed[index] ^= change
                guard let list = RevocationList(der: changed) else { continue }
                parsed += 1
                guard list.isSigned(by: root) else { continue }
                #expect(list.contains(revoked), "byte \(index) ^ \(change)")
                #expect(list.thisUpdate == whole.thisUpdate && list.nextUpdate == whole.nextUpdate)
            }
        }
        #expect(parsed > der.count)
    }

    @Test func `a list is asked from many tasks at once`() async throws {
        let list = try Self.list(LCPVectors.revocationListPEM)
        let revoked = try Self.certificate(LCPVectors.revokedCertificatePEM)
        let other = try Self.certificate(LCPVectors.rsaCertificatePEM)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 { group.addTask { list.contains(revoked) && !list.contains(other) } }
            for await isRight in group { #expect(isRight) }
        }
    }
}
