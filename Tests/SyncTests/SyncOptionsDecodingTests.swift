import FileProviderCore
import Foundation
import Sync
import Testing

@Suite struct SyncOptionsDecodingTests {
    private func options(_ text: String) throws -> SyncOptions {
        try JSONDecoder().decode(SyncOptions.self, from: Data(text.utf8))
    }

    private func sentence(_ text: String) -> String? {
        do { _ = try options(text) } catch DecodingError.dataCorrupted(let context) {
            return context.debugDescription
        } catch {
            return "\(error)"
        }
        return nil
    }

    @Test func `what is not there has its usual value`() throws {
        let (read, usual) = (try options("{}"), SyncOptions())
        #expect(read.direction == .mirror && !read.deletes && !read.keepsReplaced && !read.comparesContent)
        #expect(!read.ignoresListedSizes)
        #expect(read.removalLimit == usual.removalLimit && read.trashAge == usual.trashAge && read.links == usual.links)
        #expect(read.filter == usual.filter && read.transfers == nil && read.bandwidth == nil)
    }

    @Test func `every option can be written`() throws {
        let read = try options(
            """
            {"direction": "twoWay", "deletes": true, "removalLimit": "10%", "filter": ["- *.tmp"], "links": "copy", "comparesContent": true,
             "ignoresListedSizes": true, "keepsReplaced": true, "trashDays": 2, "transfers": 3, "bandwidth": "08:00,512K 20:00,off"}
            """)
        #expect(read.direction == .twoWay && read.deletes && read.keepsReplaced && read.comparesContent)
        #expect(read.ignoresListedSizes)
        #expect(
            read.removalLimit == .share(0.1) && read.trashAge == 172_800 && read.links == .copy && read.transfers == 3)
        #expect(
            try read.filter == SyncFilter(["- *.tmp"]) && read.bandwidth == BandwidthTimetable("08:00,512K 20:00,off"))
        #expect(try options(#"{"trashDays": null}"#).trashAge == nil)
    }

    @Test func `what is wrong is refused with a sentence`() throws {
        #expect(
            sentence(#"{"delete": true}"#)?
                .hasPrefix("“delete” is not a key of a pair's options. The keys are: direction,")
                == true)
        #expect(sentence(#"{"filter": ["*.tmp"]}"#)?.contains("“*.tmp”") == true)
        #expect(sentence(#"{"removalLimit": "half"}"#)?.contains("“half” is not a removal limit") == true)
        #expect(sentence(#"{"bandwidth": "fast"}"#)?.contains("“fast”") == true)
        #expect(sentence(#"{"trashDays": -1}"#)?.contains("“trashDays” must be between") == true)
    }

    @Test func `a service's times are read alike`() throws {
        func read(_ text: String) throws -> SyncServiceOptions {
            try JSONDecoder().decode(SyncServiceOptions.self, from: Data(text.utf8))
        }
        #expect(try read("{}") == SyncServiceOptions())
        let options = try read(
            #"{"quiet": 1, "longestWait": 2, "rescan": 3, "firstPause": 4, "longestPause": 5, "poll": 6, "alwaysPolls": true}"#
        )
        #expect(options.quiet == 1 && options.longestWait == 2 && options.rescan == 3)
        #expect(options.firstPause == 4 && options.longestPause == 5)
        #expect(options.watch.maxInterval == 6 && options.watch.alwaysPolls)
        #expect(throws: DecodingError.self) { try read(#"{"quiet": 0}"#) }
        #expect(throws: DecodingError.self) { try read(#"{"quite": 1}"#) }
    }
}
