package import Foundation

/// Files that people write by hand: configurations, and secrets.
package enum SmallFile {
    /// Returns all bytes of the local file, or pipe, at `path`.
    ///
    /// - Parameter isSecret: Whether to refuse a file of this user that other users can read, as ssh does.
    /// - Throws: As open(2) and read(2), in Foundation's words; `CocoaError(.fileReadTooLarge)` over `limit` bytes;
    ///   `CocoaError(.fileReadNoPermission)` for a secret that other users can read.
    package static func read(_ path: String, limit: Int, isSecret: Bool = false) async throws -> Data {
        try await BlockingThreads.shared.run {
            let absolute = URL(fileURLWithPath: path).standardizedFileURL.path
            let file = try FileDescriptor(path: absolute, flags: O_RDONLY)
            if isSecret { try checkMode(file, path: absolute) }
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

    /// A pipe, as a shell makes it of `<(command)`, can be read by its user alone.
    private static func checkMode(_ file: FileDescriptor, path: String) throws {
        var status = stat()
        guard fstat(file.raw, &status) == 0 else {
            throw FileError.make(errno: errno, path: try ProviderPath(path), writing: false)
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == getuid(), status.st_mode & 0o077 != 0 else { return }
        throw FileError.make(
            .fileReadNoPermission, path: path,
            sentence: "“\(path)” is not used, because other users can read it. Run “chmod 600 \(path)”.")
    }
}
