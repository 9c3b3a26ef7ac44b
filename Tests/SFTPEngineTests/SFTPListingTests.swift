import FaultServer
import Foundation
import Testing

import SFTPEngine

@Suite(.timeLimit(.minutes(1))) struct SFTPListingTests {
    private func opendir(_ session: SFTPSession, _ path: String) async throws -> SFTPHandle {
        guard case .handle(let handle) = try await session.send(.opendir(Array(path.utf8))) else {
            throw CancellationError()
        }
        return handle
    }

    private func names(_ session: SFTPSession, _ handle: SFTPHandle, _ limits: SFTPListing.Limits = .init())
        async throws -> [String]
    {
        var listing = SFTPListing(session, handle: handle, limits: limits)
        var names: [String] = []
        while let page = try await listing.next() { names += page.map { String(decoding: $0.filename, as: UTF8.self) } }
        return names
    }

    @Test func `ten thousand entries take four round trips at most`() async throws {
        var settings = SFTPDouble.Settings()
        settings.latency = 0.2
        settings.asksOnlyWhenWoken = true
        let double = SFTPDouble(settings)
        double.putEntries(10_000, in: "/many")
        try await withSession(double) { session async throws in
            let handle = try await opendir(session, "/many")
            double.resetCounts()
            let names = try await names(session, handle)
            #expect(names.count == 10_002)
            #expect(Set(names).count == 10_002)
            #expect(names.contains("entry-09999"))
            #expect(double.counts.roundTrips <= 4)
            #expect(double.counts.peakOutstanding <= 128)
            session.close([handle])
        }
    }

    @Test func `replies in another order lose nothing`() async throws {
        let double = SFTPDouble(SFTPDouble.Settings { $0.kind == .readdir ? [.shuffled(of: 7)] : [] })
        double.putEntries(3_000, in: "/many")
        try await withSession(double) { session async throws in
            let handle = try await opendir(session, "/many")
            #expect(Set(try await names(session, handle)).count == 3_002)
            session.close([handle])
        }
    }

    @Test(arguments: [SFTPDouble.Fault.endless, .names([])]) func `a folder without an end ends`(
        fault: SFTPDouble.Fault
    ) async throws {
        let double = SFTPDouble(SFTPDouble.Settings { $0.kind == .readdir ? [fault] : [] })
        try await withSession(double) { session async throws in
            let handle = try await opendir(session, "/")
            await #expect(throws: SFTPListing.TooLong.self) {
                _ = try await names(session, handle, .init(entries: 5_000))
            }
            #expect(double.counts.peakOutstanding <= 128)
            session.close([handle])
        }
    }

    @Test(arguments: [SFTPListing.Limits(names: 100_000), .init(bytes: 100_000)])
    func `a folder of few names, each very long, ends by its bytes`(limits: SFTPListing.Limits) async throws {
        let names = (0..<20).map { [UInt8](repeating: UInt8($0), count: 1_000) }
        let double = SFTPDouble(SFTPDouble.Settings { $0.kind == .readdir ? [.names(names)] : [] })
        try await withSession(double) { session async throws in
            let handle = try await opendir(session, "/")
            await #expect(throws: SFTPListing.TooLong.self) { _ = try await self.names(session, handle, limits) }
            #expect(double.counts.requests[.readdir, default: 0] <= 40)
            session.close([handle])
        }
    }

    @Test func `a listing that is refused, or answered otherwise, says so`() async throws {
        for fault in [SFTPDouble.Fault.status(.permissionDenied), .packet(type: 105, Data([0, 0, 0, 0]))] {
            let double = SFTPDouble(SFTPDouble.Settings { $0.kind == .readdir ? [fault] : [] })
            try await withSession(double) { session async throws in
                let handle = try await opendir(session, "/")
                await #expect(throws: SFTPRefusal.self) { _ = try await names(session, handle) }
                session.close([handle])
            }
        }
    }

    @Test func `long answers are asked for by few`() async throws {
        var settings = SFTPDouble.Settings()
        settings.entriesPerReply = 4_000
        let double = SFTPDouble(settings)
        double.putEntries(12_000, in: "/many")
        try await withSession(double) { session async throws in
            let handle = try await opendir(session, "/many")
            #expect(try await names(session, handle).count == 12_002)
            #expect(double.counts.peakOutstanding <= 16)
            session.close([handle])
        }
    }
}
