import FileProviderCore
import Foundation
import MediaTypes
import Publication
import Shelf
import Testing

@Suite struct ShelfEventTests {
    private func book(_ path: ProviderPath, _ metadata: Metadata) -> ShelfBook {
        ShelfBook(
            id: 1, source: 1, path: path, metadata: metadata, mediaType: .epub, added: .distantPast,
            changed: .distantPast)
    }

    @Test func `an event is one line that names the book`() throws {
        let (from, path) = (try ProviderPath("Emma.epub"), try ProviderPath("Austen/Emma.epub"))
        var metadata = Metadata(title: "Emma")
        #expect("\(ShelfEvent.added(book(path, metadata)))" == "added /Austen/Emma.epub: Emma")
        metadata.authors = [Contributor(name: "Jane Austen"), Contributor(name: "Ada Reader")]
        let both = book(path, metadata)
        #expect("\(ShelfEvent.changed(both))" == "changed /Austen/Emma.epub: Emma by Jane Austen, Ada Reader")
        #expect("\(ShelfEvent.moved(both, from: from))" == "moved /Emma.epub -> /Austen/Emma.epub")
        #expect("\(ShelfEvent.removed(id: 1, path: path))" == "removed /Austen/Emma.epub")
    }

    @Test func `no name controls a terminal, and none is endless`() throws {
        let path = try ProviderPath("a\u{1B}[2J\u{202E}\n.epub")
        let event = ShelfEvent.added(book(path, Metadata(title: "Emma\u{9B}31m\u{2028}")))
        #expect("\(event)" == "added /a\u{FFFD}[2J\u{FFFD}\u{FFFD}.epub: Emma\u{FFFD}31m\u{FFFD}")
        let sentence = String(repeating: "x", count: 5_000)
        let long = ShelfEvent.interrupted(location: "sftp://nas.example", sentence: sentence)
        #expect("\(long)".count == 2_001)
    }
}
