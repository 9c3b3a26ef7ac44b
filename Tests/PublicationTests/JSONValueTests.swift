import Foundation
import Publication
import Testing

@Suite struct `A JSON value` {
    private func parse(_ text: String) throws -> JSONValue {
        try JSONValue(string: text, maximumSize: 1 << 20)
    }

    @Test(
        arguments: [
            ("null", .null), ("true", true), ("0", 0), ("1.0", 1), ("-1.5", -1.5), ("1e3", 1000), ("\"1\"", "1"),
            ("9223372036854775807", .integer(.max)), ("9223372036854775808", .double(9_223_372_036_854_775_808)),
            ("[1,\"a\",[]]", [1, "a", []]), (#"{"a":{"b":null}}"#, ["a": ["b": nil]]), (#""\u00e9""#, "é"),
        ] as [(String, JSONValue)])
    func `is read from text`(text: String, expected: JSONValue) throws {
        #expect(try parse(text) == expected)
    }

    @Test func `is read from other encodings and after a byte order mark`() throws {
        let expected: JSONValue = ["é": [1]]
        for data in [Data([0xEF, 0xBB, 0xBF]) + expected.data, try #require(expected.jsonString.data(using: .utf16))] {
            #expect(try JSONValue(data: data, maximumSize: 100) == expected)
        }
    }

    @Test func `is null where JSON5 has a word for what is no number`() throws {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        #expect(
            try decoder.decode(JSONValue.self, from: Data("[Infinity,-Infinity,NaN,1.5]".utf8)) == [nil, nil, nil, 1.5])
    }

    @Test func `takes the first of repeated keys`() throws {
        #expect(try parse(#"{"a":1,"a":2}"#) == ["a": 1])
    }

    @Test(arguments: ["", " ", "nul", "[1 2]", "{\"a\"}", "{1:2}", "\"\\ud800\"", "[1e400]", "\u{0}", "[1]x"])
    func `is refused when it makes no sense`(text: String) {
        let error = #expect(throws: CocoaError.self) { try parse(text) }
        #expect(error?.code == .fileReadCorruptFile)
    }

    @Test(arguments: [("[", "]"), (#"{"a":"#, "}")])
    func `may be nested 64 levels deep and no more`(opening: String, closing: String) throws {
        func nested(_ depth: Int) -> String {
            String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth)
        }
        #expect(throws: Never.self) { try parse(nested(64)) }
        for depth in [65, 500, 100_000] {
            #expect(throws: CocoaError.self) { try parse(nested(depth)) }
        }
        #expect(throws: CocoaError.self) { try parse(String(repeating: opening, count: 100_000)) }
        let error = #expect(throws: CocoaError.self) { try parse(nested(65)) }
        #expect(error?.localizedDescription.contains("64") == true)
    }

    @Test func `is refused when it is larger than allowed`() {
        let error = #expect(throws: CocoaError.self) { try JSONValue(string: "[1,2]", maximumSize: 4) }
        #expect(error?.code == .fileReadTooLarge)
        #expect(throws: Never.self) { try JSONValue(string: "[1,2]", maximumSize: 5) }
    }

    @Test func `is written in one way only`() {
        let value: JSONValue = [
            "b": [1, 1.5, nil, true], "a": "x/y\"\\\n\u{1}é😀", "\u{1F600}": [:],
            "\u{FFFD}": [], "A": .double(.infinity),
        ]
        let expected =
            #"{"A":null,"a":"x/y\"\\\n\u0001é😀","b":[1,1.5,null,true],"\#u{FFFD}":[],"\#u{1F600}":{}}"#
        #expect(value.jsonString == expected)
    }

    @Test func `goes through a coder`() throws {
        let value: JSONValue = ["a": [1, 1.5, nil, true, "x", [:]]]
        #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)) == value)
    }
}
