import FileInformation
import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks

extension CountingReader {
    /// A file called `name`.
    convenience init(
        _ data: Data, _ name: String, mimeType: String? = nil, hold: (@Sendable () async throws -> Void)? = nil
    ) throws {
        try self.init(SparseData(data), name: name, mimeType: mimeType, hold: hold)
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
