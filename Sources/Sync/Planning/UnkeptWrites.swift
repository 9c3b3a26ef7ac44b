import FileProviderCore
import Foundation

extension SyncRules {
    /// Decides about a file that its storage did not keep. Returns `nil` if the usual rules apply.
    ///
    /// The run that finds the problem does nothing more about it. The next run writes the file again: over its own
    /// remains, or, so that conflict copies don't multiply, over a different file after one conflict copy; the trash
    /// then gets that file.
    func decide(_ unkept: UnkeptWrite, _ difference: SyncDifference) -> Decision? {
        guard direction == .twoWay || unkept.side == .destination else { return nil }
        guard difference.item(on: unkept.side.other)?.type == .regular, difference.isSame != true else { return nil }
        guard let there = difference.item(on: unkept.side) else {
            return unkept.isFresh ? .unkept(unkept.side) : .transfer(to: unkept.side, keepsOld: false)
        }
        guard there.type == .regular else { return nil }
        if unkept.isFresh { return .unkept(unkept.side) }
        // The previous version is still there.
        if difference.agreed != nil, !difference.isChanged(on: unkept.side) { return nil }
        if unkept.isRest { return .transfer(to: unkept.side, keepsOld: false) }
        return unkept.hasCopy ? .transfer(to: unkept.side, keepsOld: true) : nil
    }
}

extension SyncPass {
    /// Finds the written files that a storage did not keep.
    ///
    /// - Parameter isFirst: Whether this is the run's first pass. Files found in a later pass were written by this run.
    func findUnkept(isFirst: Bool) async throws {
        for side in SyncSide.allCases where side == .destination || options.direction == .twoWay {
            try await each({ try await store.doubtfulFiles(on: side, after: $0) }) { difference in
                guard let whole = difference.item(on: side.other), whole.type == .regular else { return }
                guard let there = difference.item(on: side) else {
                    if difference.unkept == nil, difference.looks[side] == .gone {
                        try await store.noteUnkept(difference.path, on: side, isFresh: true)
                    }
                    return
                }
                guard there.type == .regular, let size = there.size, difference.isChanged(on: side) else { return }
                guard try await isRest(size, of: whole.size, at: difference.path, on: side) else { return }
                try await store.noteUnkept(
                    difference.path, on: side, isFresh: !isFirst && difference.unkept == nil, isRest: true)
            }
        }
    }

    /// Whether a side's file of `size` bytes is only the beginning of the other side's, as far as both can be read.
    func isRest(_ size: Int64, of whole: Int64?, at path: ProviderPath, on side: SyncSide) async throws -> Bool {
        do { return try await comparison.isBeginning(size, of: whole, at: path, on: side) } catch let file
            as SyncComparison.Unread
        {
            guard await isItsOwn(file.reason) else { throw file.reason }
            return false
        }
    }
}

extension SyncComparison {
    /// The number of bytes compared at the beginning and at the end.
    private static let proof: Int64 = 64 << 10

    /// Whether a side's file of `size` bytes is the beginning of the other side's, and shorter.
    ///
    /// - Throws: ``Unread``.
    func isBeginning(_ size: Int64, of whole: Int64?, at path: ProviderPath, on side: SyncSide) async throws -> Bool {
        if let whole, size >= whole { return false }
        if size <= 0 { return true }
        let ranges = [0..<min(Self.proof, size), max(0, size - Self.proof)..<size]
        let (one, other) = try await onBoth { side in
            try await folders[side].provider.withReader(path: folders[side].path(of: path)) {
                try await $0.read(ranges)
            }
        }
        return one == other
    }
}
