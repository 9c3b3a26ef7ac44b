import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Sync
import Testing

/// Listings that leave out items, because no path here can have their names.
@Suite struct UnusableNameTests {
    private let left = MemoryFileProvider(MemoryConfiguration(name: "one"))
    private let right = MemoryFileProvider(MemoryConfiguration(name: "two"))

    /// A pair in step, of which the source's listing of `/d` leaves out `/d/hidden`, if that is there.
    private func bed(_ direction: SyncOptions.Direction, hidden: String = "hidden") async throws -> (
        SyncBed, CraftedListing
    ) {
        for name in ["/a", "/d/e/x", "/d/f", "/d/hidden/in it"] { try await left.put(name, name) }
        let listing = CraftedListing(left)
        let bed = try SyncBed(direction, source: listing, destination: right)
        bed.options.update { $0.deletes = direction == .mirror }
        #expect(try await bed.run().isComplete)
        listing.leaveOut(hidden, in: try ProviderPath("d"))
        return (bed, listing)
    }

    private func expectOneFailure(_ report: FolderSyncReport, side: SyncSide = .source) {
        #expect(
            report.failures == 1 && report.failed.first?.path.string == "/d" && report.failed.first?.side == side,
            "\(report)")
        #expect(report.failed.first?.error?.unusableNames?.count == 1, "\(report)")
    }

    @Test(arguments: [SyncOptions.Direction.twoWay, .mirror])
    func `what a listing left out is not removed, and the rest is kept in step`(direction: SyncOptions.Direction)
        async throws
    {
        let (bed, _) = try await bed(direction)
        try await left.put("/d/f", "changed")
        try await left.put("/d/new", "new")
        try await left.remove("/d/e/x")
        let report = try await bed.run()
        expectOneFailure(report)
        #expect(report.removed == 1 && report.updated == 1 && report.created == 1, "\(report)")
        let tree = [
            "/a /a", "/d/", "/d/e/", "/d/f changed", "/d/hidden/", "/d/hidden/in it /d/hidden/in it", "/d/new new",
        ]
        #expect(try await right.tree() == tree)
        #expect(try await left.tree() == tree)
        // It comes back into the listing as it was.
        let (again, listing) = (try await bed.run(), bed.source as? CraftedListing)
        expectOneFailure(again)
        listing?.craft.update { $0 = { ($1, nil) } }
        let last = try await bed.run()
        #expect(last.isComplete && !last.hasChanges, "\(last)")
    }

    @Test func `a folder with such a name is removed on neither side`() async throws {
        let (bed, _) = try await bed(.twoWay, hidden: "nothing")
        try await right.removeItem(path: ProviderPath("d"), recursive: true)
        let report = try await bed.run()
        #expect(report.failed.map(\.path.string) == ["/d"], "\(report)")
        #expect(try await left.tree() == ["/a /a", "/d/"])
        #expect(try await right.tree() == ["/a /a", "/d/"])
    }

    @Test func `a mirror's destination keeps a folder with such a name`() async throws {
        for name in ["/a", "/b", "/d/e/x"] { try await left.put(name, name) }
        let listing = CraftedListing(right)
        let bed = try SyncBed(.mirror, source: left, destination: listing)
        bed.options.update { ($0.deletes, $0.removalLimit) = (true, .share(1)) }
        try await bed.run()
        listing.leaveOut("nothing", in: try ProviderPath("d/e"))
        try await left.remove("/d")
        let report = try await bed.run()
        #expect(report.failed.map(\.path.string) == ["/d/e"], "\(report)")
        #expect(try await right.tree() == ["/a /a", "/b /b", "/d/", "/d/e/"])
    }

    @Test func `a pair's own folder may have such names, too`() async throws {
        for name in ["/a", "/b", "/c"] { try await left.put(name, name) }
        let listing = CraftedListing(left)
        let bed = try SyncBed(.twoWay, source: listing, destination: right)
        try await bed.run()
        listing.leaveOut("b", in: .root)
        try await left.put("/new", "new")
        let report = try await bed.run()
        #expect(report.failures == 1 && report.removed == 0 && report.created == 1, "\(report)")
        #expect(try await right.tree() == ["/a /a", "/b /b", "/c /c", "/new new"])
    }
}
