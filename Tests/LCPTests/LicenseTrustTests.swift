import FileProviderCore
import Foundation
import SampleBooks
import Testing

import LCP

private let beginning = Date(timeIntervalSince1970: 1_780_000_000)

private func problem(_ license: String, by trust: LicenseTrust) async throws -> LCPProblem? {
    let license = try LicenseDocument(data: Data(license.utf8))
    do {
        try await trust.validate(license)
        return nil
    } catch let problem as LCPProblem {
        return problem
    }
}

/// Whether the text is one sentence that names no type of the program.
private func isOneSentence(_ text: String) -> Bool {
    text.hasSuffix(".") && !["\n", "Error Domain", "CertificateFailure"].contains { text.contains($0) }
}

/// A place with lists that a test sets, and the number of times that it was asked.
private final class Lists: Sendable {
    struct State {
        var answer: Result<Data, URLError>
        var count = 0
        var now = beginning
    }

    private let state: LockedValue<State>

    init(_ pem: String) { state = LockedValue(State(answer: .success(Data(pem.utf8)))) }

    var count: Int { state.value.count }
    func set(_ answer: Result<Data, URLError>) { state.update { $0.answer = answer } }
    func set(_ pem: String) { set(.success(Data(pem.utf8))) }
    func wait(_ seconds: TimeInterval) { state.update { $0.now += seconds } }

    func trust(maximumAge: TimeInterval = 86_400, bundled: String? = nil) throws -> LicenseTrust {
        let state = state
        let source = RevocationSource(
            data: {
                let answer = state.update { state in
                    state.count += 1
                    return state.answer
                }
                return try answer.get()
            }, maximumAge: maximumAge, bundled: bundled.map { Data($0.utf8) })
        return try LicenseTrust(
            roots: [Data(LCPVectors.rootCertificatePEM.utf8)], revocationList: source, clock: { state.value.now })
    }
}

private func rootOnly() throws -> LicenseTrust {
    try LicenseTrust(roots: [Data(LCPVectors.rootCertificatePEM.utf8)])
}

@Suite struct LicenseTrustTests {
    @Test(arguments: [
        LCPVectors.rsaLicense, LCPVectors.ecdsaLicense, LCPVectors.ecdsaDERLicense, LCPVectors.licenseBeforeExpiry,
        LCPVectors.revokedLicense,
    ])
    func `a licence under the root is valid`(license: String) async throws {
        #expect(try await problem(license, by: rootOnly()) == nil)
    }

    @Test func `a licence after the end of its certificate is refused`() async throws {
        let found = try #require(try await problem(LCPVectors.licenseAfterExpiry, by: rootOnly()))
        #expect(found.kind == .expiredCertificate)
        #expect(found.sentence.contains("2025-06-01"))
        #expect(found.sentence.contains("CN=Bookseller until 2021"))
        #expect(isOneSentence(found.sentence))
    }

    @Test func `a licence under another root is refused, and valid under that root`() async throws {
        let found = try #require(try await problem(LCPVectors.strangerLicense, by: rootOnly()))
        #expect(found.kind == .untrustedCertificate)
        #expect(isOneSentence(found.sentence))
        #expect((found.underlying as? CocoaError)?.code == .fileReadNoPermission)
        let other = try LicenseTrust(roots: [Data(LCPVectors.strangerRootCertificatePEM.utf8)])
        #expect(try await problem(LCPVectors.strangerLicense, by: other) == nil)
        #expect(try await problem(LCPVectors.rsaLicense, by: other)?.kind == .untrustedCertificate)
        let both = try LicenseTrust(
            roots: [LCPVectors.rootCertificatePEM, LCPVectors.strangerRootCertificatePEM].map { Data($0.utf8) })
        #expect(try await problem(LCPVectors.strangerLicense, by: both) == nil)
        #expect(try await problem(LCPVectors.rsaLicense, by: both) == nil)
    }

    @Test func `no licence is valid without roots`() async throws {
        let trust = try LicenseTrust(roots: [])
        #expect(try await problem(LCPVectors.rsaLicense, by: trust)?.kind == .untrustedCertificate)
    }

    @Test func `a licence is refused if its root had ended`() async throws {
        let trust = try LicenseTrust(roots: [Data(LCPVectors.shortRootCertificatePEM.utf8)])
        #expect(try await problem(LCPVectors.rsaLicense, by: trust)?.kind == .expiredCertificate)
        #expect(try await problem(LCPVectors.licenseBeforeExpiry, by: trust) == nil)
    }

