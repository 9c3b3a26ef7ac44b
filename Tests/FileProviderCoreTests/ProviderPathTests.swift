import FileProviderCore
import Foundation
import Testing

@Suite struct ProviderPathTests {
    @Test(arguments: ["/a/b.epub", "a/b.epub", "/a/b.epub/"])
    func `slashes in front and at the end are optional`(text: String) throws {
        let path = try ProviderPath(text)
        #expect(path.string == "/a/b.epub")
        #expect(path.name == "b.epub")
        #expect(path.parent == (try ProviderPath("a")))
        #expect(path.fileExtension == "epub")
    }

    @Test(arguments: ["/a//b", "/./a", "/a/..", "..", "/a\0b", "."])
    func `a path with an empty name, a dot name or a NUL is refused`(text: String) {
        #expect { try ProviderPath(text) } throws: { ($0 as? CocoaError)?.code == .fileReadInvalidFileName }
    }

    @Test(arguments: ["", "/"])
    func `the root has no name and no parent`(text: String) throws {
        let path = try ProviderPath(text)
        #expect(path == .root)
        #expect(path.isRoot && path.parent == nil && path.name.isEmpty && path.string == "/")
    }

    @Test(arguments: ["a/b", "", ".", "..", "a\0"])
    func `a name that is no name cannot be appended`(name: String) {
        #expect(throws: CocoaError.self) { try ProviderPath.root.appending(name) }
    }

    @Test func `names in NFC and NFD are two names`() throws {
        let composed = try ProviderPath("/caf\u{E9}")
        let decomposed = try ProviderPath("/cafe\u{301}")
        #expect(composed.string == decomposed.string, "as text, Swift finds them equal")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
    }

    @Test func `any bytes come back from the escaped text and from the percent-encoded text`() throws {
        var random = SystemRandomNumberGenerator()
        // Leading bytes of the private-use escapes come often, so that the escape of an escape is met.
        let often: [UInt8] = [0xF4, 0x8F, 0xBE, 0xBF, 0x80, 0xFF, 0xC3, 0xA9, UInt8(ascii: "%"), UInt8(ascii: "a")]
        for _ in 0..<5000 {
            let name = (0..<Int.random(in: 1...12, using: &random)).map { _ -> UInt8 in
                let byte =
                    Bool.random(using: &random)
                    ? UInt8.random(in: 1...255, using: &random) : often.randomElement(using: &random) ?? 1
                return byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") ? UInt8(ascii: "x") : byte
            }
            let path = try ProviderPath.root.appending(nameBytes: name)
            #expect(try ProviderPath(path.string) == path, "\(name)")
            #expect(try ProviderPath(percentEncoded: path.percentEncoded) == path, "\(name)")
            #expect(path.percentEncoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        }
    }

    @Test func `an escape of an escape stays apart from the byte it stands for`() throws {
        let byte = try ProviderPath(bytes: [0xFF])
        let text = try ProviderPath(bytes: Array("\u{10FFFF}".utf8))
        #expect(byte.string == "/\u{10FFFF}")
        #expect(text.string != byte.string)
        #expect(try ProviderPath(text.string) == text)
    }

    @Test(arguments: ["%", "%4", "%zz", "a%2Fb", "%00", "..%2e", "%2e%2e", "%+1", "a/%2e/b"])
    func `a percent-encoded path that is cut off, hides a slash or climbs is refused`(text: String) {
        #expect(throws: CocoaError.self) { try ProviderPath(percentEncoded: text == "..%2e" ? "../%2e" : text) }
    }

    @Test func `a percent-encoded path is decoded once`() throws {
        #expect(try ProviderPath(percentEncoded: "/100%2525%20caf%C3%A9").string == "/100%25 café")
    }

    @Test(arguments: [
        ("/a/b", "/a", true), ("/ab", "/a", false), ("/a", "/a", false), ("/a", "/", true), ("/", "/", false),
    ])
    func `below means further down the same names`(item: String, folder: String, expected: Bool) throws {
        let (item, folder) = (try ProviderPath(item), try ProviderPath(folder))
        #expect(item.isBelow(folder) == expected)
        if expected { #expect(folder.appending(try #require(item.relative(to: folder))) == item) }
    }

    @Test func `a folder sorts before what is in it`() throws {
        let sorted = try ["/b", "/a/b/c", "/a", "/a/b"].map { try ProviderPath($0) }.sorted()
        #expect(sorted.map(\.string) == ["/a", "/a/b", "/a/b/c", "/b"])
    }
}
