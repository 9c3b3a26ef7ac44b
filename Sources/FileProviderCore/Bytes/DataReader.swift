package import Foundation

/// Bytes in memory as a file, for what has no provider, or was taken out of another file.
package final class DataReader: FileReader {
    package let path: ProviderPath
    package let cost = Capabilities.ReadCost.local
    private let data: Data

    /// - Parameter path: For messages.
    package init(_ data: Data, path: ProviderPath = .root) {
        self.data = data
        self.path = path
    }

    package func attributes() async throws -> FileReaderAttributes { FileReaderAttributes(size: Int64(data.count)) }

    package func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        let range = part.resolved(size: Int64(data.count))
        let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: Int64(data.count))
        try sink.begin(extent)
        let bytes = data.dropFirst(Int(range.lowerBound)).prefix(range.count)
        if !bytes.isEmpty { try await sink.send(bytes) }
        return extent
    }
}
