import FileProviderCore
import Foundation
import SampleBooks
import Synchronization

/// A file on a server, of any size: it counts requests, also one for the size that comes before any read.
final class SoundReader: FileReader {
    let path: ProviderPath
    let cost = Capabilities.ReadCost.request
    private let content: SparseData
    private let asked = Mutex<[Range<Int64>]>([])

    init(_ content: SparseData, name: String) throws {
        self.content = content
        path = try ProviderPath(name)
    }

    /// The ranges asked for, in order.
    var requests: [Range<Int64>] { asked.withLock { $0 } }

    var bytes: Int64 { requests.reduce(0) { $0 + Int64($1.count) } }

    func attributes() async throws -> FileReaderAttributes {
        asked.withLock { if $0.isEmpty { $0.append(0..<1) } }
        return FileReaderAttributes(size: content.count)
    }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        let range = part.resolved(size: content.count)
        asked.withLock { $0.append(range) }
        let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: content.count)
        try sink.begin(extent)
        if !range.isEmpty { try await sink.send(content.bytes(range)) }
        return extent
    }
}
