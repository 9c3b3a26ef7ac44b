import FileProviderCore
import Foundation
import OPDS
import Publication
import Testing
import WebServer

@testable import ShelfServer

/// Follows every link of a catalogue, as a reader with much patience would.
private struct FeedWalk {
    let shelf: FeedShelf
    let version: FeedVersion
    private var visited: Set<String> = []
    private var queue: [Link] = []
    private(set) var problems: [String] = []
    /// The numbers of documents by their media types.
    private(set) var kinds: [String: Int] = [:]

    init(_ shelf: FeedShelf, _ version: FeedVersion) {
        self.shelf = shelf
        self.version = version
    }

    var count: Int { visited.count }

    mutating func run() async throws {
        add([Link(href: FeedShelf.origin + version.root, type: version.type(.navigation))])
        while let link = queue.popLast() { try await visit(link) }
    }

    private mutating func visit(_ link: Link) async throws {
        let answer = await shelf.answer(link.href)
        guard answer.status == 200 else {
            problems.append("\(link.href): \(answer.status)")
            return
        }
        let type = answer.header("Content-Type") ?? ""
        kinds[type, default: 0] += 1
        let isPicture = link.type?.hasPrefix("image/") == true
        if isPicture ? !type.hasPrefix("image/") : link.type.map({ !type.hasPrefix($0) }) ?? false {
            problems.append("\(link.href): \(type) instead of \(link.type ?? "")")
        }
        guard link.href.contains("/opds/") else { return }
        do {
            let url = URL(string: link.href)
            switch try CatalogDocument(data: try await answer.feedBytes(), url: url) {
            case .feed(let feed): follow(feed)
            case .publication(let publication): follow(publication)
            default: break
            }
        } catch {
            problems.append("\(link.href): \(error)")
        }
    }

    private mutating func follow(_ feed: Feed) {
        add(feed.links + feed.allNavigation + feed.facets.flatMap(\.links) + feed.groups.flatMap(\.links))
        for publication in feed.allPublications { follow(publication) }
    }

    private mutating func follow(_ publication: FeedPublication) {
        let metadata = publication.metadata
        let names = metadata.authors.flatMap(\.links) + metadata.subjects.flatMap(\.links)
        add(publication.links + publication.images + names + metadata.belongsToSeries.flatMap(\.links))
    }

    /// Fills templates in. Choices of two values at once are left out: there are as many as pairs.
    private mutating func add(_ links: [Link]) {
        for var link in links {
            link.href = link.href.replacing("{pageNumber}", with: "0").replacing("{maxWidth}", with: "60")
                .replacing("{?query}", with: "?query=book").replacing("&amp;", with: "&")
            guard link.href.hasPrefix(FeedShelf.origin + "/") else {
                problems.append("\(link.href) is elsewhere")
                continue
            }
            let parameters = link.href.split(separator: "?").dropFirst().joined().split(separator: "&")
            let choices = parameters.filter { !$0.hasPrefix("page=") }.count
            if choices > 1, link.href.contains("/opds/") { continue }
            if visited.insert(link.href).inserted { queue.append(link) }
        }
    }
}

@Suite struct `Each link of a catalogue` {
    @Test(arguments: FeedVersion.allCases)
    func `leads to what it says`(version: FeedVersion) async throws {
        let shelf = try await FeedShelf.large()
        var walk = FeedWalk(shelf, version)
        try await walk.run()
        #expect(walk.problems == [])
        // The root, lists, feeds, and of each book its entry, file and page.
        #expect(walk.count > 56 * 3 + 20)
        #expect(walk.kinds[version.type(.book)] == 56)
        #expect(walk.kinds["application/epub+zip"] == 55)
        #expect(walk.kinds.keys.contains { $0.hasPrefix("image/") })
    }
}
