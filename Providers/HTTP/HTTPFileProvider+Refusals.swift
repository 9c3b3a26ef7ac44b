import FileProviderCore
import Foundation

/// Refusals that a service need not make itself.
extension HTTPFileProvider {
    /// - Throws: `CocoaError(.featureUnsupported)` when the service has not said that it has `ability`.
    func need(_ ability: Capabilities.Ability, for operation: String, path: ProviderPath) async throws {
        if try await capabilities().has(ability) { return }
        throw unsupported(operation, path: path)
    }

    /// - Parameter operation: As it follows “cannot”.
    func unsupported(_ operation: String, path: ProviderPath) -> CocoaError {
        FileError.unsupported(operation, by: Service.type, path: path, url: url(of: path))
    }

    /// - Parameter isWriting: Whether the operation changes something: Foundation has a separate error code for that.
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`, or `CocoaError(.fileNoSuchFile)` for a change, if the service cannot
    ///   hold the name: it would be asked for another.
    func refuseUnheldName(_ path: ProviderPath, isWriting: Bool = false) async throws {
        if path.isUTF8 { return }
        if try await capabilities().has(.rawNames) { return }
        throw FileError.make(isWriting ? .fileNoSuchFile : .fileReadNoSuchFile, path: path, url: url(of: path))
    }

    /// The item at `path` now.
    func look(at path: ProviderPath) async throws -> FileObject {
        try await refuseUnheldName(path)
        return try await connection.reading(Service.self, path: path) {
            try await service.attributesOfItem(path: path, over: connection)
        }
    }

    /// - Throws: `CocoaError(.fileWriteInvalidFileName)` for a new name that the service cannot hold.
    func refuseName(_ path: ProviderPath) async throws {
        let capabilities = try await capabilities()
        if !path.isUTF8, !capabilities.has(.rawNames) {
            throw FileError.make(
                .fileWriteInvalidFileName, path: path, url: url(of: path),
                sentence: "The name of “\(path)” is not UTF-8, which \(Service.type) cannot store.")
        }
        if let maxLength = capabilities.longestName, path.nameBytes.count > maxLength {
            throw FileError.make(errno: ENAMETOOLONG, path: path, url: url(of: path), writing: true)
        }
    }

    /// - Throws: `CocoaError(.featureUnsupported)` for a write of a kind that the service has not said it can do;
    ///   `CocoaError(.fileWriteInvalidFileName)`.
    func refuseWrite(_ path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws {
        try await need(.writing, for: "write", path: path)
        try await refuseName(path)
        let capabilities = try await capabilities()
        if source.length == nil, !capabilities.has(.streamedWriting) {
            throw unsupported("write from a source of unknown length", path: path)
        }
        if options.ifMatch != nil, !capabilities.has(.conditionalWriting) {
            throw unsupported("write under a condition", path: path)
        }
    }
}

extension ProviderPath {
    fileprivate var isUTF8: Bool { String(validating: bytes, as: UTF8.self) != nil }
}

extension Error {
    /// Whether a server has said no to a request, or sent something that was not asked for: it may have been about an
    /// item of another kind.
    var isRefusal: Bool {
        if isNoSuchFile || (self as? URLError)?.code == .badServerResponse { return true }
        let status = (self as? any FileProviderHTTPError)?.code.rawValue ?? 0
        return (400..<500).contains(status) && !isTransient
    }
}
