package import FileProviderCore
package import Foundation
package import SampleBooks
import Synchronization

/// A file of any size, as on a server. It counts requests, among them one for the size that comes before any read.
package final class SparseFile: FileReader {
    package let path: ProviderPath
    package let cost: Capabilities.ReadCost
    private let content: SparseData
    private let asked = Mutex<[Range<Int64>]>([])

    package init(_ content: SparseData, at path: ProviderPath = .root, cost: Capabilities.ReadCost = .request) {
        self.content = content
        self.path = path
        self.cost = cost
    }

    package convenience init(_ data: Data, at path: ProviderPath = .root, cost: Capabilities.ReadCost = .request) {
        self.init(SparseData(data), at: path, cost: cost)
    }

    /// The ranges asked for, in order.
    package var requests: [Range<Int64>] { asked.withLock { $0 } }

    /// Bytes asked for.
    package var bytes: Int64 { requests.reduce(0) { $0 + Int64($1.count) } }

    package func attributes() async throws -> FileReaderAttributes {
        asked.withLock { if $0.isEmpty { $0.append(0..<1) } }
        return FileReaderAttributes(size: content.count)
    }

    package func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        let range = part.resolved(size: content.count)
        asked.withLock { $0.append(range) }
        let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: content.count)
        try sink.begin(extent)
        if !range.isEmpty { try await sink.send(content.bytes(range)) }
        return extent
    }
}
