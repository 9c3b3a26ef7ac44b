import FileProviderCore
import Foundation

/// One version of a file in memory.
final class MemoryReader: FileReader {
    let path: ProviderPath
    let cost = Capabilities.ReadCost.local
    private let size: Int64
    private let validator: String?
    private let bytes: LockedValue<MemoryBytes?>

    init(_ bytes: MemoryBytes, validator: String?, path: ProviderPath) {
        self.bytes = LockedValue(bytes)
        size = bytes.size
        self.validator = validator
        self.path = path
    }

    func attributes() async throws -> FileReaderAttributes { FileReaderAttributes(size: size, validator: validator) }

    /// Sends from the disks' threads, because a sink may block on one.
    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        let bytes = try openBytes()
        let range = part.resolved(size: size)
        let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: size)
        try await BlockingThreads.shared.run { _ in try sink.begin(extent) }
        var offset = range.lowerBound
        while true {
            let start = offset
            offset = try await BlockingThreads.shared.run { flag in
                try Self.send(bytes, start..<range.upperBound, into: sink, flag)
            }
            if offset == range.upperBound { return extent }
            try await sink.waitUntilReady()
        }
    }

    /// Sends bytes until the sink has enough or `range` is done; returns the offset that it reached.
    private static func send(
        _ bytes: MemoryBytes, _ range: Range<Int64>, into sink: any ByteSink, _ flag: CancellationFlag
    ) throws -> Int64 {
        var offset = range.lowerBound
        while offset < range.upperBound {
            try flag.check()
            let run = bytes.run(at: offset, limit: Int(range.upperBound - offset))
            offset += Int64(run.count)
            if try run.withUnsafeBytes({ try sink.write($0) }) == .wait { return offset }
        }
        return offset
    }

    func read(_ ranges: [Range<Int64>]) async throws -> [Data] {
        let bytes = try openBytes()
        let clamped = ranges.map { $0.clamped(to: 0..<size) }
        guard clamped.reduce(0, { $0 + Int64($1.count) }) <= Self.memoryLimit else {
            throw FileError.make(.fileReadTooLarge, path: path)
        }
        return clamped.map { range in
            var data = Data()
            while data.count < range.count {
                data += bytes.run(at: range.lowerBound + Int64(data.count), limit: range.count - data.count)
            }
            return data
        }
    }

    private func openBytes() throws -> MemoryBytes {
        guard let bytes = bytes.value else { throw FileError.closed(path) }
        return bytes
    }

    /// Releases the bytes once the reads under way are done.
    func close() async { bytes.update { $0 = nil } }
}
