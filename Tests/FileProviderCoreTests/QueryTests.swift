import FileProviderCore
import Foundation
import PredicateFormat
import Testing

/// The typed query: what it means, and its adapters.
@Suite struct QueryTests {
    private static let types: [FileType] = [.regular, .directory, .symbolicLink, .other]

    private static func randomItem(_ numbers: inout Numbers) throws -> FileObject {
        let name =
            (0...numbers.below(3)).map { _ in numbers.pick(["a", "b", "B", "é", ".", "1", "\"", "\\"]) }.joined() + "x"
        var item = FileObject(path: try ProviderPath("/d").appending(name), type: numbers.pick(types))
        if numbers.below(3) > 0 { item.size = Int64(numbers.below(4)) }
        if numbers.below(3) > 0 { item.modifiedDate = Date(timeIntervalSince1970: Double(numbers.below(4)) / 2) }
        if numbers.below(3) > 0 { item.creationDate = Date(timeIntervalSince1970: Double(numbers.below(4))) }
        if numbers.below(3) > 0 { item.mimeType = numbers.pick(["text/plain", "a/b"]) }
        if numbers.below(3) > 0 { item.entryTag = numbers.pick(["\"1\"", "\"2\""]) }
        if numbers.below(3) > 0 { item.permissions = numbers.pick([0o644, 0o444]) }
        return item
    }

    private typealias Reference = (FileObject) -> Bool

    /// A query and, written down apart, what it means.
    private static func random(_ numbers: inout Numbers, depth: Int) -> (FileQuery, Reference) {
        switch numbers.below(depth == 0 ? 14 : 20) {
        case 0: return (.all, { _ in true })
        case 1: return (.none, { _ in false })
        case 2:
            let text = numbers.pick(["a", "b", "ax", "\"", "\\"])
            return (.name(.contains(text)), { $0.name.unicodeScalars.contains(text.unicodeScalars) })
        case 3:
            let text = numbers.pick(["a", "B", "ab"])
            return (
                .name(.begins(text, options: .caseInsensitive)), { $0.name.lowercased().hasPrefix(text.lowercased()) }
            )
        case 4: return (.path(.ends("bx")), { $0.path.string.hasSuffix("bx") })
        case 5: return (.name(.like("?x")), { $0.name.count == 2 && $0.name.hasSuffix("x") })
        case 6: return (.mimeType(.equals("a/b")), { $0.mimeType == "a/b" })
        case 7: return (.entryTag(.equals("\"1\"")), { $0.entryTag == "\"1\"" })
        case 8:
            let type = numbers.pick(types)
            return (.type(type), { $0.type == type })
        case 9:
            let size = Int64(numbers.below(4))
            let choices: [(FileQuery.Comparison<Int64>, (Int64) -> Bool)] = [
                (.equal(size), { $0 == size }), (.less(size), { $0 < size }), (.atMost(size), { $0 <= size }),
                (.greater(size), { $0 > size }), (.atLeast(size), { $0 >= size }),
            ]
            let (comparison, test) = numbers.pick(choices)
            return (.size(comparison), { $0.size.map(test) ?? false })
        case 10:
            let date = Date(timeIntervalSince1970: Double(numbers.below(4)) / 2)
            return (.modified(.after(date)), { ($0.modifiedDate ?? .distantPast) > date })
        case 11:
            return (
                .created(.before(Date(timeIntervalSince1970: 2))),
                { ($0.creationDate ?? .distantFuture) < Date(timeIntervalSince1970: 2) }
            )
        case 12:
            return numbers.below(2) == 0 ? (.hidden, { $0.name.first == "." }) : (.known(.fileSize), { $0.size != nil })
        case 13:
            let wanted = numbers.below(2) == 0
            return (.writable(wanted), { $0.permissions.map { ($0 == 0o644) == wanted } ?? false })
        case 14, 15:
            let (query, test) = random(&numbers, depth: depth - 1)
            return (.not(query), { !test($0) })
        case let kind:
            var parts: [(FileQuery, Reference)] = []
            for _ in 0..<numbers.below(4) { parts.append(random(&numbers, depth: depth - 1)) }
            let (queries, tests) = (parts.map(\.0), parts.map(\.1))
            if kind < 18 { return (.and(queries), { item in tests.reduce(true) { $0 && $1(item) } }) }
            return (.or(queries), { item in tests.reduce(false) { $0 || $1(item) } })
        }
    }

    @Test func `random queries mean what they say, and so does their text`() throws {
        var numbers = Numbers(seed: 3)
        let items = try (0..<60).map { _ in try Self.randomItem(&numbers) }
        var answers = [true: 0, false: 0]
        for _ in 0..<3000 {
            let (query, reference) = Self.random(&numbers, depth: 4)
            let reread = try FileQuery(format: query.description)
            for item in items {
                let answer = try query.evaluate(item)
                answers[answer, default: 0] += 1
                #expect(answer == reference(item), "\(query) \(item.name)")
                #expect(try reread.evaluate(item) == answer, "\(query) \(item.name)")
            }
        }
        #expect(answers.values.allSatisfy { $0 > 10_000 })
    }