    @Test(arguments: [
        ("\"print\": 10", "\"print\": 11"), ("\"copy\": 2048", "\"copy\": 2049"), ("Ishmaël", "Ismaël"),
        ("\"title\": \"Moby-Dick;", "\"title\": \"Moby Dick;"), ("2025-06-01T12:00:00Z", "2025-06-01T12:00:01Z"),
        ("\"rights\": {", "\"rights\": {\"end\": \"2099-01-01T00:00:00Z\", "),
    ])
    func `a changed licence is refused`(old: String, new: String) async throws {
        for license in [LCPVectors.rsaLicense, LCPVectors.ecdsaLicense] {
            let changed = license.replacing(old, with: new)
            try #require(changed != license)
            let found = try #require(try await problem(changed, by: rootOnly()))
            #expect(found.kind == .invalidSignature)
            #expect(isOneSentence(found.sentence))
        }
    }

    @Test func `a licence that is written in another way stays valid`() async throws {
        let packed = LCPVectors.rsaLicense.replacing("\n ", with: " ").replacing("Ishmaël", with: #"Ishma\u00EBl"#)
        try #require(packed != LCPVectors.rsaLicense)
        #expect(try await problem(packed, by: rootOnly()) == nil)
    }

    @Test func `a signature is valid with its own certificate only`() async throws {
        let license = try LicenseDocument(data: Data(LCPVectors.ecdsaLicense.utf8))
        let other = try LicenseDocument(data: Data(LCPVectors.revokedLicense.utf8))
        let (own, foreign) = (license.signature.certificate, other.signature.certificate)
        let mixed = LCPVectors.ecdsaLicense.replacing(
            own.base64EncodedString(), with: foreign.base64EncodedString())
        try #require(mixed != LCPVectors.ecdsaLicense)
        #expect(try await problem(mixed, by: rootOnly())?.kind == .invalidSignature)
    }

    @Test func `an algorithm must be known, and be that of the key`() async throws {
        let (rsa, ecdsa) = ("xmldsig-more#rsa-sha256", "xmldsig-more#ecdsa-sha256")
        let swapped = LCPVectors.rsaLicense.replacing(rsa, with: ecdsa)
        #expect(try await problem(swapped, by: rootOnly())?.kind == .invalidSignature)
        let unknown = LCPVectors.rsaLicense.replacing(rsa, with: "xmldsig-more#rsa-md5")
        #expect(
            try await problem(unknown, by: rootOnly())?.kind
                == .unknownAlgorithm("http://www.w3.org/2001/04/xmldsig-more#rsa-md5"))
    }

    @Test func `a certificate that cannot be read is refused`() async throws {
        let license = try LicenseDocument(data: Data(LCPVectors.rsaLicense.utf8))
        let certificate = license.signature.certificate
        for damaged in [certificate.dropLast(), certificate + [0], Data(count: 70_000)] {
            let changed = LCPVectors.rsaLicense.replacing(
                certificate.base64EncodedString(), with: Data(damaged).base64EncodedString())
            let found = try #require(try await problem(changed, by: rootOnly()))
            #expect(found.kind == .untrustedCertificate)
            #expect(isOneSentence(found.sentence))
        }
    }

    @Test func `a root that cannot be read is named by its place`() throws {
        let roots = [Data(LCPVectors.rootCertificatePEM.utf8), Data("root".utf8)]
        let found = #expect(throws: LCPProblem.self) { try LicenseTrust(roots: roots) }
        #expect(found?.sentence.hasPrefix("Root certificate 2 of 2 cannot be read") == true)
    }

    @Test func `roots may be in DER`() async throws {
        let lines = LCPVectors.rootCertificatePEM.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        let der = try #require(Data(base64Encoded: lines.joined()))
        #expect(try await problem(LCPVectors.rsaLicense, by: LicenseTrust(roots: [der])) == nil)
    }
}

@Suite struct RevocationTests {
    @Test func `a licence by a revoked certificate is refused, others are not`() async throws {
        let trust = try Lists(LCPVectors.revocationListPEM).trust()
        let found = try #require(try await problem(LCPVectors.revokedLicense, by: trust))
        #expect(found.kind == .revokedCertificate)
        #expect(found.sentence.contains("CN=Bookseller whose key was lost"))
        #expect(try await problem(LCPVectors.rsaLicense, by: trust) == nil)
        #expect(try await problem(LCPVectors.ecdsaLicense, by: trust) == nil)
    }

