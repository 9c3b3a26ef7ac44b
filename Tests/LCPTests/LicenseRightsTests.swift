import Foundation
import SampleBooks
import Synchronization
import Testing

import LCP
import Publication

/// What may be copied and printed.
struct LicenseRightsTests {
    private static func service(
        store: MemoryLicenseStore = MemoryLicenseStore(), at date: Date = Date(timeIntervalSince1970: 1_800_000_000),
        _ change: (inout SampleLicense) -> Void
    ) throws -> LicenseRightsService {
        var sample = SampleLicense()
        change(&sample)
        return LicenseRightsService(license: try LicenseDocument(data: sample.signed()), store: store) { date }
    }

    @Test func `a licence without limits allows everything, one of 0 nothing`() async throws {
        let free = try Self.service { _ in }
        #expect(try await free.copy(String(repeating: "a", count: 10_000)))
        #expect(try await free.print(pages: 5_000))
        #expect(try await free.remaining(.copy) == nil)
        #expect(try await free.remaining(.print) == nil)
        let closed = try Self.service { ($0.copy, $0.print) = (0, 0) }
        #expect(try await !closed.canCopy("a"))
        #expect(try await !closed.copy("a"))
        #expect(try await !closed.print(pages: 1))
        #expect(try await closed.copy(""))
        #expect(try await closed.remaining(.copy) == 0)
    }

    @Test func `characters are counted, and asking costs nothing`() async throws {
        let store = MemoryLicenseStore()
        let rights = try Self.service(store: store) { ($0.copy, $0.print) = (10, 3) }
        // Characters are what people count, not bytes.
        #expect(try await rights.canCopy("äöü👩‍👩‍👧"))
        #expect(try await rights.remaining(.copy) == 10)
        #expect(try await rights.copy("äöü👩‍👩‍👧"))
        #expect(try await rights.remaining(.copy) == 6)
        #expect(try await !rights.canCopy("1234567"))
        #expect(try await !rights.copy("1234567"))
        #expect(try await rights.remaining(.copy) == 6)
        #expect(try await !rights.copy(characters: 7))
        #expect(try await rights.copy(characters: 2))
        #expect(try await rights.remaining(.copy) == 4)
        #expect(try await rights.copy("1234"))
        #expect(try await rights.remaining(.copy) == 0)
        #expect(try await rights.print(pages: 2))
        #expect(try await !rights.canPrint(pages: 2))
        #expect(try await rights.canPrint(pages: 1))
        #expect(try await !rights.print(pages: -1))
        // Opened again, the book has no more than before.
        let again = try Self.service(store: store) { ($0.copy, $0.print) = (10, 3) }
        #expect(try await again.remaining(.copy) == 0)
        #expect(try await again.remaining(.print) == 1)
    }

    @Test(arguments: [-1.0, 0, 1]) func `nothing is allowed before the licence begins and after it ends`(days: Double)
        async throws
    {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let day = 86_400.0
        let rights = try Self.service(at: now.addingTimeInterval(days * 2 * day)) {
            ($0.start, $0.end) = (now.addingTimeInterval(-day), now.addingTimeInterval(day))
        }
        #expect(try await rights.canCopy("a") == (days == 0))
        #expect(try await rights.print(pages: 1) == (days == 0))
    }

    @Test func `addresses answer as Readium's service does`() async throws {
        let rights = try Self.service { ($0.copy, $0.print) = (5, 1) }
        func ask(_ href: String, _ parameters: [String: String] = [:]) async throws -> ResourceFailure? {
            let resource = try #require(rights.get(Link(href: href), parameters: parameters))
            do {
                let data = try await resource.read()
                #expect(data == Data("{}".utf8))
                return nil
            } catch { return error.resourceFailure }
        }
        #expect(rights.links.allSatisfy(\.templated) && rights.links.count == 2)
        #expect(try await ask("~readium/rights/copy?text=abc&peek=true") == nil)
        #expect(try await ask("/~readium/rights/copy?text=abc") == nil)
        #expect(try await ask("~readium/rights/copy{?text,peek}", ["text": "abc"]) == .forbidden)
        #expect(try await ask("~readium/rights/print?pageCount=2&peek=true") == .forbidden)
        #expect(try await ask("~readium/rights/print?pageCount=1") == nil)
        for href in ["~readium/rights/print?pageCount=-1", "~readium/rights/print?pageCount=x", "~readium/rights/copy"]
        {
            #expect(try await ask(href) == .badRequest, "\(href)")
        }
        #expect(rights.get(Link(href: "~readium/positions"), parameters: [:]) == nil)
        #expect(try await rights.remaining(.copy) == 2)
        #expect(try await rights.remaining(.print) == 0)
    }
}
