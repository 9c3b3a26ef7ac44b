import FileProviderCore
import Foundation
import Synchronization

/// A file in memory, read as one at a distance is: each range is a request.
final class FuzzReader: FileReader {
    let path: ProviderPath
    let cost: Capabilities.ReadCost
    private let data: Data
    private let mimeType: String?
    private let closings = Mutex(0)

    init(_ data: Data, cost: Capabilities.ReadCost = .request, path: ProviderPath = .root, mimeType: String? = nil) {
        self.data = data
        self.cost = cost
        self.path = path
        self.mimeType = mimeType
    }

    /// Whether somebody gave it back.
    var isClosed: Bool { closings.withLock { $0 > 0 } }

    func attributes() async throws -> FileReaderAttributes {
        FileReaderAttributes(size: Int64(data.count), mimeType: mimeType)
    }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        precondition(!isClosed, "It is read after it was closed.")
        let range = part.resolved(size: Int64(data.count))
        let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: Int64(data.count))
        try sink.begin(extent)
        let bytes = data.dropFirst(Int(range.lowerBound)).prefix(range.count)
        if !bytes.isEmpty { try await sink.send(bytes) }
        return extent
    }

    func close() async { closings.withLock { $0 += 1 } }
}
