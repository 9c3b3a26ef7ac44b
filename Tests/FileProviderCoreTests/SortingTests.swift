import FileProviderCore
import Foundation
import Testing

@Suite struct SortingTests {
    private func names(_ names: [String], _ sorting: FileObjectSorting) throws -> [String] {
        try sorting.sort(names.map { FileObject(path: try ProviderPath("/d").appending($0), type: .regular) }).map(
            \.name)
    }

    @Test func `names sort as people read them`() throws {
        let sorted = [
            "a", "A1", "a2", "a02b", "a2c", "a10", "a10.1", "Äb", "b", "chapter 9.txt", "Chapter 10.txt",
            "z99999999999999999999",
            "z100000000000000000000",
        ]
        #expect(try names(sorted.reversed(), .nameAscending) == sorted)
        #expect(try names(sorted, .nameDescending) == sorted.reversed())
    }

    @Test func `names sort by their bytes where that is asked for`() throws {
        let given = ["b", "B", "a10", "a2", "é", "A"]
        #expect(try names(given, FileObjectSorting(type: .nameCaseSensitive)) == ["A", "B", "a10", "a2", "b", "é"])
        #expect(try names(given, FileObjectSorting(type: .nameCaseInsensitive)) == ["A", "a10", "a2", "B", "b", "é"])
    }

    @Test func `extensions sort in any case, and names without one come last`() throws {
        let given = ["b.TXT", "a.txt", "c", ".hidden", "d.epub", "e."]
        #expect(try names(given, .extensionAscending) == ["d.epub", "a.txt", "b.TXT", ".hidden", "c", "e."])
        #expect(try names(given, .extensionDescending) == ["a.txt", "b.TXT", "d.epub", ".hidden", "c", "e."])
    }

    @Test func `what is unknown comes last in both directions, folders first on request`() throws {
        func item(_ name: String, _ type: FileType = .regular, size: Int64? = nil, date: Double? = nil) throws
            -> FileObject
        {
            var item = FileObject(
                path: try ProviderPath(name), type: type, size: size,
                modifiedDate: date.map(Date.init(timeIntervalSince1970:)))
            item.creationDate = item.modifiedDate
            return item
        }
        let items = [
            try item("d", .directory), try item("c", size: 3, date: 1), try item("b", size: 1, date: 3), try item("a"),
            try item("e", size: 3, date: 1),
            try item("f", .directory, date: 2),
        ]
        func sorted(_ type: FileObjectSorting.SortType, ascending: Bool = true, first: Bool = false) -> String {
            FileObjectSorting(type: type, ascending: ascending, isDirectoriesFirst: first).sort(items).map(\.name)
                .joined()
        }
        #expect(sorted(.size) == "bceadf")
        #expect(sorted(.size, ascending: false) == "cebadf")
        #expect(sorted(.size, ascending: false, first: true) == "dfceba")
        #expect(sorted(.modifiedDate) == "cefbad")
        #expect(sorted(.creationDate, ascending: false) == "bfcead")
        #expect(sorted(.modifiedDate, first: true) == "fdceba")
        #expect(sorted(.name, ascending: false, first: true) == "fdecba")
    }

    @Test(arguments: FileObjectSorting.SortType.allCases, [true, false])
    func `the order does not depend on the order given`(_ type: FileObjectSorting.SortType, _ ascending: Bool) throws {
        var numbers = Numbers(seed: 5)
        var items: [FileObject] = []
        for index in 0..<120 {
            let name =
                (0...numbers.below(3)).map { _ in numbers.pick(["a", "A", "á", "1", "01", "2", ".", "_"]) }.joined()
                + "x"
            var item = FileObject(
                path: try ProviderPath("/\(index % 7)").appending(name), type: numbers.pick([.regular, .directory]))
            if numbers.below(2) == 0 { item.size = Int64(numbers.below(3)) }
            if numbers.below(2) == 0 { item.modifiedDate = Date(timeIntervalSince1970: Double(numbers.below(3))) }
            items.append(item)
        }
        // One item of each path, so that there is one right order.
        items = Dictionary(items.map { ($0.path, $0) }) { first, _ in first }.values.sorted { $0.path < $1.path }
        let sorting = FileObjectSorting(type: type, ascending: ascending, isDirectoriesFirst: numbers.below(2) == 0)
        let expected = sorting.sort(items).map(\.path)
        for _ in 0..<20 {
            items.sort { _, _ in false }
            for index in items.indices { items.swapAt(index, numbers.below(items.count)) }
            #expect(sorting.sort(items).map(\.path) == expected)
        }
    }

    @Test func `items that are alike stay as they were`() throws {
        let path = try ProviderPath("/a")
        let items = (0..<50).map { FileObject(path: path, type: .regular, entryTag: "\($0)") }
        for type in FileObjectSorting.SortType.allCases {
            #expect(
                FileObjectSorting(type: type, ascending: false).sort(items).map(\.entryTag) == items.map(\.entryTag))
        }
    }
}
