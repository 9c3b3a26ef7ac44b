import FileProviderCore
import Foundation

/// How a file of ssh's configuration is read.
enum SSHConfigFile {
    private static let largest = 1 << 20

    /// The file's bytes; nil where there is none, and for what is no regular file.
    ///
    /// - Parameter isUsers: Whether the file has to be safe from other users, as ssh demands of `~/.ssh/config`.
    static func bytes(_ path: String, isUsers: Bool) throws -> [UInt8]? {
        let file: FileDescriptor
        do {
            file = try FileDescriptor(path: path, flags: O_RDONLY | O_NONBLOCK)
        } catch let error where error.isNoSuchFile {
            return nil
        }
        let place = (try? ProviderPath(path)) ?? .root
        var status = stat()
        guard fstat(file.raw, &status) == 0 else { throw FileError.make(errno: errno, path: place, writing: false) }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        let isOthers = status.st_uid != 0 && status.st_uid != getuid()
        if isUsers, isOthers || status.st_mode & 0o022 != 0 {
            throw FileError.make(
                .fileReadNoPermission, path: path,
                sentence: "“\(path)” can be changed by other users, and so is not read; “chmod go-w” or “chown” helps.")
        }
        return try read(file, place, path)
    }

    private static func read(_ file: FileDescriptor, _ place: ProviderPath, _ path: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 16) { buffer in
            while true {
                let count = try file.read(into: buffer, at: Int64(bytes.count), path: place)
                if count == 0 { return }
                bytes.append(contentsOf: buffer[..<count])
                if bytes.count > largest {
                    throw FileError.make(
                        .fileReadTooLarge, path: path, sentence: "“\(path)” has more than the \(largest >> 20) MiB that it may have.")
                }
            }
        }
        return bytes
    }
}
