import CLinux
import Foundation

/// One open file of this machine, closed when the object is released.
package final class FileDescriptor: Sendable {
    package let raw: Int32

    /// Takes ownership of `raw`.
    package init(owning raw: Int32) {
        self.raw = raw
    }

    /// Opens the local file at `path`.
    ///
    /// - Throws: As open(2), in Foundation's words.
    package convenience init(path: String, flags: Int32, mode: UInt32 = 0o666) throws {
        let raw = Glibc.open(path, flags | O_CLOEXEC, mode)
        guard raw >= 0 else {
            throw FileError.make(
                errno: errno, path: (try? ProviderPath(path)) ?? .root, writing: flags & (O_WRONLY | O_RDWR) != 0)
        }
        self.init(owning: raw)
    }

    /// Creates a file in memory that no folder has and no disk receives. Source: memfd_create(2).
    ///
    /// - Parameter name: Shown by the system's tools.
    /// - Throws: As memfd_create(2), in Foundation's words.
    package convenience init(inMemory name: String) throws {
        let raw = carrel_memory_file(name)
        guard raw >= 0 else { throw FileError.make(errno: errno, path: .root, writing: true) }
        self.init(owning: raw)
    }

    deinit {
        Glibc.close(raw)
    }

    /// Reads bytes at `offset`; returns 0 at the end. Source: pread(2).
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, path: ProviderPath) throws -> Int {
        while true {
            let count = pread(raw, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 { return count }
            if errno != EINTR { throw FileError.make(errno: errno, path: path, writing: false) }
        }
    }

    /// Writes all of `bytes` at the file's own offset. Source: write(2).
    package func write(_ bytes: UnsafeRawBufferPointer, path: ProviderPath) throws {
        var rest = bytes
        while let base = rest.baseAddress, !rest.isEmpty {
            let count = Glibc.write(raw, base, rest.count)
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if errno != EINTR {
                throw FileError.make(errno: errno, path: path, writing: true)
            }
        }
    }

    /// Writes all of `bytes` at `offset`. Source: pwrite(2).
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, path: ProviderPath) throws {
        var done = 0
        while let base = bytes.baseAddress, done < bytes.count {
            let count = pwrite(raw, base + done, bytes.count - done, off_t(offset + Int64(done)))
            if count >= 0 {
                done += count
            } else if errno != EINTR {
                throw FileError.make(errno: errno, path: path, writing: true)
            }
        }
    }

    /// Syncs the names in this folder to the disk. Source: fsync(2).
    ///
    /// Ignores storages that cannot sync folders, and folders that may not be read.
    package func syncNames(path: ProviderPath) throws {
        if fsync(raw) == 0 || [EBADF, EINVAL, EROFS, ENOSYS, EOPNOTSUPP].contains(errno) { return }
        throw FileError.make(errno: errno, path: path, writing: true)
    }

    /// Syncs the whole file system that holds this folder to its disk. Source: syncfs(2).
    package func syncFileSystem(path: ProviderPath) throws {
        if carrel_syncfs(raw) == 0 || errno == ENOSYS { return }
        throw FileError.make(errno: errno, path: path, writing: true)
    }
}

/// Writes to an open local file; only a disk may make it wait.
package final class FileSink: ByteSink, @unchecked Sendable {
    // Unchecked: a sink is called by one side, one call after the other.
    private let file: FileDescriptor
    private let path: ProviderPath
    private(set) package var written: Int64 = 0
    private var handedToDisk: Int64 = 0

    /// Counts the first `count` bytes as written; further bytes are added behind them.
    package func continues(after count: Int64) {
        written = count
        handedToDisk = count
    }

    /// Bytes to gather before asking the disk to start on them, so that the final fsync(2) has little left to do.
    private static let writeback: Int64 = 8 << 20

    package init(_ file: FileDescriptor, path: ProviderPath) {
        self.file = file
        self.path = path
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        try file.write(bytes, path: path)
        written += Int64(bytes.count)
        if written - handedToDisk >= Self.writeback {
            _ = carrel_start_writeback(file.raw, handedToDisk, written - handedToDisk)
            handedToDisk = written
        }
        return .ready
    }
}

/// Reads an open local file from an offset on.
package final class FileByteSource: ByteSource, @unchecked Sendable {
    // Unchecked: a source is called by one side, one call after the other.
    private let file: FileDescriptor
    private let path: ProviderPath
    private let atEnd: @Sendable () throws -> Void
    private var offset: Int64

    /// - Parameter atEnd: Called once all of the file was read, for a last check.
    package init(
        _ file: FileDescriptor, from offset: Int64, path: ProviderPath,
        atEnd: @escaping @Sendable () throws -> Void = {}
    ) {
        self.file = file
        self.path = path
        self.offset = offset
        self.atEnd = atEnd
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep {
        let count = try file.read(into: buffer, at: offset, path: path)
        offset += Int64(count)
        if count == 0 { try atEnd() }
        return count == 0 ? .end : .bytes(count)
    }
}
