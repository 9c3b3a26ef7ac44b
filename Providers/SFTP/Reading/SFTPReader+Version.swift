import FileProviderCore
import Foundation
import SFTPEngine

/// Size and version of a file, by whichever request the server answers.
extension SFTPReader {
    private var host: SFTPHost { provider.connection.host }

    /// The request that tells whether the open file is still the same.
    func look(at opened: OpenFile) -> SFTPRequest {
        host.looks.lackHandle ? .stat(host.bytes(of: path)) : .fstat(opened.handle)
    }

    /// Verifies that the file is the one of the first read, by the reply to a look; if the server refused that, by
    /// another look.
    ///
    /// - Throws: `CocoaError(.fileReadUnknown)` if the file has changed.
    func settle(_ reply: SFTPReply, of opened: OpenFile) async throws {
        var found = try attributes(reply)
        let known = state.value.known
        let isEnough = known != nil && (found != nil || host.looks.lackBoth)
        if found?.size == nil, !isEnough { found = try await otherLook(at: opened) ?? found }
        if let known { return try check(found, known) }
        let size: Int64
        if let reportedSize = found?.size {
            guard let reportedSize = Int64(exactly: reportedSize) else { throw provider.unexpected(path) }
            size = reportedSize
        } else {
            size = try await end(of: opened)
        }
        let modified = found?.times?.modification
        try state.update { state in
            if let known = state.known, known.size != size { throw FileError.changedWhileReading(path, url: url) }
            if state.known != nil { return }
            state.modified = modified
            state.known = FileReaderAttributes(
                size: size, validator: modified.map { "\($0)-\(size)" },
                validatorDate: modified.map { Date(timeIntervalSince1970: Double($0)) })
        }
    }

    /// Compares the file's current attributes, as far as the server gives them.
    private func check(_ found: SFTPAttributes?, _ known: FileReaderAttributes) throws {
        let hasOtherSize = found?.size.map { Int64(exactly: $0) != known.size } ?? false
        let time = found?.times?.modification
        let hasOtherTime = time != nil && state.value.modified != nil && time != state.value.modified
        if hasOtherSize || hasOtherTime { throw FileError.changedWhileReading(path, url: url) }
    }

    private func attributes(_ reply: SFTPReply) throws -> SFTPAttributes? {
        switch reply {
        case .attributes(let found): return found
        case .status: return nil
        default: throw provider.unexpected(path)
        }
    }

    /// Looks by `FSTAT` if `STAT` was refused, and the other way round.
    private func otherLook(at opened: OpenFile) async throws -> SFTPAttributes? {
        let replies = try await provider.connection.send(
            [.fstat(opened.handle), .stat(host.bytes(of: path))], opened.session)
        let (byHandle, byName) = (try attributes(replies[0]), try attributes(replies[1]))
        if byHandle == nil { if byName == nil { host.lacks(\.lackBoth) } else { host.lacks(\.lackHandle) } }
        return byHandle?.size != nil ? byHandle : byName ?? byHandle
    }

    // MARK: Files of unknown size

    /// The number of bytes that are requested together to find the end; the first time, those at the powers of two
    /// below 1 PiB.
    private static let probes = 51

    /// The size of a file, found by reading single bytes.
    ///
    /// - Complexity: One round trip, and one more for each factor of 51 in the size.
    private func end(of opened: OpenFile) async throws -> Int64 {
        // All bytes below `minCount` exist, and none from `maxCount` on.
        var (minCount, maxCount) = (Int64(0), Int64.max)
        var positions = (0..<Self.probes).map { Int64(1) << $0 - 1 }
        while minCount < maxCount {
            let there = try await areThere(positions, opened)
            for (position, isThere) in zip(positions, there) {
                if isThere { minCount = max(minCount, position + 1) } else { maxCount = min(maxCount, position) }
            }
            // The file changed during the search.
            guard minCount <= maxCount else { throw FileError.changedWhileReading(path, url: url) }
            let step = max(1, (maxCount - minCount) / Int64(Self.probes) + 1)
            positions = Array(stride(from: minCount + step - 1, to: maxCount, by: Int64.Stride(step)))
            if positions.isEmpty, minCount < maxCount { positions = [minCount] }
        }
        return minCount
    }

    private func areThere(_ positions: [Int64], _ opened: OpenFile) async throws -> [Bool] {
        let requests = positions.map { SFTPRequest.read(opened.handle, at: UInt64($0), count: 1) }
        return try await provider.connection.send(requests, opened.session).map { reply in
            switch reply {
            case .data(let bytes) where bytes.count == 1: return true
            case .status(let status) where status.isEndOfFile: return false
            case .status(let status): throw SFTPCondition(status: status, path: path, url: url).error
            default: throw provider.unexpected(path)
            }
        }
    }
}
