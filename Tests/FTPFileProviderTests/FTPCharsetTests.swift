@testable import FTPFileProvider
import FaultServer
import FileProviderCore
import Foundation
import Testing

@Suite struct FTPCharsetTests {
    @Test(arguments: [
        ("windows-1251", "Книги", [0xCA, 0xED, 0xE8, 0xE3, 0xE8] as [UInt8]),
        ("KOI8-R", "Книги", [0xEB, 0xCE, 0xC9, 0xC7, 0xC9]),
        ("ISO-8859-1", "Bücher", [0x42, 0xFC, 0x63, 0x68, 0x65, 0x72]), ("Shift_JIS", "本", [0x96, 0x7B]),
        ("GB18030", "书", [0xCA, 0xE9]),
        ("EUC-KR", "책", [0xC3, 0xA5]), ("Big5", "書", [0xAE, 0xD1]), ("IBM437", "ü", [0x81]),
        ("UTF8", "ü", [0xC3, 0xBC]),
    ])
    func `Names are converted both ways`(charset: String, name: String, bytes: [UInt8]) throws {
        let charset = try FTPCharset(charset)
        #expect(charset.component(of: bytes) == Array(name.utf8))
        #expect(try charset.serverName(of: Array(name.utf8)) == bytes)
    }

    @Test(arguments: [
        "windows-1251", "windows-1252", "windows-1258", "shift_jis", "windows-31j", "gb18030", "gbk", "euc-jp", "big5",
        "us-ascii",
    ])
    func `Every name of the server leads back to its bytes`(charset: String) throws {
        let charset = try FTPCharset(charset)
        var seen: Set<[UInt8]> = []
        for first in 1...255 as ClosedRange<UInt8> {
            for second in stride(from: first % 3 + 1, to: 255, by: 3)
            where first != 0x2F && second != 0x2F && first > 0x5B {
                let name = [first, second, 0x61]
                guard FTPEntry.isName(name) else { continue }
                let component = charset.component(of: name)
                #expect(seen.insert(component).inserted)
                #expect(try charset.serverName(of: component) == name)
            }
        }
        for name in [[0xC3, 0xA9], [0xF4, 0x8F, 0xBE, 0x80], Array("a\u{10FFC3}".utf8), [0xE3, 0x32, 0x9A, 0x35]]
            as [[UInt8]]
        {
            #expect(try charset.serverName(of: charset.component(of: name)) == name)
        }
    }

    @Test func `A name that the server cannot have is refused`() throws {
        let error = try #require(throws: CocoaError.self) {
            try FTPCharset("windows-1251").serverName(of: Array("日本 é.txt".utf8))
        }
        #expect(error.code == .fileWriteInapplicableStringEncoding)
        #expect(
            error.sentence == "“日本 é.txt” contains characters that the server's character set, windows-1251, lacks.")
        // It would come back as “Я”.
        #expect(throws: CocoaError.self) { try FTPCharset("windows-1251").serverName(of: [0xDF]) }
        #expect(throws: CocoaError.self) { try FTPCharset("gb18030").serverName(of: Array("\u{10FF85}".utf8)) }
    }

    @Test(arguments: [
        "", "no-such-set", "utf-16", "utf-7", "utf-32le", "iso-2022-jp", "hz", "cp037", "latin1//translit", "koi8-r//",
        "a b", "\0",
    ])
    func `A set that is unknown or has another ASCII is refused`(name: String) throws {
        let error = #expect(throws: CocoaError.self) { try FTPCharset(name) }
        #expect(error?.code == .fileReadUnknownStringEncoding)
        #expect(error?.sentence.contains("“\(name)”") == true)
    }

    @Test func `A set is kept by its name`() throws {
        let kept = try JSONEncoder().encode([FTPCharset.utf8, FTPCharset("Windows-1251")])
        #expect(String(decoding: kept, as: UTF8.self) == #"["utf-8","windows-1251"]"#)
        #expect(
            try JSONDecoder().decode([FTPCharset].self, from: kept) == [FTPCharset("UTF8"), FTPCharset("windows-1251")])
        #expect(throws: CocoaError.self) {
            try JSONDecoder().decode([FTPCharset].self, from: Data(#"["klingon"]"#.utf8))
        }
    }

    @Test func `A server's names in windows-1251 go all ways`() async throws {
        let charset = try FTPCharset("windows-1251")
        let name: [UInt8] = [0xCA, 0xED, 0xE8, 0xE3, 0xE8]  // Книги
        try await withFTPProvider(files: [:], configure: { $0.charset = charset }) { double, provider in
            double.put(Data("there".utf8), at: "/Сказки", encoding: .windowsCP1251)
            let (written, moved) = (try ProviderPath("Книги"), try ProviderPath("Книги 2"))
            try await provider.writeContents(path: written, contents: FTPActivity.content)
            #expect(double.commands.last { $0.verb == "RNTO" }.map { $0.bytes.suffix(name.count) } == Data(name))
            #expect(try await Set(provider.contentsOfDirectory(path: .root).map(\.name)) == ["Книги", "Сказки"])
            #expect(try await provider.contents(path: written) == FTPActivity.content)
            #expect(try await provider.contents(path: ProviderPath("Сказки")) == Data("there".utf8))
            try await provider.moveItem(path: written, to: moved)
            #expect(try await provider.attributesOfItem(path: moved).size == Int64(FTPActivity.content.count))
            try await provider.removeItem(path: moved)
            #expect(try await provider.contentsOfDirectory(path: .root).map(\.name) == ["Сказки"])
            let foreign = double.commands.map(\.bytes).filter { !$0.allSatisfy { $0 < 0x80 } }
            #expect(!foreign.isEmpty && foreign.allSatisfy { String(validating: $0, as: UTF8.self) == nil })
        }
    }
}
