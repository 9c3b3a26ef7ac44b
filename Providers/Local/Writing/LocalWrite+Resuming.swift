import FileProviderCore
import Foundation

/// Continuing behind the bytes that an earlier write left on the disk.
extension LocalWrite {
    /// Bytes at the head and at the tail of a part to compare before anything is added.
    private static let proof: Int64 = 64 << 10

    /// Returns how many bytes of `source` the part already has, and cuts off anything behind them.
    func start(of source: any WriteSource) async throws -> Int64 {
        guard case .staged(let staged) = target, options.resumption != nil else { return 0 }
        let size = try await BlockingThreads.shared.run { [context] in try ItemStatus(of: staged.file, context).size }
        let start = try await belongs(staged, size: size, to: source) ? size : 0
        try await BlockingThreads.shared.run { try staged.proceed(after: start) }
        return start
    }

    private func belongs(_ staged: StagedFile, size: Int64, to source: any WriteSource) async throws -> Bool {
        guard size > 0, size <= source.length ?? 0 else { return false }
        for part in Set([0..<min(Self.proof, size), max(0, size - Self.proof)..<size]) {
            let own = try await BlockingThreads.shared.run { [context] in
                var data = Data(count: part.count)
                let count = try data.withUnsafeMutableBytes {
                    try staged.file.read(into: $0, at: part.lowerBound, path: context.path)
                }
                return data.prefix(count)
            }
            if try await source.bytes(in: part) != own { return false }
        }
        return true
    }
}
