import FileProviderCore
import Foundation
import MediaTypes
import Publication
import Testing

@testable import Shelf

/// Which books a question finds, in which order, and what they have in common.
@Suite(.timeLimit(.minutes(1))) struct DatabaseQueryTests {
    private typealias Fixture = DatabaseFixture

    private static let records = [
        Fixture.record("Éloge de l'ombre", by: ["Tanizaki Jun'ichirō"]) {
            $0.languages = ["fr"]
            $0.subjects = [Subject(name: "Essays")]
        },
        Fixture.record("Volume 10", by: ["Anna Berg", "Bert Zorn"]) {
            $0.languages = ["de"]
            $0.belongsToSeries = [ParentCollection(name: "Volumes", position: 10)]
            $0.subjects = [Subject(name: "essays"), Subject(name: "Novels")]
        },
        Fixture.record("Volume 9", by: ["ANNA BERG"]) {
            $0.languages = ["de", "en"]
            $0.belongsToSeries = [ParentCollection(name: "Volumes", position: 9)]
            $0.belongsToCollections = [ParentCollection(name: "Best of")]
            $0.description = "<p>A quiet <b>harbour</b></p>"
        },
        Fixture.record("吾輩は猫である", by: []) { $0.subtitle = "I Am a Cat" },
    ]

    private func filled() async throws -> Fixture {
        let fixture = try await Fixture()
        try await fixture.add(Self.records)
        return fixture
    }

    @Test(
        arguments: [
            ("eloge", [0]), ("OMBRE", [0]), ("junichiro", []), ("jun ichiro tanizaki", [0]), ("vol", [1, 2]),
            ("volume anna", [1, 2]), ("zorn volume", [1]), ("harb", [2]), ("arbour", []), ("猫", [3]), ("輩は", [3]),
            ("cat am", [3]), ("best", [2]), ("essay", [0, 1]), ("l'ombre", [0]), ("\"volume\" * OR (", []),
            ("volume NOT 10", []), ("p", []), ("!?", []), ("  ", [0, 1, 2, 3]), ("vol \u{0} 10", [1]),
        ] as [(String, [Int])])
    func `a text finds the books that have all of its words, or longer ones`(text: String, found: [Int]) async throws {
        let titles = Set(found.map { Self.records[$0].metadata.title.string })
        #expect(Set(try await filled().titles(ShelfQuery(text: text))) == titles)
    }

    @Test(
        arguments: [
            (.title, [0, 2, 1, 3]), (.author, [2, 1, 0, 3]), (.series, [2, 1, 0, 3]), (.added, [0, 1, 2, 3]),
        ] as [(ShelfQuery.Sort, [Int])])
    func `orders are those of a reader, and can be reversed`(sort: ShelfQuery.Sort, order: [Int]) async throws {
        let fixture = try await filled()
        let titles = order.map { Self.records[$0].metadata.title.string }
        #expect(try await fixture.titles(ShelfQuery(sort: sort)) == titles)
        #expect(try await fixture.titles(ShelfQuery(sort: sort, isDescending: true)) == titles.reversed())
    }

    @Test func `a word in the title counts more than one in the description`() async throws {
        let fixture = try await Fixture()
        try await fixture.add([
            Fixture.record("A lamp") { $0.description = "About a harbour and its harbour master" },
            Fixture.record("The harbour"),
        ])
        #expect(try await fixture.titles(ShelfQuery(text: "harbour", sort: .relevance)) == ["The harbour", "A lamp"])
    }

    @Test func `conditions are combined, with keys from facets`() async throws {
        let fixture = try await filled()
        let author = try #require(try await fixture.database.facets(.authors).first { $0.name == "Anna Berg" })
        #expect(author.count == 2)
        var query = ShelfQuery()
        query.author = author.key
        #expect(try await fixture.titles(query) == ["Volume 9", "Volume 10"])
        query.language = "en"
        #expect(try await fixture.titles(query) == ["Volume 9"])
        query.text = "10"
        #expect(try await fixture.titles(query) == [])
        query.text = "vol"
        query.folder = try ProviderPath("books")
        query.source = fixture.source
        query.mediaType = MediaType.epub.string
        #expect(try await fixture.titles(query) == ["Volume 9"])
        query.source = fixture.source + 1
        #expect(try await fixture.titles(query) == [])
    }

    @Test func `a collection finds its books, with the key from its facet`() async throws {
        let fixture = try await filled()
        let collection = try #require(try await fixture.database.facets(.collections).first)
        var query = ShelfQuery()
        query.collection = collection.key
        #expect(try await fixture.titles(query) == ["Volume 9"])
        query.language = "fr"
        #expect(try await fixture.titles(query) == [])
    }

    @Test func `facets count the books of a question, by folded names`() async throws {
        let fixture = try await filled()
        func facets(_ facet: ShelfFacet, _ query: ShelfQuery = ShelfQuery()) async throws -> [String] {
            try await fixture.database.facets(facet, in: query).map { "\($0.name) \($0.count)" }
        }
        #expect(try await facets(.authors) == ["Anna Berg 2", "Bert Zorn 1", "Tanizaki Jun'ichirō 1"])
        #expect(try await facets(.subjects) == ["Essays 2", "Novels 1"])
        #expect(try await facets(.languages) == ["de 2", "en 1", "fr 1"])
        #expect(try await facets(.series) == ["Volumes 2"])
        #expect(try await facets(.collections) == ["Best of 1"])
        #expect(try await facets(.mediaTypes).count == 1)
        #expect(try await facets(.folders) == ["books 4"])
        #expect(try await facets(.languages, ShelfQuery(text: "zorn")) == ["de 1"])
        let counts = try await fixture.database.counts()
        #expect(counts.books == 4)
        #expect(counts.authors == 3)
        #expect(counts.series == 1)
        #expect(counts.subjects == 2)
        #expect(counts.changed == fixture.clock.now)
    }

    @Test(arguments: [nil, "vol", "harbour", "nothing at all"], [1, 500])
    func `several facets at once are those of single questions`(text: String?, limit: Int) async throws {
        let fixture = try await filled()
        let kinds: [ShelfFacet] = [.authors, .series, .languages, .subjects, .collections, .mediaTypes]
        for kinds in [kinds, kinds + [.folders]] {
            let query = ShelfQuery(text: text)
            let together = try await fixture.database.facets(kinds, in: query, limit: limit)
            for kind in kinds {
                let alone = try await fixture.database.facets(kind, in: query, limit: limit)
                #expect(together[kind] ?? [] == alone, "\(kind)")
            }
        }
    }

    @Test func `each page of a search has the number of all that match`() async throws {
        let fixture = try await filled()
        var query = ShelfQuery(text: "vol")
        query.limit = 1
        for offset in 0...3 {
            query.offset = offset
            let page = try await fixture.database.books(query)
            #expect(page.total == 2)
            #expect(page.books.count == (offset < 2 ? 1 : 0))
        }
    }

    @Test(arguments: [nil, "de"])
    func `the number of a search is counted without its books, unless more is asked`(language: String?) async throws {
        let fixture = try await filled()
        var query = ShelfQuery(text: "vol", sort: .relevance)
        query.language = language
        let (page, count) = try await fixture.database.plans(of: query)
        #expect(page.contains { $0.contains("books") }, "\(page)")
        #expect(count.contains { $0.contains("books") } == (language != nil), "\(count)")
    }

    @Test func `folders are shown level by level`() async throws {
        let fixture = try await Fixture()
        try await fixture.look(try ["a/x/1", "a/x/2", "a/y/3", "b/4", "5"].map { try Fixture.file($0) })
        try await fixture.read()
        let roots = try await fixture.database.facets(.folders)
        #expect(roots == [FacetValue(key: "/a", name: "a", count: 3), FacetValue(key: "/b", name: "b", count: 1)])
        var query = ShelfQuery()
        query.folder = try ProviderPath(roots[0].key)
        #expect(try await fixture.database.facets(.folders, in: query).map(\.key) == ["/a/x", "/a/y"])
        #expect(try await fixture.database.books(query).total == 3)
    }

    @Test func `pages don't overlap, and each has the number of all books`() async throws {
        let fixture = try await Fixture()
        try await fixture.add((0..<7).map { _ in Fixture.record("The same title") })
        var seen: [Int64] = []
        for offset in stride(from: 0, through: 8, by: 2) {
            let page = try await fixture.database.books(ShelfQuery(limit: 2, offset: offset))
            #expect(page.total == 7)
            seen += page.books.map(\.id)
        }
        #expect(seen.count == 7 && Set(seen).count == 7)
        let some = try await fixture.database.books(ShelfQuery(limit: 0))
        #expect(some.total == 7 && some.books == [])
    }

    @Test func `books are found by number`() async throws {
        let fixture = try await filled()
        let all = try await fixture.database.books(ShelfQuery(sort: .added)).books
        var query = ShelfQuery()
        query.ids = [all[3].id, all[0].id, all[0].id, 1 << 40]
        #expect(try await fixture.database.books(query).books.map(\.id) == [all[0].id, all[3].id])
        query.text = "cat"
        #expect(try await fixture.database.books(query).books == [all[3]])
        #expect(try await fixture.database.book(all[1].id) == all[1])
        #expect(try await fixture.database.book(1 << 40) == nil)
    }

    @Test func `metadata comes back as it was stored`() async throws {
        let fixture = try await Fixture()
        let record = Fixture.record("Title") {
            $0.otherMetadata = [
                "text": "Line\n\t\"quoted\" \\ \u{1}\u{0} 😀",
                "x": ["a": [1, 2.5, -3, true, false, [:], []], "é": "ü"], "big": .double(1e300), "empty": "",
            ]
            $0.published = Date(timeIntervalSince1970: 0)
            $0.belongsToSeries = [ParentCollection(name: "S", position: 1.5)]
            $0.title = LocalizedString(["en": "A", "fr": "B"]) ?? $0.title
        }
        try await fixture.add([record])
        let book = try #require(try await fixture.database.books(ShelfQuery()).books.first)
        #expect(book.metadata == record.metadata && book.mediaType == .epub)
        #expect(try StoredJSON.value(record.metadata.json.jsonString) == record.metadata.json)
    }

    @Test(arguments: ["", "{", "{\"a\"", "[1,", "tru", "\"a", "\"\\x\"", "1 ", "[1]]", "{\"a\":1,}", "nul", "-"])
    func `damaged metadata is an error`(text: String) {
        #expect(throws: CocoaError.self) { try StoredJSON.value(text) }
    }

    @Test func `too much metadata is cut, and the book is listed`() async throws {
        let fixture = try await Fixture()
        let long = String(repeating: "long ", count: 200_000)
        try await fixture.add([
            Fixture.record("One") { $0.description = long },
            Fixture.record("Two \(long)", by: [String](repeating: long, count: 3)),
        ])
        let books = try await fixture.database.books(ShelfQuery()).books
        #expect(books.count == 2)
        #expect(books.allSatisfy { $0.metadata.json.jsonString.utf8.count <= BookRow.maxMetadataLength })
        #expect(books.first?.metadata.description?.isEmpty == false)
    }

    @Test func `a cover belongs to the version of the file that was read`() async throws {
        let fixture = try await filled()
        let database = fixture.database
        let numbers = try await database.coverless(source: fixture.source, limit: 3)
        let books = try await database.books(in: numbers)
        #expect(books.map(\.id) == numbers && numbers == numbers.sorted() && books.count == 3)
        #expect(try await database.coverless(source: fixture.source, after: books[2].id, limit: 3).count == 1)
        #expect(try await database.setCover(of: books[0].id, tag: "tag", ifFileIs: ListedVersion(books[0])))
        #expect(try await database.setCover(of: books[1].id, tag: nil, ifFileIs: ListedVersion(books[1])))
        #expect(try await !database.setCover(of: books[2].id, tag: "tag", ifFileIs: ListedVersion(size: 1)))
        #expect(try await database.coverless(source: fixture.source, limit: 9).contains(books[2].id))
        let stored = [try await database.book(books[0].id), try await database.book(books[1].id)]
        #expect(stored.map { $0?.coverState } == [.known, ShelfBook.CoverState.none])
        #expect(stored.map { $0?.coverTag } == ["tag", nil])
    }
}
