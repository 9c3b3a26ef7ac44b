import Foundation
import Publication
import Testing

@testable import LCP

@Suite struct CanonicalJSONTests {
    private func canonical(_ text: String, without name: String? = nil) throws -> String {
        String(decoding: try CanonicalJSON(data: Data(text.utf8)).canonicalForm(without: name), as: UTF8.self)
    }

    private func reason(_ data: Data) -> String? {
        do {
            _ = try CanonicalJSON(data: data)
            return nil
        } catch {
            return (error as? CanonicalJSON.Fault)?.reason ?? "\(error)"
        }
    }

    private func reason(_ text: String) -> String? { reason(Data(text.utf8)) }

    /// Each form is written by hand after LCP 1.0, section 5.3.
    @Test(arguments: [
        (" { } ", "{}"),
        ("\r\n\t[ ]", "[]"),
        (#"{"b": 1, "a": {"d": [3, 1, 2], "c": null}}"#, #"{"a":{"c":null,"d":[3,1,2]},"b":1}"#),
        (#"{"a": " x  y ", "A": true, "": false}"#, #"{"":false,"A":true,"a":" x  y "}"#),
        (#"[{"b": 0, "a": 0}, [{"d": 0, "c": 0}]]"#, #"[{"a":0,"b":0},[{"c":0,"d":0}]]"#),
        (#""a\/b\"c\\d""#, #""a/b\"c\\d""#),
        (#""\b\f\n\r\t""#, #""\b\f\n\r\t""#),
        (#""\u0008\u000C\u000a\u000D\u0009""#, #""\b\f\n\r\t""#),
        (#""\u0000\u001F\u007f""#, "\"\\u0000\\u001f\u{7F}\""),
        (#""\u00e9\u00C9é""#, #""éÉé""#),
        (#""\uD83D\uDC1F\u2028""#, "\"\u{1F41F}\u{2028}\""),
        ("[0, -0, -12, 1.50, 1e3, 2E-07, 9223372036854775808]", "[0,-0,-12,1.50,1e3,2E-07,9223372036854775808]"),
        ("\u{FEFF}[true]", "[true]"),
    ])
    func `members are sorted, white space goes, and only what must be escaped is`(_ text: String, _ form: String) throws
    {
        #expect(try canonical(text) == form)
        // A canonical form is its own.
        #expect(try canonical(form) == form)
    }

    @Test func `names are sorted by code point, not by letter or by unit of UTF-16`() throws {
        // U+FF5E is before U+1F41F, whose first unit in UTF-16 is 0xD83D.
        let text = #"{"\uD83D\uDC1F": 1, "é": 2, "z": 3, "～": 4, "Z": 5, "a": 6, "aa": 7, "\u0001": 8}"#
        let form = "{\"\\u0001\":8,\"Z\":5,\"a\":6,\"aa\":7,\"z\":3,\"é\":2,\"～\":4,\"\u{1F41F}\":1}"
        #expect(try canonical(text) == form)
    }

    @Test func `letters stay composed or decomposed as they are`() throws {
        let text = "[\"\u{E9}\",\"e\u{301}\"]"
        #expect(Array(try canonical(text).utf8) == Array(text.utf8))
    }

    @Test func `one member can be left out of the outermost object`() throws {
        let text = #"{"signature": {"value": "x"}, "a": {"signature": 1}}"#
        #expect(try canonical(text, without: "signature") == #"{"a":{"signature":1}}"#)
        #expect(try canonical(#"{"signature": 1}"#, without: "signature") == "{}")
        #expect(try canonical("[1]", without: "signature") == "[1]")
    }

    @Test(arguments: [
        #"{"a": 1, "a": 1}"#, #"{"a": 1, "\u0061": 2}"#, #"[{"x": [{"a": 1, "b": 2, "a": 3}]}]"#,
        // The same name for everything that compares texts as Unicode does.
        "{\"\u{E9}\": 1, \"e\u{301}\": 2}",
    ])
    func `a name that occurs twice is refused`(_ text: String) throws {
        #expect(try #require(reason(text)).contains("twice in one object"))
    }

    @Test(arguments: [
        "", " ", "{", "[", "\"", "{]", "[}", "[1,]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{'a':1}", "[1 2]",
        "01", "-", "-a", "+1", "1.", ".5", "1e", "1e+", "0x10", "NaN", "Infinity", "tru", "True", "nul", "1 1", "[] x",
        "\"\n\"", "\"\t\"", #""\x""#, #""\u12""#, #""\u12G4""#, #""\""#, "// a\n1",
        "[1] // a", "/**/1", "\u{FEFF}\u{FEFF}1",
    ])
    func `anything but JSON is refused`(_ text: String) throws {
        #expect(try #require(reason(text)).hasPrefix("is not JSON"), "\(text)")
    }

    @Test(arguments: [#""\uD83D""#, #""\uDC1F""#, #""\uD83D\uD83D""#, #""\uD83Dx""#, #""\uD83D\n""#])
    func `half a character is refused`(_ text: String) throws {
        #expect(try #require(reason(text)).contains("half a character"))
    }

    @Test(
        arguments: [[0xFF], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0xFF, 0xFE, 0x31, 0x00]] as [[UInt8]])
    func `text that is not UTF-8 is refused`(_ bytes: [UInt8]) {
        #expect(reason(Data(bytes)) == "is not text in UTF-8")
    }

    @Test func `nesting is limited, whatever is nested`() throws {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            func nested(_ levels: Int) -> String {
                String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels)
            }
            let most = JSONValue.maximumDepth
            #expect(try canonical(nested(most)) == nested(most))
            #expect(try #require(reason(nested(most + 1))).contains("64 levels"))
            // Refused before the stack is used up.
            #expect(try #require(reason(String(repeating: open, count: 200_000))).contains("64 levels"))
        }
    }

    @Test func `numbers beyond the range of Double are refused`() throws {
        #expect(try #require(reason("[1e999]")).contains("too large: 1e999"))
        #expect(try #require(reason(String(repeating: "9", count: 400))).contains("too large"))
    }

    @Test(arguments: [
        "null", "[true,false]", "-12", "1.0", "1.5", "9223372036854775807", "9223372036854775808", "1e2",
        #"{"a":[{"b":"\u00e9\n"}],"c":{}}"#, #""\ud83d\udc1f""#,
    ])
    func `values are those of JSONValue`(_ text: String) throws {
        let expected = try JSONValue(string: text, maximumSize: 1000)
        #expect(try CanonicalJSON(data: Data(text.utf8)).json == expected)
    }
}
