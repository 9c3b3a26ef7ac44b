import FTPFileProvider
import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

@Suite struct FTPRequestLimitTests {
    @Test func `commands and transfers wait for their turn`() async throws {
        let clock = SteppedClock()
        try await withFTPProvider(options: { $0.requestLimit = RequestLimit(perSecond: 1, clock: clock) }) {
            double, provider in
            let path = try ProviderPath("book")
            for _ in 0..<3 { #expect(try await provider.contents(path: path) == FTPFaults.book) }
            try await provider.writeContents(path: ProviderPath("new"), contents: Data("new".utf8))
            let counted = double.commands.count { ["RETR", "STOR", "SIZE", "MDTM", "RNFR", "RNTO"].contains($0.verb) }
            #expect(counted > 4)
            #expect(clock.slept.reduce(.zero, +) >= .seconds(counted - 1))
        }
    }
}
