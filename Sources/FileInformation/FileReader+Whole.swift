import FileProviderCore
import Foundation

extension FileReader {
    /// Returns the whole file in memory.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` over `limit` bytes.
    func readAll(limit: Int) async throws -> Data {
        let size = try await attributes().size
        guard size <= Int64(limit) else { throw tooLarge("it has \(size) bytes; at most \(limit) can be read") }
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
