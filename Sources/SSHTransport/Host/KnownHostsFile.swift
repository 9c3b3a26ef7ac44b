import FileProviderCore
import Foundation

/// The files themselves: how they are read, and how a line comes to one.
enum KnownHostsFile {
    private static let maxSize = 64 << 20

    /// Gives the file's bytes in pieces; none for one that is missing. A pipe or device holds nothing, as `/dev/null`.
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
                        sentence: "“\(path)” has more than the \(maxSize >> 20) MiB that it may have.")
                }
                try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }

    private static let maxLineLength = 64 << 10

    /// A line by its number from 1, without more than 64 KiB of it; nil where the file has fewer. Reads no further than
    /// that line.
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

    /// Appends `line` once nobody else does; `isWanted` has the last word, with the file locked.
    ///
    /// ssh itself takes no lock: one write(2) to a file opened for appending keeps its lines and ours apart.
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
        // Half a line would spoil the next one.
        if written > 0 { _ = ftruncate(file.raw, off_t(size)) }
        throw FileError.make(errno: code, path: errorPath, writing: true)
    }

    private static func lastByte(of file: FileDescriptor, size: Int64, path: ProviderPath) throws -> UInt8? {
        try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { buffer in
            try file.read(into: buffer, at: size - 1, path: path) == 1 ? buffer[0] : nil
        }
    }

    /// Makes the folder if it is missing, for this user alone; as ssh, not the one around it.
    private static func makeFolder(_ path: String) throws {
        if path.isEmpty || mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        throw FileError.make(errno: errno, path: (try? ProviderPath(path)) ?? .root, writing: true)
    }

    /// Takes the lock of flock(2); five seconds are longer than anybody needs it.
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
    /// Adds a key of a host that nothing was known of, to the first of the user's files.
    ///
    /// The file is made for this user alone where it is missing; of two processes that add the same key, one does.
    ///
    /// - Parameter hashed: Whether the name is hidden, as `HashKnownHosts` asks.
    /// - Returns: What was known by then: `.unknown` when the line was written; else nothing was.
    /// - Throws: As open(2) and write(2); `CocoaError(.fileWriteInvalidFileName)` for a host that no file can name;
    ///   `CocoaError(.fileWriteNoPermission)` without a user's file.
    @discardableResult
    package func add(host: String, port: Int, key: HostKey, hashed: Bool) throws -> HostKeyVerdict {
        let name = KnownHostName(host: host, port: port)
        guard name.isPlain else {
            throw FileError.make(
                .fileWriteInvalidFileName, path: host, sentence: "“\(host)” cannot be kept in a file of known hosts.")
        }
        guard let file = userFiles.first else {
            throw FileError.make(
                .fileWriteNoPermission, path: host, sentence: "There is no file to keep the key of “\(host)” in.")
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
