import FileProviderCore
import Foundation
import PredicateFormat
import Testing

/// The part of the predicates' grammar that is taken, and what is said of the rest.
@Suite struct QueryFormatTests {
    private static let day = Date(timeIntervalSince1970: 1_767_225_600)  // 2026-01-01T00:00:00Z

    static let taken: [(String, FileQuery)] = [
        ("TRUEPREDICATE", .all), ("truepredicate", .all), (" \t\nFALSEPREDICATE\n", .none), ("(TRUEPREDICATE)", .all),
        ("name == 'a'", .name(.equals("a"))), ("name = \"a\"", .name(.equals("a"))),
        ("SELF.name == 'a'", .name(.equals("a"))),
        ("name=='a'", .name(.equals("a"))), ("'a' == name", .name(.equals("a"))),
        ("name != 'a'", .not(.name(.equals("a")))),
        ("name <> 'a'", .not(.name(.equals("a")))), ("name ==[c] 'A'", .name(.equals("A", options: .caseInsensitive))),
        ("name BEGINSWITH 'a'", .name(.begins("a"))),
        ("name beginswith[cd] 'a'", .name(.begins("a", options: [.caseInsensitive, .diacriticInsensitive]))),
        ("name ENDSWITH [d] '.txt'", .name(.ends(".txt", options: .diacriticInsensitive))),
        ("name CONTAINS[dc] 'x'", .name(.contains("x", options: [.caseInsensitive, .diacriticInsensitive]))),
        ("name LIKE '*.e?ub'", .name(.like("*.e?ub"))),
        ("name like[c] 'a[b]'", .name(.like("a[b]", options: .caseInsensitive))),
        ("NOT name LIKE '*'", .not(.name(.like("*")))), ("! name == ''", .not(.name(.equals("")))),
        ("name IN {'a', \"b\"}", .or([.name(.equals("a")), .name(.equals("b"))])), ("name IN {}", .or([])),
        ("name IN[c] {'a'}", .or([.name(.equals("a", options: .caseInsensitive))])),
        ("path BEGINSWITH '/books/'", .path(.begins("/books/"))), ("url ENDSWITH '.epub'", .url(.ends(".epub"))),
        ("mimeType == 'application/epub+zip'", .mimeType(.equals("application/epub+zip"))),
        ("entryTag == '\"1\"'", .entryTag(.equals("\"1\""))), ("eTag != nil", .not(.not(.known(.entryTag)))),
        ("entryTag == nil", .not(.known(.entryTag))), ("creationDate = NULL", .not(.known(.creationDate))),
        ("nil == mimeType", .not(.known(.mimeType))),
        ("fileSize == 10", .size(.equal(10))), ("filesize > 10", .size(.greater(10))),
        ("size >= 10", .size(.atLeast(10))),
        ("fileSize => 10", .size(.atLeast(10))), ("fileSize < 10", .size(.less(10))),
        ("fileSize <= -1", .size(.atMost(-1))),
        ("fileSize =< +1", .size(.atMost(1))), ("10 < fileSize", .size(.greater(10))),
        ("10 >= fileSize", .size(.atMost(10))),
        ("10 <= fileSize", .size(.atLeast(10))), ("10 > fileSize", .size(.less(10))),
        ("10 != fileSize", .not(.size(.equal(10)))),
        ("fileSize > 1e6", .size(.greater(1_000_000))), ("fileSize > 2.0", .size(.greater(2))),
        ("fileSize > 9223372036854775807", .size(.greater(.max))),
        ("fileSize >= -9223372036854775808", .size(.atLeast(.min))),
        ("fileSize BETWEEN {1, 5}", .and([.size(.atLeast(1)), .size(.atMost(5))])),
        ("fileSize IN {1,2}", .or([.size(.equal(1)), .size(.equal(2))])),
        ("modifiedDate > '2026-01-01'", .modified(.after(day))),
        ("modifiedDate > '2026-01-01T00:00:00Z'", .modified(.after(day))),
        ("creationDate <= '2026-01-01T02:00:00+02:00'", .created(.atMost(day))),
        ("serverDate < '2025-12-31t23:59:59.5z'", .serverDate(.before(day - 0.5))),
        ("modifiedDate == CAST('2026-01-01', 'NSDate')", .modified(.equal(day))),
        ("modifiedDate == CAST(0, \"NSDate\")", .modified(.equal(Date(timeIntervalSinceReferenceDate: 0)))),
        ("modifiedDate > cast(-1.5, \"NSDate\")", .modified(.after(Date(timeIntervalSinceReferenceDate: -1.5)))),
        (
            "modifiedDate BETWEEN {'2026-01-01', CAST(1, 'NSDate')}",
            .and([.modified(.atLeast(day)), .modified(.atMost(Date(timeIntervalSinceReferenceDate: 1)))])
        ),
        ("isDirectory == TRUE", .type(.directory)), ("isDirectory == NO", .not(.type(.directory))),
        ("isRegularFile = yes", .type(.regular)),
        ("isSymLink == 1", .type(.symbolicLink)), ("isSymbolicLink == 0", .not(.type(.symbolicLink))),
        ("isHidden == true", .hidden),
        ("isHidden != TRUE", .not(.hidden)), ("isHidden == false", .not(.hidden)),
        ("isWritable == TRUE", .writable(true)),
        ("isReadOnly == TRUE", .writable(false)), ("isReadOnly == FALSE", .writable(true)),
        ("TRUE == isDirectory", .type(.directory)),
        ("type == 'file'", .type(.regular)),
        ("type IN {'symlink', 'other'}", .or([.type(.symbolicLink), .type(.other)])),
        ("isHidden IN {TRUE, FALSE}", .or([.hidden, .not(.hidden)])),
        ("name == 'a' AND size > 1", .and([.name(.equals("a")), .size(.greater(1))])),
        ("name == 'a' && size > 1 and size < 9", .and([.name(.equals("a")), .size(.greater(1)), .size(.less(9))])),
        ("name == 'a' or isHidden == TRUE", .or([.name(.equals("a")), .hidden])),
        ("size == 1 || size == 2 AND size == 3", .or([.size(.equal(1)), .and([.size(.equal(2)), .size(.equal(3))])])),
        (
            "(size == 1 || size == 2) AND size == 3",
            .and([.or([.size(.equal(1)), .size(.equal(2))]), .size(.equal(3))])
        ),
        ("NOT size == 1 AND size == 2", .and([.not(.size(.equal(1))), .size(.equal(2))])),
        ("NOT (size == 1 AND size == 2)", .not(.and([.size(.equal(1)), .size(.equal(2))]))),
        ("NOT NOT TRUEPREDICATE", .not(.not(.all))),
        ("!(!TRUEPREDICATE)", .not(.not(.all))),
        (#"name == "a\"b'c\\d""#, .name(.equals(#"a"b'c\d"#))), (#"name == 'a"b\'c'"#, .name(.equals(#"a"b'c"#))),
        (#"name == "\t\n\r\u00e9""#, .name(.equals("\t\n\r\u{E9}"))), ("name == 'AND (%@'", .name(.equals("AND (%@"))),
        ("name == '日本語 🎈'", .name(.equals("日本語 🎈"))),
    ]

    @Test(arguments: taken)
    func `what is taken is read as it is meant`(_ text: String, _ expected: FileQuery) throws {
        #expect(try FileQuery(format: text) == expected)
    }

    static let refused: [(String, Int, String)] = [
        ("", 1, "the end"), ("   ", 4, "the end"), ("name", 5, "the end"), ("name ==", 8, "the end"),
        ("== 'a'", 1, "“==”"),
        ("'a'", 4, "an operator"),
        ("isDirectory", 12, "an operator"), ("isDirectory AND isHidden == TRUE", 13, "“AND”"),
        ("nmae == 'a'", 1, "“nmae” is not a key"),
        ("Name == 'a'", 1, "not a key"), ("name.length == 1", 1, "not a key"), ("name == name", 9, "another key"),
        ("1 == 1", 1, "has to be a key"),
        ("{1} == size", 1, "has to be a key"), ("name == a", 9, "not a key"), ("name == 'a", 9, "no end"),
        ("name == \"a'", 9, "no end"),
        (#"name == '\q'"#, 10, "escape"), (#"name == '\"#, 10, "backslash"), (#"name == '\u12"#, 10, "escape"),
        (#"name == '\u+123'"#, 10, "escape"),
        (#"name == '\ud800'"#, 10, "escape"), ("name == “a”", 9, "does not belong"),
        ("name MATCHES 'a.*'", 6, "MATCHES"),
        ("ANY name == 'a'", 1, "lists"),
        ("SUBQUERY(name, $x, $x == 1).@count > 0", 1, "lists"), ("FUNCTION(name, 'length') > 1", 1, "functions"),
        ("SELF == 'a'", 1, "which key"),
        ("name == $x", 9, "does not belong"), ("@count > 1", 1, "does not belong"),
        ("name == #key", 9, "does not belong"),
        ("size + 1 > 2", 6, "does not belong"), ("size * 2 > 2", 6, "does not belong"),
        ("size > 1 size < 3", 10, "“AND”, “OR” or the end"), ("(size > 1", 10, "character 1 is not closed"),
        ("size > 1)", 9, "instead of “)”"), ("()", 2, "“)”"),
        ("NOT", 4, "the end"), ("size > 1 AND", 13, "the end"), ("OR size > 1", 1, "not a key"),
        ("size > 1 AND OR size < 2", 14, "not a key"),
        ("name NOT IN {'a'}", 6, "an operator"),
        ("size > 'a'", 8, "whole number"), ("size > 1.5", 8, "whole number"), ("size > TRUE", 8, "whole number"),
        ("size > 1e30", 8, "whole number"), ("size > 9223372036854775808", 8, "not a valid number"),
        ("size > 12ab", 8, "not a valid number"), ("size > 1.2.3", 8, "not a valid number"),
        ("size > 1e999", 8, "not a valid number"),
        ("size > 0x10", 8, "not a valid number"), ("size > nil", 8, "nil"),
        ("size CONTAINS 1", 6, "not a text"), ("size ==[c] 1", 6, "[c]"), ("size BETWEEN 1", 14, "in braces"),
        ("size BETWEEN {1}", 14, "two values"), ("size BETWEEN {1,2,3}", 14, "two values"),
        ("size == {1}", 9, "IN and BETWEEN"), ("size IN 1", 9, "in braces"), ("size IN {1", 11, "“}”"),
        ("size IN {1 2}", 12, "“}”"),
        ("size IN {,}", 10, "“,”"), ("size IN (1)", 9, "“(”"),
        ("1 IN size", 3, "in front"), ("'a' BEGINSWITH name", 5, "in front"), ("name > 'a'", 6, "no order"),
        ("name == 1", 9, "text"),
        ("name BETWEEN {'a','b'}", 6, "no order"),
        ("name ==[x] 'a'", 9, "[cd]"), ("name ==[] 'a'", 9, "[cd]"), ("name ==[c 'a'", 11, "“]”"),
        ("type == 'folder'", 9, "symlink"),
        ("type CONTAINS 'f'", 6, "compared by"), ("type ==[c] 'File'", 6, "[c]"),
        ("isHidden == 2", 13, "TRUE or FALSE"), ("isHidden == 'TRUE'", 13, "TRUE or FALSE"),
        ("isHidden > FALSE", 10, "compared by"),
        ("modifiedDate > 5", 16, "a date"), ("modifiedDate > 'yesterday'", 16, "not a date"),
        ("modifiedDate > '2026-02-30'", 16, "not a date"),
        ("modifiedDate > '2026-01-01T25:00:00Z'", 16, "not a date"),
        ("modifiedDate > '2026-01-01T00:00:00'", 16, "not a date"), ("modifiedDate LIKE '2026*'", 14, "not a text"),
        ("modifiedDate > CAST('x', 'NSDate')", 21, "not a date"), ("modifiedDate > CAST(1, 'NSNumber')", 24, "NSDate"),
        ("modifiedDate > CAST(TRUE, 'NSDate')", 21, "converted to a date"),
        ("modifiedDate > CAST(1 'NSDate')", 23, "“,”"),
        ("name == %@", 9, "no argument"), ("%K == 'a'", 1, "no argument"), ("name == %x", 9, "%K"),
        ("name == %", 9, "%K"),
    ]

    @Test(arguments: refused)
    func `the rest is refused with the place and the reason`(_ text: String, _ position: Int, _ part: String) throws {
        let error = try #require(throws: CocoaError.self) { try FileQuery(format: text) }
        #expect(error.code == .formatting)
        #expect(error.sentence.hasPrefix("The predicate is refused at character \(position): "), "\(error.sentence)")
        #expect(error.sentence.contains(part) && error.sentence.hasSuffix("."), "\(error.sentence)")
    }

    @Test func `arguments stand for values, keys and lists`() throws {
        #expect(try FileQuery(format: "%K BEGINSWITH %@", "name", "a") == .name(.begins("a")))
        #expect(
            try FileQuery(format: "size > %d AND size < %lld", 1, Int64(5))
                == .and([.size(.greater(1)), .size(.less(5))]))
        #expect(try FileQuery(format: "size == %f", 4.0) == .size(.equal(4)))
        #expect(
            try FileQuery(format: "size == %@ OR size == %@", UInt8(4), 5.0)
                == .or([.size(.equal(4)), .size(.equal(5))]))
        #expect(try FileQuery(format: "modifiedDate > %@", Self.day) == .modified(.after(Self.day)))
        #expect(try FileQuery(format: "isDirectory == %@", true) == .type(.directory))
        #expect(try FileQuery(format: "type == %@", FileType.symbolicLink) == .type(.symbolicLink))
        #expect(try FileQuery(format: "entryTag == %@", nil) == .not(.known(.entryTag)))
        #expect(try FileQuery(format: "name IN %@", ["a", "b"]) == .or([.name(.equals("a")), .name(.equals("b"))]))
        #expect(try FileQuery(format: "size BETWEEN %@", [1, 2]) == .and([.size(.atLeast(1)), .size(.atMost(2))]))
        #expect(try FileQuery(format: "size BETWEEN {%d, %@}", 1, 2) == .and([.size(.atLeast(1)), .size(.atMost(2))]))
        #expect(try FileQuery(format: "name == %@", "' OR TRUEPREDICATE") == .name(.equals("' OR TRUEPREDICATE")))
        #expect(try FileQuery(format: "name == %@", argumentArray: ["a"]) == .name(.equals("a")))
    }

    @Test func `arguments that do not fit are refused`() {
        #expect(throws: CocoaError.self) { try FileQuery(format: "name == %@", "a", "b") }
        #expect(throws: CocoaError.self) { try FileQuery(format: "size > %d", "a") }
        #expect(throws: CocoaError.self) { try FileQuery(format: "size > %d", 1.5) }
        #expect(throws: CocoaError.self) { try FileQuery(format: "size > %@", UInt64.max) }
        #expect(throws: CocoaError.self) { try FileQuery(format: "name == %@", [["a"]]) }
        #expect(throws: CocoaError.self) { try FileQuery(format: "name == %@", ["a"]) }
        #expect(throws: CocoaError.self) { try FileQuery(format: "name IN {%@}", ["a"]) }
        #expect(throws: CocoaError.self) { try FileQuery(format: "%K == 'a'", "nmae") }
        #expect(throws: CocoaError.self) { try FileQuery(format: "name == %@", URL(filePath: "/a")) }
    }

    @Test func `what nests too deep or is too long is refused, not run out of stack for`() throws {
        let deep = String(repeating: "(", count: 64) + "TRUEPREDICATE" + String(repeating: ")", count: 64)
        #expect(try FileQuery(format: deep) == .all)
        for text in [
            "(" + deep + ")", String(repeating: "(", count: 60_000), String(repeating: "NOT ", count: 16_000),
            String(repeating: "!", count: 60_000),
        ] {
            let error = try #require(throws: CocoaError.self) { try FileQuery(format: text) }
            #expect(
                error.sentence.contains("deeper than 64") && error.sentence.contains("character 65")
                    || text.hasPrefix("NOT"))
        }
        let long = "name == '" + String(repeating: "x", count: 65_536) + "'"
        #expect(throws: CocoaError.self) { try FileQuery(format: long) }
        let wide = String(repeating: "size>1 OR ", count: 6000) + "size>1"
        #expect(try FileQuery(format: wide).evaluate(FileObject(path: .root, type: .regular, size: 1)) == false)
        let word = try #require(throws: CocoaError.self) {
            try FileQuery(format: String(repeating: "x", count: 60_000))
        }
        #expect(word.sentence.count < 400)
    }

    @Test func `no text crashes the reader`() {
        var numbers = Numbers(seed: 4)
        let words = [
            "name", "size", "modifiedDate", "isHidden", "==", "!=", "<", "(", ")", "{", "}", "[", "]", "cd", "AND",
            "OR", "NOT", "!", "IN",
            "BETWEEN",
            "LIKE", "'a'", "\"", "'", "\\", "1", "-", "1e", ".", "%@", "%", "%K", "CAST", ",", "'NSDate'", "nil",
            "TRUE", "TRUEPREDICATE",
            " ", "é", "\u{0}",
        ]
        var read = 0
        for _ in 0..<20_000 {
            let text = (0..<numbers.below(12)).map { _ in words[numbers.below(words.count)] }.joined(
                separator: numbers.below(4) == 0 ? "" : " ")
            do {
                _ = try FileQuery(format: text)
                read += 1
            } catch { #expect((error as? CocoaError)?.code == .formatting) }
        }
        #expect(read > 0 && read < 20_000)
    }
}

/// The same numbers for the same seed (xorshift64*).
struct Numbers {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    mutating func below(_ limit: Int) -> Int {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return Int((state &* 0x2545_F491_4F6C_DD1D) >> 33) % limit
    }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
}
