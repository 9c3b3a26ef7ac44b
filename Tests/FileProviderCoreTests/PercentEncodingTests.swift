import FileProviderCore
import Testing

@Suite struct PercentEncodingTests {
    @Test func `Every byte comes back from its digits, in either case`() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = Hexadecimal.text(bytes)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(Hexadecimal.bytes(text) == bytes)
        #expect(Hexadecimal.bytes(text.uppercased()) == bytes)
    }

    @Test(arguments: ["", "0", "012", "0g", "+1", "-0", " 1", "0x", "é"])
    func `What is no pairs of digits gives no bytes`(_ text: String) {
        #expect(Hexadecimal.bytes(text) == nil)
    }

    @Test func `Unreserved characters stay, and every byte comes back`() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = PercentEncoding.encoded(bytes)
        for part in [
            "%00%01", "%2C-.%2F0123456789%3A", "%40ABC", "XYZ%5B", "%5E_%60abc", "xyz%7B", "%7D~%7F%80", "%FE%FF",
        ] {
            #expect(text.contains(part), "\(part)")
        }
        #expect(PercentEncoding.decoded(Array(text.utf8)) == bytes)
        #expect(PercentEncoding.encoded("a/b c".utf8) { $0 != UInt8(ascii: " ") } == "a/b%20c")
    }

    @Test(arguments: [
        ("a%20b", "a b", true), ("%", "%", false), ("%4", "%4", false), ("%4g%41", "%4gA", false),
        ("%%41", "%A", false),
        ("%2541", "%41", true),
    ])
    func `A percent sign that begins no escape stands for itself`(
        _ text: String, _ decoded: String, _ isWellFormed: Bool
    ) {
        #expect(PercentEncoding.decoded(Array(text.utf8)) == Array(decoded.utf8))
        #expect(PercentEncoding.isWellFormed(Array(text.utf8)) == isWellFormed)
    }
}
