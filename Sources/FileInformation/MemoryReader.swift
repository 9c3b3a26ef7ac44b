import FileProviderCore
import Foundation

/// Bytes in memory as a file: a cover that was taken out of a book.
final class MemoryReader: FileReader {
    let path: ProviderPath
    let cost = Capabilities.ReadCost.local
    private let data: Data

    /// - Parameter path: For messages.
    init(_ data: Data, path: ProviderPath) {
        self.data = data
        self.path = path
    }

    func attributes() async throws -> FileReaderAttributes { FileReaderAttributes(size: Int64(data.count)) }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        let range = part.resolved(size: Int64(data.count))
        let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: Int64(data.count))
        try sink.begin(extent)
        try await sink.send(data.dropFirst(Int(range.lowerBound)).prefix(range.count))
        return extent
    }
}

extension FileReader {
    /// The whole file in memory.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` over `limit` bytes.
    func readAll(limit: Int) async throws -> Data {
        let size = try await attributes().size
        guard size <= Int64(limit) else { throw tooLarge("it has \(size) bytes; at most \(limit) are read") }
        let sink = DataSink(limit: limit)
        _ = try await stream(.whole, into: sink)
        return sink.data
    }

    func damaged(_ why: String) -> CocoaError {
        FileError.make(.fileReadCorruptFile, path: path, sentence: "“\(path)” is damaged: \(why).")
    }

    func tooLarge(_ why: String) -> CocoaError {
        FileError.make(.fileReadTooLarge, path: path, sentence: "“\(path)” is too large: \(why).")
    }
}
