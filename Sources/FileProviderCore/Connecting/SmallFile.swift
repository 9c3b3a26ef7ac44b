import Foundation

/// Files that people write by hand: configurations, and secrets.
enum SmallFile {
    /// Returns all bytes of the local file, or pipe, at `path`.
    ///
    /// - Throws: As open(2) and read(2), in Foundation's words; `CocoaError(.fileReadTooLarge)` over `limit` bytes.
    static func read(_ path: String, limit: Int) async throws -> Data {
        try await BlockingThreads.shared.run {
            let absolute = URL(fileURLWithPath: path).standardizedFileURL.path
            let file = try FileDescriptor(path: absolute, flags: O_RDONLY)
            var data = Data()
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = Glibc.read(file.raw, &buffer, buffer.count)
                if count < 0 {
                    if errno == EINTR { continue }
                    throw FileError.make(errno: errno, path: try ProviderPath(absolute), writing: false)
                }
                if count == 0 { return data }
                data += buffer[..<count]
                if data.count > limit {
                    throw FileError.make(
                        .fileReadTooLarge, path: path,
                        sentence: "“\(path)” is too large: it may have at most \(limit) bytes.")
                }
            }
        }
    }
}