    @Test func `a list in DER is read`() async throws {
        let lines = LCPVectors.revocationListPEM.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        let lists = Lists("")
        lists.set(.success(try #require(Data(base64Encoded: lines.joined()))))
        #expect(try await problem(LCPVectors.revokedLicense, by: lists.trust())?.kind == .revokedCertificate)
    }

    @Test func `one list serves many validations, until it is too old`() async throws {
        let lists = Lists(LCPVectors.revocationListPEM)
        let trust = try lists.trust(maximumAge: 3_600)
        for _ in 0..<3 { #expect(try await problem(LCPVectors.rsaLicense, by: trust) == nil) }
        #expect(lists.count == 1)
        lists.wait(3_599)
        #expect(try await problem(LCPVectors.rsaLicense, by: trust) == nil)
        #expect(lists.count == 1)
        lists.wait(1)
        #expect(try await problem(LCPVectors.rsaLicense, by: trust) == nil)
        #expect(lists.count == 2)
    }

    /// The list of 2021 names 2022 as the time of the next one.
    @Test func `a list after its next update is asked for again, five minutes apart`() async throws {
        let lists = Lists(LCPVectors.oldRevocationListPEM)
        let trust = try lists.trust()
        #expect(try await problem(LCPVectors.revokedLicense, by: trust) == nil)
        #expect(try await problem(LCPVectors.revokedLicense, by: trust) == nil)
        #expect(lists.count == 1)
        lists.set(LCPVectors.revocationListPEM)
        lists.wait(299)
        #expect(try await problem(LCPVectors.revokedLicense, by: trust) == nil)
        lists.wait(1)
        #expect(try await problem(LCPVectors.revokedLicense, by: trust)?.kind == .revokedCertificate)
        #expect(lists.count == 2)
    }

    @Test(arguments: [
        Result<Data, URLError>.failure(URLError(.notConnectedToInternet)), .success(Data("<html>".utf8)),
        .success(Data(LCPVectors.strangerRevocationListPEM.utf8)),
        .success(Data(LCPVectors.unknownRevocationListPEM.utf8)),
        .success(Data(LCPVectors.oldRevocationListPEM.utf8)),
    ])
    func `the list in hand is used while no better one can be had`(answer: Result<Data, URLError>) async throws {
        let lists = Lists(LCPVectors.revocationListPEM)
        let trust = try lists.trust()
        #expect(try await problem(LCPVectors.rsaLicense, by: trust) == nil)
        lists.set(answer)
        lists.wait(10 * 86_400)
        #expect(try await problem(LCPVectors.revokedLicense, by: trust)?.kind == .revokedCertificate)
        #expect(try await problem(LCPVectors.rsaLicense, by: trust) == nil)
        #expect(lists.count == 2)
    }

    @Test(arguments: [
        (LCPVectors.strangerRevocationListPEM, "is not signed by"),
        (LCPVectors.intermediateRevocationListPEM, "is not signed by"), ("<html>", "cannot be read"),
        (LCPVectors.unknownRevocationListPEM, "cannot be read"),
    ])
    func `a list that is not a root's is refused in one sentence`(list: String, words: String) async throws {
        let found = try #require(try await problem(LCPVectors.rsaLicense, by: Lists(list).trust()))
        #expect(found.kind == .untrustedCertificate)
        #expect(found.sentence.contains(words))
        #expect(isOneSentence(found.sentence))
    }

    @Test func `without any list a licence is refused with the network's error`() async throws {
        let lists = Lists("")
        lists.set(.failure(URLError(.timedOut)))
        let trust = try lists.trust()
        let found = try #require(try await problem(LCPVectors.rsaLicense, by: trust))
        #expect(found.kind == .statusUnavailable)
        #expect((found.underlying as? URLError)?.code == .timedOut)
        lists.set(LCPVectors.revocationListPEM)
        #expect(try await problem(LCPVectors.rsaLicense, by: trust) == nil)
    }

    @Test func `the app's own list is used until another one comes`() async throws {
        let lists = Lists("")
        lists.set(.failure(URLError(.notConnectedToInternet)))
        let trust = try lists.trust(bundled: LCPVectors.oldRevocationListPEM)
        #expect(try await problem(LCPVectors.revokedLicense, by: trust) == nil)
        lists.set(LCPVectors.revocationListPEM)
        lists.wait(300)
        #expect(try await problem(LCPVectors.revokedLicense, by: trust)?.kind == .revokedCertificate)
    }

    @Test func `cancellation passes as it is`() async throws {
        let source = RevocationSource(data: { throw CancellationError() })
        let trust = try LicenseTrust(roots: [Data(LCPVectors.rootCertificatePEM.utf8)], revocationList: source)
        let license = try LicenseDocument(data: Data(LCPVectors.rsaLicense.utf8))
        await #expect(throws: CancellationError.self) { try await trust.validate(license) }
    }
}
