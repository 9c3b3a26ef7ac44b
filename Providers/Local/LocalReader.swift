import FileProviderCore
import Foundation

/// One open file of this machine.
///
/// The descriptor keeps the version that was opened, even if another file takes its name. A change in place is noticed
/// by size and modification time, which are checked after each read and before anybody has its bytes.
final class LocalReader: FileReader {
    let path: ProviderPath
    let cost = Capabilities.ReadCost.local
    private let file: LockedValue<FileDescriptor?>
    private let opened: ItemStatus
    private let context: LocalContext

    /// Bytes to read at once: few enough to stay in a processor's cache until the sink has them.
    static let piece = 256 << 10

    /// Takes ownership of an open regular file.
    init(_ file: FileDescriptor, status: ItemStatus, context: LocalContext) {
        self.file = LockedValue(file)
        opened = status
        path = context.path
        self.context = context
    }

    /// - Complexity: No system call; returns the attributes at the time of opening.
    func attributes() async throws -> FileReaderAttributes {
        FileReaderAttributes(size: opened.size, validator: opened.tag)
    }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        let file = try openFile()
        let range = part.resolved(size: opened.size)
        let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: opened.size)
        let buffer = TransferBuffer(count: min(Self.piece, max(1, range.count)))
        try await BlockingThreads.shared.run { _ in try sink.begin(extent) }
        var offset = range.lowerBound
        while true {
            let start = offset
            offset = try await BlockingThreads.shared.run { [self] flag in
                try send(file, start..<range.upperBound, through: buffer, into: sink, flag)
            }
            if offset == range.upperBound { return extent }
            try await sink.waitUntilReady()
        }
    }

    /// Sends bytes until the sink has enough or `range` is done; returns the offset that it reached.
    private func send(
        _ file: FileDescriptor, _ range: Range<Int64>, through buffer: TransferBuffer, into sink: any ByteSink,
        _ flag: CancellationFlag
    ) throws -> Int64 {
        var offset = range.lowerBound
        var flow = FlowState.ready
        while offset < range.upperBound {
            try flag.check()
            if flow == .wait { return offset }
            let wanted = buffer.first(min(buffer.bytes.count, Int(range.upperBound - offset)))
            let count = try read(file, into: wanted, at: offset)
            try checkUnchanged(file)
            flow = try sink.write(UnsafeRawBufferPointer(rebasing: wanted[..<count]))
            offset += Int64(count)
        }
        return offset
    }

    /// Reads all ranges in one job on the disk's threads; bytes in the page cache cost no more than the copy.
    func read(_ ranges: [Range<Int64>]) async throws -> [Data] {
        let file = try openFile()
        let clamped = ranges.map { $0.clamped(to: 0..<opened.size) }
        guard clamped.reduce(0, { $0 + Int64($1.count) }) <= Self.memoryLimit else {
            throw FileError.make(.fileReadTooLarge, path: path, url: context.url)
        }
        return try await BlockingThreads.shared.run { [self] flag in
            let parts = try clamped.map { range in
                try flag.check()
                return try data(file, in: range)
            }
            try checkUnchanged(file)
            return parts
        }
    }

    private func data(_ file: FileDescriptor, in range: Range<Int64>) throws -> Data {
        var data = Data(count: range.count)
        try data.withUnsafeMutableBytes { bytes in
            var done = 0
            while done < bytes.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
                done += try read(file, into: rest, at: range.lowerBound + Int64(done))
            }
        }
        return data
    }

    /// Reads at least one byte: the range was in the file when it was opened.
    private func read(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws
        -> Int
    {
        let count = try file.read(into: buffer, at: offset, path: path)
        guard count > 0 else { throw context.changed }
        return count
    }

    /// Returns the open file as a source, readable from any thread.
    func writeSource() async throws -> any WriteSource {
        let file = try openFile()
        return LocalSource(length: opened.size) { offset in
            FileByteSource(file, from: offset, path: self.path) { try self.checkUnchanged(file) }
        }
    }

    private func checkUnchanged(_ file: FileDescriptor) throws {
        guard try ItemStatus(of: file, context).tag == opened.tag else { throw context.changed }
    }

    private func openFile() throws -> FileDescriptor {
        guard let file = file.value else {
            throw FileError.make(
                .fileReadUnknown, path: path, url: context.url, sentence: "“\(path)” is closed; open it again.",
                underlying: POSIXError(.EBADF))
        }
        return file
    }

    /// Closes the file once the reads under way are done.
    func close() async { file.update { $0 = nil } }
}

/// An open file as a source that can be read again.
private struct LocalSource: WriteSource {
    let length: Int64?
    let start: @Sendable (Int64) -> any ByteSource

    init(length: Int64, start: @escaping @Sendable (Int64) -> any ByteSource) {
        self.length = length
        self.start = start
    }

    var isRepeatable: Bool { true }

    func bytes(from offset: Int64) throws -> any ByteSource { start(offset) }
}

/// A buffer for bytes in transit, reused for each piece.
final class TransferBuffer: @unchecked Sendable {
    // Unchecked: one transfer owns it, and does one step at a time.
    let bytes: UnsafeMutableRawBufferPointer

    init(count: Int) {
        bytes = .allocate(byteCount: count, alignment: 16)
    }

    deinit {
        bytes.deallocate()
    }

    /// Returns the first `count` bytes.
    func first(_ count: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: bytes[..<count])
    }
}
