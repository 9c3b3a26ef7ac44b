import FileInformation
import FileProviderCore
import Foundation
import Synchronization

/// A file in memory that costs a request for each range, and counts the bytes that it gives.
final class CountingReader: FileReader {
    let path: ProviderPath
    let cost = Capabilities.ReadCost.request
    private let data: Data
    private let mimeType: String?
    private let counts = Mutex((bytes: 0, requests: 0))
    /// Waited for at each read but the first.
    private let hold: (@Sendable () async throws -> Void)?

    init(_ data: Data, _ name: String, mimeType: String? = nil, hold: (@Sendable () async throws -> Void)? = nil) throws {
        self.data = data
        self.mimeType = mimeType
        self.hold = hold
        path = try ProviderPath(name)
    }

    var bytes: Int { counts.withLock { $0.bytes } }
    var requests: Int { counts.withLock { $0.requests } }

    func attributes() async throws -> FileReaderAttributes { FileReaderAttributes(size: Int64(data.count), mimeType: mimeType) }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        let range = part.resolved(size: Int64(data.count))
        let isFirst = counts.withLock { counts in
            counts = (counts.bytes + range.count, counts.requests + 1)
            return counts.requests == 1
        }
        if !isFirst { try await hold?() }
        let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: Int64(data.count))
        try sink.begin(extent)
        _ = try data[Int(range.lowerBound)..<Int(range.upperBound)].withUnsafeBytes { try sink.write($0) }
        return extent
    }
}

/// The generators under test, for one reader.
extension FileReader {
    func properties(_ generators: FileInformationGenerators = .withBuiltInGenerators()) async throws -> FileProperties {
        guard let read = generators.forProperties(of: path)?.properties else { throw CocoaError(.featureUnsupported) }
        return try await read(self)
    }

    func thumbnail(
        _ dimension: Int = 256, page: Int = 1, _ generators: FileInformationGenerators = .withBuiltInGenerators()
    ) async throws -> Thumbnail {
        guard let make = generators.forThumbnail(of: path)?.thumbnail else { throw CocoaError(.featureUnsupported) }
        return try await make(self, ThumbnailRequest(dimension: dimension, page: page))
    }
}

/// The file error that `body` ends with.
func fileError<Value>(_ body: () async throws -> Value) async -> CocoaError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? CocoaError)?.code ?? CocoaError.Code(rawValue: -1)
    }
}
