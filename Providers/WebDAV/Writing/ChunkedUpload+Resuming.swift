import FileProviderCore
import Foundation
import HTTPFileProvider

/// Verifies what an earlier run has left.
extension ChunkedUpload {
    /// Bytes at the head of the first chunk and at the tail of the last one that are compared with the source, 64 KiB.
    private static let proof: Int64 = 64 << 10

    /// Whether the chunks that an earlier run left are the source's, as far as head and tail of them show. Two requests.
    ///
    /// - Parameter present: Sizes by name.
    /// - Throws: What passes, cancellation, and errors of the source.
    func isOwn(_ present: [String: Int64], in folder: ProviderPath) async throws -> Bool {
        let beginning = beginning(of: present)
        guard let first = beginning.first, let last = beginning.last else { return true }
        let head = first.part.lowerBound..<min(first.part.upperBound, first.part.lowerBound + Self.proof)
        let tail = max(last.part.lowerBound, last.part.upperBound - Self.proof)..<last.part.upperBound
        for (chunk, part) in [(first, head), (last, tail)] {
            guard let theirs = try await bytes(part, of: chunk, in: folder) else { return false }
            // Not through the mark of the last byte: this is no sending.
            if try await write.source.base.bytes(in: part) != theirs { return false }
        }
        return true
    }

    /// Bytes of a chunk, counted as in the source; nil if the server doesn't give them.
    private func bytes(
        _ part: Range<Int64>, of chunk: (name: String, part: Range<Int64>), in folder: ProviderPath
    ) async throws -> Data? {
        let start = chunk.part.lowerBound
        do {
            return try await server.contents(
                path: folder.appending(chunk.name), part: .range(part.lowerBound - start..<part.upperBound - start))
        } catch let error where !error.isTransient && !error.isCancellation { return nil }
    }
}
