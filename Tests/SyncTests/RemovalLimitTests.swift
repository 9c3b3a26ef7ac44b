import Foundation
import Sync
import Testing

@Suite struct RemovalLimitTests {
    @Test func `a limit is a number of items or a share of all`() throws {
        #expect(try SyncOptions.RemovalLimit("100") == .count(100))
        #expect(try SyncOptions.RemovalLimit("0") == .count(0))
        #expect(try SyncOptions.RemovalLimit("25%") == .share(0.25))
        #expect(try SyncOptions.RemovalLimit("100%") == .share(1))
    }

    @Test(arguments: ["", "%", "-1", "101%", "-1%", "nan%", "half", "1.5"])
    func `anything else is refused`(text: String) {
        #expect { try SyncOptions.RemovalLimit(text) } throws: { ($0 as? CocoaError)?.code == .fileReadCorruptFile }
    }
}
