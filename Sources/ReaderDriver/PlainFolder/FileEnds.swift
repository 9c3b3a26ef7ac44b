import Cryptography
import FileProviderCore
import Foundation

/// The first and last bytes of a file, which identify it after a move.
enum FileEnds {
    /// The bytes at either end; a shorter file is read completely.
    static let length: Int64 = 64 << 10

    /// Returns the SHA-256 of the size and both ends, in lower-case hexadecimal digits, and the size.
    ///
    /// - Complexity: At most 128 KiB, in one or two ranges.
    static func digest(of path: ProviderPath, on provider: any FileProviderReadWrite) async throws -> (
        digest: String, size: Int64
    ) {
        try await provider.withReader(path: path) { reader in
            let (start, extent) = try await reader.read(.range(0..<length))
            let size = extent.size
            let end = try await reader.read(max(length, size - length)..<max(length, size))
            guard Int64(start.count + end.count) == min(size, 2 * length) else {
                throw FileError.changedWhileReading(path)
            }
            return (digest(start: start, end: end, size: size), size)
        }
    }

    /// Returns the same digest for a local file.
    static func digest(ofLocalFile url: URL) async throws -> String {
        try await BlockingThreads.shared.run {
            let file = try FileHandle(forReadingFrom: url)
            // Nothing was written, so an error on closing loses nothing.
            defer { try? file.close() }
            let size = Int64(try file.seekToEnd())
            try file.seek(toOffset: 0)
            let start = try file.read(upToCount: Int(length)) ?? Data()
            try file.seek(toOffset: UInt64(max(length, size - length)))
            let end = size > length ? try file.read(upToCount: Int(length)) ?? Data() : Data()
            return digest(start: start, end: end, size: size)
        }
    }

    private static func digest(start: Data, end: Data, size: Int64) -> String {
        var hash = Hash(.sha256)
        withUnsafeBytes(of: size.littleEndian) { hash.update($0) }
        hash.update(start)
        hash.update(end)
        return hash.digest.hexadecimal
    }
}