    @Test func `what is unknown matches no comparison, and so matches its opposite`() throws {
        let item = FileObject(path: try ProviderPath("/a"), type: .directory)
        for text in [
            "size == 0", "size < 9", "modifiedDate > '1970-01-01'", "mimeType LIKE '*'", "isWritable == TRUE",
            "isReadOnly == TRUE",
            "url CONTAINS ''",
        ] {
            #expect(try !FileQuery(format: text).evaluate(item), "\(text)")
            #expect(try FileQuery(format: "NOT \(text)").evaluate(item), "\(text)")
        }
        #expect(try FileQuery(format: "size != 0 AND size == nil").evaluate(item))
    }

    @Test func `queries are values that can be walked, joined and compared`() {
        let query = FileQuery.name(.glob("*.epub")) && !.size(.less(10)) || .hidden
        #expect(query == .or([.and([.name(.glob("*.epub")), .not(.size(.less(10)))]), .hidden]))
        #expect(Set([query, query, .all]).count == 2)
        #expect(query.description == #"((name GLOB "*.epub") AND (NOT (fileSize < 10))) OR (isHidden == TRUE)"#)
        let test = FileQuery.matching { _ in true }
        #expect(test == test && test != .matching { _ in true })
        #expect(
            FileQuery.modified(.after(Date(timeIntervalSince1970: 0.25))).description
                == #"modifiedDate > CAST(-978307199.75, "NSDate")"#)
        #expect(
            FileQuery.modified(.after(Date(timeIntervalSince1970: 0))).description
                == #"modifiedDate > "1970-01-01T00:00:00Z""#)
    }

    @Test func `the macro's predicates work on items`() throws {
        var item = FileObject(
            path: try ProviderPath("/d/Book.epub"), type: .regular, size: 2000,
            modifiedDate: Date(timeIntervalSince1970: 10))
        let limit: Int64 = 1000
        let since = Date(timeIntervalSince1970: 5)
        let query = FileQuery(
            #Predicate<FileObject> { file in
                file.name.contains("Book") && file.isRegularFile && !file.isDirectory && !file.isHidden
                    && (file.size ?? 0) > limit
                    && (file.modifiedDate ?? since) > since && file.mimeType == nil
            })
        #expect(try query.evaluate(item))
        item.size = 1000
        #expect(try !query.evaluate(item))
        #expect(query.description == "#Predicate")
    }

    @Test func `an error of the macro's predicate is not swallowed`() throws {
        let query = FileQuery(#Predicate<FileObject> { $0.size! > 1 })
        #expect(throws: PredicateError.self) { try query.evaluate(FileObject(path: .root, type: .directory)) }
    }

    @Test func `predicates of blocks are asked about the documented keys`() async throws {
        var item = FileObject(path: try ProviderPath("/d/a.txt"), type: .regular, size: 5, entryTag: "\"1\"")
        item[.url] = URL(string: "stub://h/d/a.txt")
        item[.serverDate] = Date(timeIntervalSince1970: 1)
        item.creationDate = Date(timeIntervalSince1970: 2)
        item.modifiedDate = Date(timeIntervalSince1970: 3)
        item.mimeType = "text/plain"
        item.permissions = 0o444
        let map = item.mapPredicate()
        let names = FileQuery.Key.allCases.map(\.rawValue) + ["filesize", "size", "eTag", "isSymbolicLink"]
        #expect(Set(map.keys) == Set(names))
        #expect(map["fileSize"] as? Int64 == 5 && map["filesize"] as? Int64 == 5 && map["eTag"] as? String == "\"1\"")
        #expect(
            map["type"] as? String == "file" && map["isReadOnly"] as? Bool == true
                && map["isWritable"] as? Bool == false)
        #expect(map["path"] as? String == "/d/a.txt" && (map["url"] as? URL)?.absoluteString == "stub://h/d/a.txt")
        let bare = FileObject(path: try ProviderPath("/a"), type: .directory).mapPredicate()
        #expect(
            Set(bare.keys) == [
                "name", "path", "isHidden", "isDirectory", "isRegularFile", "isSymLink", "isSymbolicLink", "type",
            ])

        let query = FileQuery(
            predicate: NSPredicate { object, _ in (object as? [String: Any])?["name"] as? String == "a.txt" })
        #expect(try query.evaluate(item))
        #expect(try !query.evaluate(FileObject(path: .root, type: .directory)))
        let both = FileQuery(
            predicate: NSCompoundPredicate(
                andPredicateWithSubpredicates: [
                    NSPredicate(value: true),
                    NSPredicate { object, _ in (object as? [String: Any])?["fileSize"] as? Int64 == 5 },
                ]))
        #expect(try both.evaluate(item))
        let subject = item
        let answers = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 { group.addTask { (try? both.evaluate(subject)) ?? false } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(answers == 100)
    }
}
