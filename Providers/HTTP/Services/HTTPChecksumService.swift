public import FileProviderCore

/// A service whose server computes or keeps hashes of files; its provider is a `FileProviderChecksums`.
public protocol HTTPChecksumService: HTTPService {
    /// Returns the hash of the whole file, in hexadecimal digits of either case.
    ///
    /// - Parameters:
    ///   - item: A file, as ``HTTPService/attributesOfItem(path:over:)`` has just returned it. It may already have the
    ///     hash, under a `FileObjectKey` of the service.
    ///   - kind: One of `Capabilities.hashKinds`; the provider refuses others.
    /// - Throws: `CocoaError(.featureUnsupported)` if the server has none for this file.
    func checksum(of item: FileObject, kind: String, over connection: HTTPConnection) async throws -> String
}
