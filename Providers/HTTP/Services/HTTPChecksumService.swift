public import FileProviderCore

/// A service whose server computes or keeps hashes of files; its provider is a `FileProviderChecksums`.
public protocol HTTPChecksumService: HTTPService {
    /// The hash of the whole file, in hexadecimal digits of either case.
    ///
    /// - Parameters:
    ///   - item: A file, as ``HTTPService/attributesOfItem(path:over:)`` has just given it: with its hash, perhaps,
    ///     under a `FileObjectKey` of the service's own.
    ///   - kind: One of `Capabilities.hashKinds`; the provider refuses others.
    /// - Throws: `CocoaError(.featureUnsupported)` where the server has none of this file.
    func checksum(of item: FileObject, kind: String, over connection: HTTPConnection) async throws -> String
}
