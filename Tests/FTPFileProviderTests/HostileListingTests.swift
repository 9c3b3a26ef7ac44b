@testable import FTPFileProvider
import FileProviderCore
import Foundation
import Testing

/// Numbers that are the same in every run (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

@Suite struct HostileListingTests {
    /// Lines of each form, up to the name.
    static let fronts = [
        "-rw-r--r-- 1 a b 6 Jan  5 12:30 ", "01-05-19  12:30PM  7 ", "+r,s5,\t", "type=file;size=5; ",
        "- [RWCEAFMS] a 5 Jan  5 12:30 ",
        "A 5 18.01.19 12:34:56 *STMF ", "5 A 07-28-96 16:45 ",
    ]

    func result(_ front: String, _ name: [UInt8]) throws -> (entries: [FTPEntry], unreadable: Int) {
        let line = Array(front.utf8) + name + [0x0A]
        return front.hasPrefix("type") ? try read(FTPMachineListing(), line) : try read(list(), line)
    }

    @Test(arguments: fronts) func `No name leads out of its folder, and none vanishes in silence`(front: String) throws
    {
        #expect(try names(result(front, Array("good".utf8)).entries) == ["good"])
        for name in ["", "a/b", "/etc/passwd", "../x", "./x", "a\0b", "a\rb", "a/", "\0"] {
            let (entries, unreadable) = try result(front, Array(name.utf8))
            #expect(entries.isEmpty && unreadable == 1, "\(name.debugDescription)")
        }
        for name in [".", ".."] {
            let (entries, unreadable) = try result(front, Array(name.utf8))
            // Files, which these are not in any folder.
            #expect(entries.isEmpty && unreadable == 1, "\(name)")
        }
    }

    @Test func `Lines that are no items are counted, and the first is shown`() throws {
        var parser = list()
        let text = "ls: cannot open \u{1B}[2J\n-rw-r--r-- 1 a b 6 Jan  5 12:30 x\n550 no\n"
        #expect(try Array(text.utf8).withUnsafeBytes { try parser.parse($0) }.count == 1)
        let error = try #require(parser.unreadable.error(url: nil))
        #expect(error.code == .cannotParseResponse)
        #expect(error.sentence == "The server's listing cannot be read: 2 lines, first “ls: cannot open ?[2J”.")
        #expect(FTPUnreadableLines().error(url: nil) == nil)
    }

    @Test(arguments: [
        "x", "type=file;size=5;", "type=file;size=5;name", ";", "=", "type", "type=file;;size=5; x", "\u{0}",
    ])
    func `Facts without a name are counted`(line: String) throws {
        let (entries, unreadable) = try read(FTPMachineListing(), Array(line.utf8))
        #expect(entries.isEmpty && unreadable == 1)
    }

    @Test(arguments: [
        "-rw-r--r--", "-rw-r--r-- 1 a b 6 Jan  5 12:30", "-rw-r--r-- 1 a b six Jan  5 12:30 x",
        "-rw-r--r-- 1 a b 6 Foo  5 12:30 x",
        "-rwwr--r-- 1 a b 6 Jan  5 12:30 x", "01-05-19  12:30PM", "01-05-19  12:30PM <DIR>", "1-2-3-4 12:30 5 x",
        "+r,s5", "d [",
        "X.TXT;1", "X.TXT;1 5", "X.TXT;x 5 8-SEP-1996 x", "name", "a b c d e f g", "é", "type=file; x",
    ])
    func `Lines that are cut off or of no form are counted`(line: String) throws {
        let (entries, unreadable) = try read(list(), Array((line + "\n").utf8))
        #expect(entries.isEmpty && unreadable == 1)
    }

    @Test func `A line has 64 KiB at most`() throws {
        let front = Array("type=file; ".utf8)
        let longest = front + [UInt8](repeating: 0x61, count: FTPLines.maxLength - front.count)
        for end in ["", "\n", "\r\n"] {
            for cuts in [[], [5], [longest.count], Array(stride(from: 1000, to: longest.count, by: 1000))] {
                #expect(try read(FTPMachineListing(), longest + Array(end.utf8), cutAt: cuts).entries.count == 1)
            }
        }
        for cuts in [[], [5], Array(stride(from: 1000, to: longest.count, by: 1000))] {
            let error = #expect(throws: URLError.self) { try read(list(), longest + [0x61], cutAt: cuts) }
            #expect(error?.code == .cannotParseResponse)
            #expect(error?.sentence.contains("65536 bytes") == true)
            #expect(throws: URLError.self) { try read(list(), longest + [0x61, 0x0D, 0x0A], cutAt: cuts) }
        }
    }

    @Test func `Long lines of many columns are read as fast as they come`() throws {
        let clock = ContinuousClock()
        let lines = [
            "a ", "1 ", "jan 1 ", "1 jan ", "-", " -> ", "a=;", ";", "=", "12:30 ", "2019-01-05 ", "\u{FF}", ",", "[ ",
        ]
        let text = lines.flatMap { unit in
            ["", "lrwxrwxrwx 1 a b 6 Jan  5 12:30 ", "-rw-r--r-- ", "+", "01-05-19 12:30PM <JUNCTION> ", "d [x] "]
                .flatMap { front in
                    Array((front + String(repeating: unit, count: 60_000 / unit.utf8.count) + "\n").utf8)
                }
        }
        let taken = try clock.measure {
            _ = try read(list(), text)
            _ = try read(FTPMachineListing(), text)
        }
        #expect(taken < .seconds(60), "\(text.count) bytes")
    }

    @Test(arguments: 0..<8) func `Whatever comes gives safe names or is counted`(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        let corpus = (ListingSample.lists + ListingSample.machine).map { Array($0.listing.utf8) }
        let pieces = [
            "..", "/", "\0", "\r", "\n", " ", "  ", "-1", "99999999999999999999", "Feb 30", ";", "=", "->", "\t", "é",
            "<DIR>", ":",
        ]
        for _ in 0..<400 {
            var text =
                (corpus.randomElement(using: &generator) ?? []) + [0x0A]
                + (corpus.randomElement(using: &generator) ?? [])
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let position = Int.random(in: 0...text.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0 where position < text.count: text[position] = UInt8.random(in: 0...255, using: &generator)
                case 1 where position < text.count: text.remove(at: position)
                case 2: text.removeSubrange(position..<min(text.count, position + 9))
                default:
                    text.insert(contentsOf: Array((pieces.randomElement(using: &generator) ?? "").utf8), at: position)
                }
            }
            let cut = Int.random(in: 0...text.count, using: &generator)
            let listed = try read(list(), text, cutAt: [cut])
            let facts = try read(FTPMachineListing(), text, cutAt: [cut])
            for entry in listed.entries + facts.entries {
                #expect(FTPEntry.isName(entry.name) && entry.role == .item)
                #expect((entry.permissions ?? 0) <= 0o7777 && (entry.size ?? 0) >= 0)
            }
            // Cut or whole is the same.
            #expect(try read(list(), text).entries == listed.entries)
            #expect(try read(FTPMachineListing(), text).unreadable == facts.unreadable)
        }
    }
}
