import FileProviderCore
import Foundation
import Publication
import Testing

import LCP

@Suite struct LCPProblemTests {
    private static let page = URL(string: "https://jo:s3cret@books.example.org/renew?token=s3cret")
    private static let date = Date(timeIntervalSince1970: 1_769_848_200)

    private static let damaged: [LCPProblem.Kind] = [
        .invalidLicense, .invalidStatus, .invalidSignature, .wrongContentKey, .damagedDownload, .damagedPackage,
        .noPublicationLink,
    ]
    private static let forbidden: [LCPProblem.Kind] = [
        .untrustedCertificate, .expiredCertificate, .revokedCertificate, .passphraseNeeded, .wrongPassphrase,
        .notStarted(date), .expired(date), .revoked, .returned, .cancelled, .clockSetBack, .copyLimit, .printLimit,
        .refusedRegistration, .refusedRenewal, .refusedReturn,
    ]
    private static let unsupported: [LCPProblem.Kind] =
        [.unknownProfile("urn:p"), .unknownAlgorithm("urn:a")]
        + [page].compactMap(\.self).map { LCPProblem.Kind.needsBrowser($0) }

    private static var all: [LCPProblem.Kind] { damaged + forbidden + unsupported + [.statusUnavailable] }

    @Test func `each kind has a sentence of its own, which is the error's description`() {
        var sentences: Set<String> = []
        for kind in Self.all {
            let problem = LCPProblem(kind)
            #expect(problem.kind == kind && problem.sentence.hasSuffix(".") && problem.sentence.count > 15)
            #expect(problem.errorDescription == problem.sentence && problem.localizedDescription == problem.sentence)
            #expect(problem.underlying.sentence == problem.sentence)
            #expect(sentences.insert(problem.sentence).inserted, "\(kind)")
        }
        #expect(sentences.count == 27)
    }

    @Test func `Foundation's error is below`() {
        func codes(_ kinds: [LCPProblem.Kind]) -> Set<CocoaError.Code?> {
            Set(kinds.map { (LCPProblem($0).underlying as? CocoaError)?.code })
        }
        #expect(codes(Self.damaged) == [CocoaError.Code.fileReadCorruptFile])
        #expect(codes(Self.forbidden) == [CocoaError.Code.fileReadNoPermission])
        #expect(codes(Self.unsupported) == [CocoaError.Code.featureUnsupported])
        #expect((LCPProblem(.statusUnavailable).underlying as? URLError)?.code == .resourceUnavailable)
    }

    @Test func `an app that opens a book gets the kind of failure that the problem is`() {
        let failures: [(LCPProblem.Kind, OpeningFailure)] = [
            (.passphraseNeeded, .incorrectCredentials), (.wrongPassphrase, .incorrectCredentials),
            (.untrustedCertificate, .forbidden), (.expired(Self.date), .forbidden), (.returned, .forbidden),
            (.invalidLicense, .parsingFailed), (.invalidSignature, .parsingFailed),
            (.statusUnavailable, .unavailable), (.unknownProfile("urn:p"), .unsupportedFormat),
        ]
        for (kind, failure) in failures { #expect(OpeningFailure(LCPProblem(kind)) == failure, "\(kind)") }
        let lost = LCPProblem(.damagedDownload, underlying: URLError(.networkConnectionLost))
        #expect(OpeningFailure(lost) == .unavailable)
    }

    @Test func `sentences say which profile, algorithm, date and page`() {
        #expect(LCPProblem(.unknownProfile("urn:p")).sentence.contains("“urn:p”"))
        #expect(LCPProblem(.unknownAlgorithm("urn:a")).sentence.contains("“urn:a”"))
        #expect(LCPProblem(.notStarted(Self.date)).sentence.contains("2026-01-31T08:30:00Z"))
        #expect(LCPProblem(.expired(Self.date)).sentence.contains("2026-01-31T08:30:00Z"))
        let long = LCPProblem(.unknownProfile(String(repeating: "p", count: 100_000)))
        #expect(long.sentence.count < 400)
    }

    @Test func `the page's secrets are not in the sentence`() throws {
        let problem = LCPProblem(.needsBrowser(try #require(Self.page)))
        #expect(problem.sentence.contains("“https://books.example.org/renew”"))
        #expect(!problem.sentence.contains("s3cret") && !problem.underlying.sentence.contains("s3cret"))
    }

    @Test func `a sentence can be given`() {
        let problem = LCPProblem(.damagedPackage, sentence: "It is torn.")
        #expect(problem.sentence == "It is torn." && problem.underlying.sentence == "It is torn.")
    }

    @Test func `errors of storages and servers are kept, others are the cause`() {
        struct Odd: Error {}
        let lost = URLError(.networkConnectionLost)
        #expect((LCPProblem(.statusUnavailable, underlying: lost).underlying as? URLError)?.code == lost.code)
        let missing = CocoaError(.fileReadNoSuchFile)
        #expect((LCPProblem(.damagedPackage, underlying: missing).underlying as? CocoaError)?.code == missing.code)
        let wrapped = LCPProblem(.untrustedCertificate, underlying: Odd()).underlying as? CocoaError
        #expect(wrapped?.code == .fileReadNoPermission && wrapped?.userInfo[NSUnderlyingErrorKey] is Odd)
        let offline = LCPProblem(.statusUnavailable, underlying: Odd()).underlying as? URLError
        #expect(offline?.userInfo[NSUnderlyingErrorKey] is Odd)
    }
}
