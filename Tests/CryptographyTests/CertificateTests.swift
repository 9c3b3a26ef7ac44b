import Foundation
import SampleBooks
import Testing

import Cryptography

/// The day in UTC.
private func day(_ year: Int) -> Date {
    Date(timeIntervalSince1970: Double((year - 1970) * 365 + (year - 1969) / 4) * 86_400)
}

private func read(_ pem: String) throws -> Certificate { try #require(Certificate(pem: pem)) }

private func failure(
    _ leaf: String, under roots: [String], by intermediates: [String] = [], at date: Date = day(2025)
) throws -> CertificateFailure? {
    let (leaf, roots) = (try read(leaf), try roots.map(read))
    let intermediates = try intermediates.map(read)
    do {
        try leaf.verify(intermediates: intermediates, roots: roots, at: date)
        return nil
    } catch let failure as CertificateFailure {
        return failure
    }
}

@Suite struct CertificateTests {
    @Test func `a certificate says whose it is and how long it is valid`() throws {
        let root = try read(LCPVectors.rootCertificatePEM)
        #expect(root.subject == "CN=Root,O=Carrel's tests")
        #expect(root.issuer == root.subject)
        #expect(root.serialNumber == "1001")
        #expect(root.notBefore == day(2020))
        #expect(root.notAfter == day(2050))
        let provider = try read(LCPVectors.ecdsaCertificatePEM)
        #expect(provider.subject == "CN=Büchertisch with P-256,O=Carrel's tests")
        #expect(provider.issuer == root.subject)
        #expect(provider.serialNumber == "1003")
        #expect(Certificate(der: provider.der)?.subject == provider.subject)
    }

    @Test func `text around a certificate is skipped`() {
        let pem = "Root of the tests\r\n" + LCPVectors.rootCertificatePEM.replacing("\n", with: "\r\n") + "\r\nend"
        #expect(Certificate(pem: pem)?.serialNumber == "1001")
    }

    @Test(arguments: [
        "", "no certificate", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\nMII?\n-----END CERTIFICATE-----", LCPVectors.rsaKeyPEM,
        LCPVectors.revocationListPEM, LCPVectors.rootCertificatePEM + "\n" + LCPVectors.rsaCertificatePEM,
        String(LCPVectors.rootCertificatePEM.dropLast(5)),
    ])
    func `text without exactly one certificate is refused`(pem: String) {
        #expect(Certificate(pem: pem) == nil)
    }

    @Test(arguments: [LCPVectors.rsaCertificatePEM, LCPVectors.ecdsaCertificatePEM])
    func `no beginning of a certificate is one, nor is one with a byte more`(pem: String) throws {
        let der = try read(pem).der
        for count in 0..<der.count { #expect(Certificate(der: der.prefix(count)) == nil, "\(count) bytes") }
        #expect(Certificate(der: der + [0]) == nil)
        #expect(Certificate(der: der + der) == nil)
        #expect(Certificate(der: Data("x".utf8) + der) == nil)
        #expect(Certificate(der: (Data("x".utf8) + der).dropFirst())?.der == der)
    }

    @Test func `a certificate that is too large is refused`() {
        // A sequence of 65,533 bytes, and of one more.
        #expect(Certificate(der: Data([0x30, 0x82, 0xFF, 0xFC]) + Data(count: 0xFFFC)) == nil)
        #expect(Certificate(der: Data(count: Certificate.largest + 1)) == nil)
        let padding = String(repeating: "A", count: 4 * Certificate.largest)
        #expect(Certificate(pem: "-----BEGIN CERTIFICATE-----\n\(padding)\n-----END CERTIFICATE-----") == nil)
    }

    @Test(arguments: [LCPVectors.rsaCertificatePEM, LCPVectors.ecdsaCertificatePEM])
    func `no certificate with a changed byte leads to the root`(pem: String) throws {
        let der = try read(pem).der
        let root = try read(LCPVectors.rootCertificatePEM)
        var parsed = 0
        for index in der.indices {
            for change: UInt8 in [0x01, 0x80, 0xFF] {
                var changed = der
                changed[index] ^= change
                guard let certificate = Certificate(der: changed) else { continue }
                parsed += 1
                #expect(throws: CertificateFailure.self, "byte \(index) ^ \(change)") {
                    try certificate.verify(intermediates: [], roots: [root], at: day(2025))
                }
            }
        }
        // Else the loop has tested the parser only.
        #expect(parsed > der.count)
    }
}

@Suite struct CertificateChainTests {
    @Test(arguments: [
        LCPVectors.rsaCertificatePEM, LCPVectors.ecdsaCertificatePEM, LCPVectors.revokedCertificatePEM,
        LCPVectors.rootCertificatePEM,
    ])
    func `a certificate under a root, and the root itself, are trusted`(leaf: String) throws {
        #expect(try failure(leaf, under: [LCPVectors.rootCertificatePEM]) == nil)
        #expect(
            try failure(leaf, under: [LCPVectors.strangerRootCertificatePEM, LCPVectors.rootCertificatePEM]) == nil)
    }

    @Test func `nothing is trusted without a root, under another root, or by itself`() throws {
        #expect(try failure(LCPVectors.rsaCertificatePEM, under: []) == .untrusted)
        #expect(
            try failure(LCPVectors.rsaCertificatePEM, under: [LCPVectors.strangerRootCertificatePEM]) == .untrusted)
        #expect(try failure(LCPVectors.rsaCertificatePEM, under: [LCPVectors.rsaCertificatePEM]) == .untrusted)
        #expect(
            try failure(LCPVectors.strangerRootCertificatePEM, under: [LCPVectors.rootCertificatePEM]) == .untrusted)
        #expect(
            try failure(
                LCPVectors.strangerCertificatePEM, under: [LCPVectors.rootCertificatePEM],
                by: [LCPVectors.strangerRootCertificatePEM]) == .untrusted)
    }

    @Test func `validity is judged at the date`() throws {
        let roots = [LCPVectors.rootCertificatePEM]
        let expired = LCPVectors.expiredCertificatePEM
        #expect(try failure(expired, under: roots, at: day(2020) - 1) == .notYetValid)
        #expect(try failure(expired, under: roots, at: day(2020)) == nil)
        #expect(try failure(expired, under: roots, at: day(2021) - 1) == nil)
        #expect(try failure(expired, under: roots, at: day(2021)) == .expired)
        #expect(try failure(LCPVectors.rsaCertificatePEM, under: roots, at: day(2060)) == .expired)
        for date in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: .infinity)] {
            #expect(try failure(LCPVectors.rsaCertificatePEM, under: roots, at: date) != nil)
        }
    }

    @Test func `an expired root counts, unless a newer one has the same key`() throws {
        let (leaf, short) = (LCPVectors.rsaCertificatePEM, LCPVectors.shortRootCertificatePEM)
        #expect(try failure(leaf, under: [short], at: day(2020) + 1) == nil)
        #expect(try failure(leaf, under: [short]) == .expired)
        #expect(try failure(leaf, under: [short, LCPVectors.rootCertificatePEM]) == nil)
    }

    @Test func `an authority between is used, and is no root`() throws {
        let (leaf, between) = (LCPVectors.belowCertificatePEM, LCPVectors.intermediateCertificatePEM)
        #expect(try failure(leaf, under: [LCPVectors.rootCertificatePEM]) == .untrusted)
        #expect(try failure(leaf, under: [LCPVectors.rootCertificatePEM], by: [between]) == nil)
        #expect(
            try failure(
                leaf, under: [LCPVectors.rootCertificatePEM],
                by: [LCPVectors.rsaCertificatePEM, between, LCPVectors.strangerRootCertificatePEM]) == nil)
        #expect(try failure(leaf, under: [between]) == .untrusted)
    }

    @Test func `a provider cannot make providers`() throws {
        let found = try failure(
            LCPVectors.forgedCertificatePEM, under: [LCPVectors.rootCertificatePEM],
            by: [LCPVectors.ecdsaCertificatePEM])
        guard case .invalid(let reason) = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test func `many chains are verified at once`() async throws {
        let leaves = try [LCPVectors.rsaCertificatePEM, LCPVectors.ecdsaCertificatePEM].map(read)
        let root = try read(LCPVectors.rootCertificatePEM)
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<400 {
                group.addTask {
                    let leaf = leaves[number % leaves.count]
                    return (try? leaf.verify(intermediates: leaves, roots: [root], at: day(2025))) != nil
                        && leaf.isSignature(
                            number % leaves.count == 0 ? LCPVectors.rsaSignature : LCPVectors.ecdsaSignature,
                            of: LCPVectors.resource, by: number % leaves.count == 0 ? .rsaSHA256 : .ecdsaSHA256)
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}

@Suite struct SignatureTests {
    struct Signed: Sendable {
        let certificate: String
        let signature: Data
        let algorithm: SignatureAlgorithm
    }

    private static let signatures = [
        Signed(
            certificate: LCPVectors.rsaCertificatePEM, signature: LCPVectors.rsaSignature, algorithm: .rsaSHA256),
        Signed(
            certificate: LCPVectors.ecdsaCertificatePEM, signature: LCPVectors.ecdsaSignature, algorithm: .ecdsaSHA256),
        Signed(
            certificate: LCPVectors.ecdsaCertificatePEM, signature: LCPVectors.ecdsaDERSignature,
            algorithm: .ecdsaSHA256),
    ]

    @Test(arguments: signatures)
    func `a signature by the openssl tool is valid`(signed: Signed) throws {
        let certificate = try read(signed.certificate)
        #expect(certificate.isSignature(signed.signature, of: LCPVectors.resource, by: signed.algorithm))
    }

    @Test(arguments: signatures)
    func `a signature of another message, by another key or algorithm is not`(signed: Signed) throws {
        let certificate = try read(signed.certificate)
        let message = LCPVectors.resource
        #expect(!certificate.isSignature(signed.signature, of: message + [0], by: signed.algorithm))
        #expect(!certificate.isSignature(signed.signature, of: Data(), by: signed.algorithm))
        let other: SignatureAlgorithm = signed.algorithm == .rsaSHA256 ? .ecdsaSHA256 : .rsaSHA256
        #expect(!certificate.isSignature(signed.signature, of: message, by: other))
        for pem in [LCPVectors.rootCertificatePEM, LCPVectors.revokedCertificatePEM] {
            let stranger = try read(pem)
            #expect(!stranger.isSignature(signed.signature, of: message, by: signed.algorithm))
        }
    }

    @Test(arguments: signatures)
    func `a signature with a changed, a missing or a further byte is not valid`(signed: Signed) throws {
        let certificate = try read(signed.certificate)
        for index in signed.signature.indices {
            for change: UInt8 in [0x01, 0x80] {
                var changed = signed.signature
                changed[index] ^= change
                #expect(
                    !certificate.isSignature(changed, of: LCPVectors.resource, by: signed.algorithm), "byte \(index)")
            }
        }
        for count in 0..<signed.signature.count {
            let cut = signed.signature.prefix(count)
            #expect(!certificate.isSignature(cut, of: LCPVectors.resource, by: signed.algorithm), "\(count) bytes")
        }
        #expect(!certificate.isSignature(signed.signature + [0], of: LCPVectors.resource, by: signed.algorithm))
    }

    @Test func `two numbers of zero are no signature`() throws {
        let certificate = try read(LCPVectors.ecdsaCertificatePEM)
        #expect(!certificate.isSignature(Data(count: 64), of: LCPVectors.resource, by: .ecdsaSHA256))
    }
}
