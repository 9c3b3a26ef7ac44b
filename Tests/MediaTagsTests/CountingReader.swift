import FileProviderCore
import Foundation
import SampleBooks
import Synchronization

/// A file of any size, which counts what is asked of it.
final class CountingReader: FileReader {
    let path = ProviderPath.root
    let cost: Capabilities.ReadCost
    private let content: SparseData
    private let asked = Mutex<[Range<Int64>]>([])

    init(_ content: SparseData, cost: Capabilities.ReadCost = .request) {
        self.content = content
        self.cost = cost
    }

    convenience init(_ data: Data, cost: Capabilities.ReadCost = .request) { self.init(SparseData(data), cost: cost) }

    /// The ranges asked for, in order.
    var requests: [Range<Int64>] { asked.withLock { $0 } }

    /// Bytes asked for.
    var bytes: Int64 { requests.reduce(0) { $0 + Int64($1.count) } }

    func attributes() async throws -> FileReaderAttributes { FileReaderAttributes(size: content.count) }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        let range = part.resolved(size: content.count)
        asked.withLock { $0.append(range) }
        let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: content.count)
        try sink.begin(extent)
        if !range.isEmpty { try await sink.send(content.bytes(range)) }
        return extent
    }
}
