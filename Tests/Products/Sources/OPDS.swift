import Foundation
import OPDS
import OPDSClient

// Writes a catalogue in OPDS 1.2, reads it again, and asks a server that is not there for another one.
var feed = Feed(title: "Lamps")
feed.publications = [
    FeedPublication(
        metadata: Metadata(title: "The Lamp at the Carrel"),
        links: [
            Link(
                href: "https://books.example.org/lamp.epub", type: "application/epub+zip",
                rels: [AcquisitionRelation.openAccess.rawValue])
        ])
]
let read = try Feed(data: feed.atom(updated: Date()), url: URL(string: "https://books.example.org/"))
for book in read.allPublications { print(book.metadata.title.string, book.acquisitions.map(\.href)) }
let options = ConnectionOptions(retries: RetryPolicy(retries: 0), proxy: .none)
do {
    _ = try await CatalogClient(options: options).feed(at: URL(string: "http://127.0.0.1:9/opds")!)
} catch let error as URLError where error.code == .cannotConnectToHost {
    print("The catalogue's server was not reached")
}
