import Foundation
import Publication

@testable import OPDS

private let address = URL(string: "https://books.example.org/opds/new?page=2")
private let time = Date(timeIntervalSince1970: 1_769_848_200)

/// A document of a catalogue, of any kind. What was read is written, as JSON and as Atom, and read again.
func fuzzCatalog(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let bytes = Data(FuzzInput(data, size: size).bytes)
    let limits = CatalogLimits(bytes: 1 << 16, entries: 50, linksPerEntry: 50, depth: 32, text: 1 << 12)
    do {
        switch try CatalogDocument(data: bytes, url: address, limits: limits) {
        case .feed(let feed): try checkFeed(feed)
        case .publication(let publication): try checkPublication(publication)
        case .openSearch(let description): try checkSearch(description)
        case .authentication(let document):
            let again = try AuthenticationDocument(data: document.json.data)
            precondition(again.json == document.json, "A login changed.")
        }
    } catch {
        checkError(error)
    }
    return 0
}

/// Moments are written to the millisecond, so texts are compared.
private func checkFeed(_ feed: Feed) throws {
    precondition(feed.allPublications.count + feed.allNavigation.count <= 50, "There are more entries than allowed.")
    guard let json = try? JSONValue(data: feed.json.data, maximumSize: 1 << 24) else { return }
    precondition(reread { try Feed(json: json).json } == feed.json, "A feed changed as JSON.")
    let document = feed.atom(updated: time)
    guard let second = reread({ try AtomReader.feed(document, url: address, limits: CatalogLimits()) }) else { return }
    precondition(
        second.allPublications.count + second.allNavigation.count
            == feed.allPublications.count + feed.allNavigation.count, "Entries are missing in Atom.")
    let third = reread { try AtomReader.feed(second.atom(updated: time), url: address, limits: CatalogLimits()) }
    precondition(
        third?.allPublications.count == second.allPublications.count
            && third?.allNavigation.count == second.allNavigation.count, "A feed changed as Atom.")
}

private func checkPublication(_ publication: FeedPublication) throws {
    let document = publication.atomEntry(updated: time)
    let again = reread { try AtomReader.publication(document, url: address, limits: CatalogLimits()) }
    precondition(again?.images.count ?? 0 <= publication.images.count, "There are more images in Atom.")
}

private func checkSearch(_ description: OpenSearchDescription) throws {
    let again = reread { try OpenSearchDescription(xml: description.xml, url: address) }
    precondition(again?.templates.count == description.templates.count, "A template is missing.")
    _ = description.url(for: SearchTerms("a b", title: "é"))
}

/// What `read` returns. Only what is larger once it is written may be refused.
private func reread<Result>(_ read: () throws -> Result) -> Result? {
    do {
        return try read()
    } catch let error as CocoaError where error.code == .fileReadTooLarge {
        return nil
    } catch {
        preconditionFailure("What was written is not read: \(error)")
    }
}
