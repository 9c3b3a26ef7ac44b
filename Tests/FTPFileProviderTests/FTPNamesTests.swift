import FTPFileProvider
import FaultServer
import FileProviderCore
import Foundation
import Testing

/// Names in listings that no path can hold, and names that come twice.
@Suite struct FTPNamesTests {
    private static let names = ["good", "a/b", "..", "../up", "/lead", "nul\0", "good", "", "end"]

    private static func lines(_ front: String) -> Data { Data(names.map { "\(front)\($0)\r\n" }.joined().utf8) }

    @Test(arguments: ["type=file;size=5; ", "-rw-r--r-- 1 a b 5 Jan  5 12:30 "])
    func `The rest of a folder is listed, and what is left out is counted at the end`(front: String) async throws {
        let isMachine = front.hasPrefix("type")
        var settings = FTPDouble.Settings { ["MLSD", "LIST"].contains($0.verb) ? [.data(Self.lines(front))] : [] }
        if !isMachine { settings.features = ["EPSV", "SIZE"] }
        try await withFTPProvider(settings) { _, provider in
            let path = try ProviderPath("shelf")
            let listing = await provider.listing(path: path)
            #expect(listing.contents.map(\.name) == ["good", "end"])
            #expect(listing.error?.unusableNames?.count == 7 && listing.error?.unusableNames?.first == "a/b")
            #expect(listing.error?.cocoaCode == .fileReadInvalidFileName)
            #expect(try await provider.contentsOfDirectory(path: path).count == 2)
        }
    }

    @Test func `The two dots that every folder has are no names`() async throws {
        let lines = "type=cdir; .\r\ntype=dir; .\r\ntype=dir; ..\r\nmodify=20240102030405; ..\r\ntype=file; a\r\n"
        let settings = FTPDouble.Settings { $0.verb == "MLSD" ? [.data(Data(lines.utf8))] : [] }
        try await withFTPProvider(settings) { _, provider in
            let listing = await provider.listing(path: try ProviderPath("shelf"))
            #expect(listing.contents.map(\.name) == ["a"] && listing.error == nil)
        }
    }
}
