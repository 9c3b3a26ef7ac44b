import Foundation
import Publication
import SampleBooks
import Testing

import LCP

/// What the provider said last about a licence, with and without a network.
struct LicenseEndingTests {
    /// A provider that gives one answer, or a machine without a network.
    private struct Provider: LicenseConnection {
        var answer: Data?

        func send(_ request: LicenseRequest) async throws -> LicenseResponse {
            guard let answer else { throw URLError(.notConnectedToInternet) }
            return LicenseResponse(status: 200, data: answer)
        }
    }

    private static let ended = Date(timeIntervalSince1970: 1_770_000_000)
    private static let statuses: [(StatusDocument.Status, LCPProblem.Kind)] = [
        (.revoked, .revoked), (.returned, .returned), (.cancelled, .cancelled), (.expired, .expired(ended)),
    ]

    private static func license(updated: Date? = nil) throws -> Data {
        try ProtectedBooks.license {
            $0.statusHref = "https://lcp.example.org/status"
            $0.updated = updated
        }
    }

    private static func report(_ status: StatusDocument.Status, of license: Data) throws -> Data {
        let license = try LicenseDocument(data: license)
        let links = [
            ["rel": "license", "href": "https://lcp.example.org/license", "type": LicenseDocument.mediaType],
            ["rel": "return", "href": "https://lcp.example.org/return", "type": StatusDocument.mediaType],
        ]
        let document: [String: Any] = [
            "id": license.id, "status": status.rawValue, "message": "", "links": links,
            "updated": ["license": license.date.formatted(.iso8601), "status": ended.formatted(.iso8601)],
        ]
        return try JSONSerialization.data(withJSONObject: document)
    }

    /// Opens a book with `license`, and returns why it is locked.
    ///
    /// - Parameter report: The provider's answer; nil without a network.
    private static func problems(_ license: Data, _ store: any LicenseStore, report: Data?) async throws
        -> [LCPProblem.Kind]
    {
        let client = LicenseStatusClient(connection: Provider(answer: report), store: MemoryLicenseStore())
        let tested = TestedProtection(store: store, status: client)
        let book = try await ProtectedBooks.open(ProtectedBooks.epub(license: license), by: tested.protection())
        #expect(book.protection?.isLocked == !tested.kinds.isEmpty)
        await book.close()
        return tested.kinds
    }

    @Test(arguments: statuses)
    func `a licence that was ended stays so without a network`(_ status: StatusDocument.Status, kind: LCPProblem.Kind)
        async throws
    {
        let store = MemoryLicenseStore()
        let license = try Self.license()
        #expect(try await Self.problems(license, store, report: nil).isEmpty)
        #expect(try await Self.problems(license, store, report: Self.report(status, of: license)) == [kind])
        #expect(try await Self.problems(license, store, report: nil) == [kind])
        // The licence that the server gives out for one that it ended.
        let same = try Self.license(updated: Self.ended)
        #expect(try await Self.problems(same, store, report: nil) == [kind])
        // A newer licence of the same book is not concerned, and the old one still is.
        let newer = try Self.license(updated: Self.ended.addingTimeInterval(60))
        #expect(try await Self.problems(newer, store, report: nil).isEmpty)
        #expect(try await Self.problems(license, store, report: nil) == [kind])
        // The provider lends the book again.
        #expect(try await Self.problems(license, store, report: Self.report(.active, of: license)).isEmpty)
        #expect(try await Self.problems(license, store, report: nil).isEmpty)
    }

    @Test func `a loan that the client returned is closed without a network`() async throws {
        let store = MemoryLicenseStore()
        let data = try Self.license()
        let license = try LicenseDocument(data: data)
        let provider = Provider(answer: try Self.report(.returned, of: data))
        try await LicenseStatusClient(connection: provider, store: store).returnLicense(license)
        #expect(try await store.ending(of: license.id) == LicenseEnding(.returned, date: Self.ended))
        #expect(try await Self.problems(data, store, report: nil) == [.returned])
    }

    @Test func `only a final status is an ending, with the later of its dates`() throws {
        let updated = Self.ended.addingTimeInterval(10)
        for status in StatusDocument.Status.allCases {
            let isFinal = status != .ready && status != .active
            let license = try Self.license(updated: updated)
            let ending = LicenseEnding(try StatusDocument(data: Self.report(status, of: license)))
            #expect(ending?.status == (isFinal ? status : nil) && ending?.date == (isFinal ? updated : nil))
            #expect((LicenseEnding(status, date: updated) != nil) == isFinal)
        }
    }
}
