import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

@testable import SFTPFileProvider

@Suite struct SFTPRequestLimitTests {
    @Test func `requests wait for their turn, and those for bytes do not`() async throws {
        let clock = SteppedClock()
        try await withSFTPProvider(options: { $0.requestLimit = RequestLimit(perSecond: 1, clock: clock) }) {
            double, provider in
            let path = try ProviderPath("book")
            for _ in 0..<3 { _ = try await provider.attributesOfItem(path: path) }
            #expect(clock.slept.reduce(.zero, +) >= .seconds(2))
            double.putPattern(8 << 20, at: "/large")
            let before = clock.slept.reduce(.zero, +)
            _ = try await provider.contents(path: ProviderPath("large"))
            #expect(clock.slept.reduce(.zero, +) - before < .seconds(32), "8 MiB are 256 requests of 32 KiB")
        }
    }
}
