import FileProviderCore
import Foundation

/// Reads the files and appends lines to them.
enum KnownHostsFile {
    private static let maxSize = 64 << 20

    /// Passes on the file's bytes in pieces; none if it is missing. Pipes and devices, such as `/dev/null`, count as
    /// empty.
    static func read(_ path: String, _ take: (UnsafeRawBufferPointer) throws -> Void) throws {
        let file: FileDescriptor
        do {
            file = try FileDescriptor(path: path, flags: O_RDONLY | O_NONBLOCK)
        } catch let error where error.isNoSuchFile {
            return
        }
        let errorPath = (try? ProviderPath(path)) ?? .root
        guard try isRegular(file, path: errorPath) else { return }
        try withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { buffer in
            var offset: Int64 = 0
            while true {
                let count = try file.read(into: buffer, at: offset, path: errorPath)
                if count == 0 { return }
                offset += Int64(count)
                if offset > maxSize {
                    throw FileError.make(
                        .fileReadTooLarge, path: path,
                        sentence: "“\(path)” is larger than \(maxSize >> 20) MiB, the limit.")
                }
                try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }

    private static let maxLineLength = 64 << 10

    /// The line with this number, counted from 1 and cut to 64 KiB; nil if the file has fewer lines. Stops reading
    /// after that line.
    static func line(_ number: Int, of path: String) throws -> [UInt8]? {
        var current = 1
        var line: [UInt8] = []
        do {
            try read(path) { bytes in
                for byte in bytes {
                    if byte == UInt8(ascii: "\n") {
                        current += 1
                        if current > number { throw LineFound() }
                    } else if current == number, line.count < maxLineLength {
                        line.append(byte)
                    }
                }
            }
        } catch is LineFound {}
        return current >= number ? line : nil
    }

    /// Ends the reading of a file early.
    private struct LineFound: Error {}

    private static func isRegular(_ file: FileDescriptor, path: ProviderPath) throws -> Bool {
        try status(file, path: path).st_mode & S_IFMT == S_IFREG
    }

    private static func status(_ file: FileDescriptor, path: ProviderPath) throws -> stat {
        var status = stat()
        guard fstat(file.raw, &status) == 0 else { throw FileError.make(errno: errno, path: path, writing: false) }
        return status
    }

    /// Appends `line` while holding the lock. `isWanted` decides, with the file locked.
    ///
    /// ssh itself does not lock: writing a line with one write(2) to a file opened for appending keeps its lines and
    /// ours apart.
    static func append(_ line: String, to path: String, isWanted: () throws -> Bool) throws {
        try makeFolder((path as NSString).deletingLastPathComponent)
        let file = try FileDescriptor(path: path, flags: O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK, mode: 0o600)
        let errorPath = (try? ProviderPath(path)) ?? .root
        try lock(file, path: errorPath)
        guard try isWanted() else { return }
        let size = Int64(try status(file, path: errorPath).st_size)
        var text = Array((line + "\n").utf8)
        if try size > 0 && lastByte(of: file, size: size, path: errorPath) != UInt8(ascii: "\n") {
            text.insert(UInt8(ascii: "\n"), at: 0)
        }
        let written = text.withUnsafeBytes { write(file.raw, $0.baseAddress, $0.count) }
        if written == text.count { return }
        let code = written < 0 ? errno : ENOSPC
        // Half a line would corrupt the next one.
        if written > 0 { _ = ftruncate(file.raw, off_t(size)) }
        throw FileError.make(errno: code, path: errorPath, writing: true)
    }

    private static func lastByte(of file: FileDescriptor, size: Int64, path: ProviderPath) throws -> UInt8? {
        try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { buffer in
            try file.read(into: buffer, at: size - 1, path: path) == 1 ? buffer[0] : nil
        }
    }

    /// Creates the missing folder, for this user only; like ssh, not its parent.
    private static func makeFolder(_ path: String) throws {
        if path.isEmpty || mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        throw FileError.make(errno: errno, path: (try? ProviderPath(path)) ?? .root, writing: true)
    }

    /// Locks the file with flock(2). No program needs the lock for five seconds.
    private static func lock(_ file: FileDescriptor, path: ProviderPath) throws {
        let deadline = ContinuousClock.now + .seconds(5)
        while flock(file.raw, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            guard errno == EWOULDBLOCK else { throw FileError.make(errno: errno, path: path, writing: true) }
            guard ContinuousClock.now < deadline else {
                throw FileError.make(
                    .fileWriteUnknown, path: path, sentence: "“\(path)” is locked by another program.",
                    underlying: POSIXError(.EWOULDBLOCK)
                )
            }
            usleep(10_000)
        }
    }
}

extension KnownHosts {
    /// Adds the key of an unknown host to the first of the user's files.
    ///
    /// Creates a missing file for this user only. If two processes add the same key, one of them writes it.
    ///
    /// - Parameter hashed: Whether the name is hashed, as `HashKnownHosts` asks.
    /// - Returns: What was known by then: `.unknown` if the line was written. Otherwise nothing was written.
    /// - Throws: The errors of open(2) and write(2); `CocoaError(.fileWriteInvalidFileName)` for a host that no file
    ///   can name; `CocoaError(.fileWriteNoPermission)` without a user's file.
    @discardableResult
    package func add(host: String, port: Int, key: HostKey, hashed: Bool) throws -> HostKeyVerdict {
        let name = KnownHostName(host: host, port: port)
        guard name.isPlain else {
            throw FileError.make(
                .fileWriteInvalidFileName, path: host, sentence: "“\(host)” cannot be named in a known-hosts file.")
        }
        guard let file = userFiles.first else {
            throw FileError.make(
                .fileWriteNoPermission, path: host, sentence: "No file of known hosts is set to add “\(host)” to.")
        }
        let shown = hashed ? HashedHostName.make(name.text) : String(decoding: name.text, as: UTF8.self)
        var verdict = HostKeyVerdict.unknown
        try KnownHostsFile.append("\(shown) \(key.type) \(key.base64)", to: file) {
            verdict = try self.verdict(host: host, port: port, key: key)
            return verdict == .unknown
        }
        return verdict
    }
}
