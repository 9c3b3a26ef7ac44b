@testable import FTPFileProvider
import FileProviderCore
import Foundation
import Testing

/// The entries of a listing given in pieces, each cut off in front of one of the offsets, and how many lines gave none
/// and should have.
func read(_ listing: some FTPListing, _ text: [UInt8], cutAt cuts: [Int] = []) throws -> (
    entries: [FTPEntry], unreadable: Int
) {
    var listing = listing
    var entries: [FTPEntry] = []
    var start = 0
    for cut in cuts + [text.count] {
        entries += try text[start..<cut].withUnsafeBytes { try listing.parse($0) }
        start = cut
    }
    entries += try listing.finish()
    return (entries, listing.unreadable.count + listing.unusable.count)
}

func list(offset: Int = 0, now: Date = ListingSample.now) -> FTPListParser { FTPListParser(now: now, offset: offset) }

func names(_ entries: [FTPEntry]) -> [String] { entries.map { String(decoding: $0.name, as: UTF8.self) } }

@Suite struct ListingTests {
    @Test(arguments: ListingSample.lists) func `The listings of real servers are read`(sample: ListingSample) throws {
        let (entries, unreadable) = try read(list(), Array(sample.listing.utf8))
        #expect(entries.map { ListingSample.Item($0) } == sample.items)
        #expect(unreadable == 0)
    }

    @Test(arguments: ListingSample.machine) func `The facts of real servers are read`(sample: ListingSample) throws {
        let (entries, unreadable) = try read(FTPMachineListing(), Array(sample.listing.utf8))
        #expect(entries.map { ListingSample.Item($0) } == sample.items)
        #expect(unreadable == 0)
    }

    @Test func `The corpus has 60 lines at least`() {
        let lines = (ListingSample.lists + ListingSample.machine).flatMap { $0.listing.split(separator: "\n") }
        #expect(lines.count >= 60)
    }

    @Test(arguments: ListingSample.lists + ListingSample.machine)
    func `A listing may be cut at every byte, and end its lines in both ways`(sample: ListingSample) throws {
        for end in ["\n", "\r\n"] {
            let text = Array((sample.listing.replacing("\r\n", with: "\n").replacing("\n", with: end) + end).utf8)
            for cut in 0...text.count {
                let isMachine = ListingSample.machine.contains {
                    $0.server == sample.server && $0.listing == sample.listing
                }
                let result =
                    isMachine ? try read(FTPMachineListing(), text, cutAt: [cut]) : try read(list(), text, cutAt: [cut])
                #expect(result.entries.map { ListingSample.Item($0) } == sample.items, "\(cut)")
                #expect(result.unreadable == 0)
            }
        }
        let bytes = Array(sample.listing.utf8)
        if ListingSample.lists.contains(where: { $0.listing == sample.listing }) {
            #expect(try read(list(), bytes, cutAt: Array(0..<bytes.count)).entries.count == sample.items.count)
        }
    }

    @Test func `A listing stays with its form, and reads lines of another with that one`() throws {
        var parser = list()
        let text =
            "-rw-r--r-- 1 a b 6 Jan  5 12:30 x\r\n01-05-19  12:30PM  7 y\r\n-rw-r--r-- 1 a b 6 Jan  5 12:30 z\r\n"
        let entries = try Array(text.utf8).withUnsafeBytes { try parser.parse($0) }
        #expect(names(entries) == ["x", "y", "z"])
        #expect(parser.dialect == .unix)
    }

    @Test func `Times are the server's`() throws {
        let line = Array("-rw-r--r-- 1 a b 6 Jan  5 12:30 x".utf8)
        let east = try read(list(offset: 7200), line).entries
        #expect(east.first?.modified == FTPDate.parse("20190105103000"))
        let dos = try read(list(offset: -18_000), Array("01-05-19  11:30PM  7 y".utf8)).entries
        #expect(dos.first?.modified == FTPDate.parse("20190106043000"))
    }

    @Test func `Months are read in Latin-1, too, and in every language that is known`() throws {
        let latin = try read(list(), Array("-rw-r--r-- 1 a b 6 d".utf8) + [0xE9] + Array("c. 14  2018 x".utf8))
        #expect(latin.entries.first?.modified == FTPDate.parse("20181214000000"))
        let names = [
            "Jan": 1, "févr": 2, "MÄR": nil, "Mär": 3, "mrt": 3, "avr.": 4, "Mai": 5, "juin": 6, "juil.": 7, "août": 8,
            "set": 9, "Okt": 10,
            "ноя": 11, "dic": 12, "12月": 12, "13月": nil, "2월": 2, "January": nil, "J": nil, "Janx": nil,
        ]
        for (name, number) in names {
            let bytes = Array(name.utf8)
            #expect(FTPMonth.number(bytes.span, 0..<bytes.count) == number, "\(name)")
        }
    }

    @Test func `Names that are not UTF-8 stay as they are`() throws {
        let name: [UInt8] = [0xC3, 0x28, 0xFF, 0x20]
        let unix = try read(list(), Array("-rw-r--r-- 1 a b 6 Jan  5 12:30 ".utf8) + name + [0x0D, 0x0A])
        #expect(unix.entries.first?.name == name)
        let machine = try read(FTPMachineListing(), Array("type=file; ".utf8) + name)
        #expect(machine.entries.first?.name == name)
    }

    @Test func `The answer to MLST gives an entry for the name that was asked for`() throws {
        for line in [
            " type=cdir;modify=20190105123000;UNIX.mode=0755; /a/b", "Type=dir;Modify=20190105123000;UNIX.mode=755; b",
        ] {
            let entry = try FTPMachineListing.entry(inAnswer: Array(line.utf8), name: Array("b".utf8))
            #expect(ListingSample.Item(entry) == .init("b", .directory, nil, "20190105123000", 1, mode: 0o755))
        }
        let root = try FTPMachineListing.entry(inAnswer: Array(" type=dir; /".utf8), name: [])
        #expect(root.type == .directory)
        for line in ["", " ", "type=file;", "250 End"] {
            let error = #expect(throws: URLError.self) {
                try FTPMachineListing.entry(inAnswer: Array(line.utf8), name: [])
            }
            #expect(error?.code == .cannotParseResponse)
        }
    }

    @Test func `A listing tells of its folder where the server does`() throws {
        var parser = FTPMachineListing()
        let text = Array("type=cdir;perm=flcdmpe;modify=20190105123000; /books\r\ntype=pdir;perm=el; /\r\n".utf8)
        #expect(try text.withUnsafeBytes { try parser.parse($0) }.isEmpty)
        #expect(parser.folder?.abilities == "flcdmpe")
        #expect(parser.unreadable.count == 0)
    }
}
