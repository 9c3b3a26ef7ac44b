import FTPFileProvider
import FileInformation
public import FileProviderCore
import Foundation
import HTTPFileProvider
import LocalFileProvider
import MemoryFileProvider
import S3FileProvider
import SFTPFileProvider
import WebDAVFileProvider

extension ProviderRegistry {
    /// Returns a registry with the built-in providers: `file`, `dav` and `davs`, `http` and `https`, `ftp`, `ftpes` and
    /// `ftps`, `sftp`, `s3`, and `mem` for experiments.
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)` if two built-in providers had the same scheme, which they do not.
    public static func withBuiltInProviders() throws -> ProviderRegistry {
        let registry = ProviderRegistry()
        try registry.registerBuiltInProviders()
        return registry
    }

    /// Enters the built-in providers, and the built-in generators into `FileInformationGenerators.shared`.
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)` if one of their schemes is taken.
    public func registerBuiltInProviders() throws {
        for registration in [
            LocalFileProvider.registration, WebDAVFileProvider.registration, Self.web, FTPFileProvider.registration,
            SFTPFileProvider.registration, S3FileProvider.registration, MemoryFileProvider.registration,
        ] {
            try register(registration)
        }
        FileInformationGenerators.shared.registerBuiltInGenerators()
    }

    /// Replaces `WebFileProvider.registration` for its schemes: connects with WebDAV if the server's `OPTIONS` answer
    /// offers it (RFC 4918, section 10.1), else for plain reading.
    private static let web = ProviderRegistration(
        type: WebFileProvider.type, schemes: WebFileProvider.registration.schemes, settings: WebDAVFileProvider.settings
    ) { url, options in
        let connection = try HTTPConnection(url: url.serverRoot, options: options)
        let path = try ProviderPath(percentEncoded: url.path(percentEncoded: true))
        let speaksWebDAV = try await connection.speaksWebDAV(at: path)
        let provider: any FileProvider =
            speaksWebDAV
            ? try WebDAVFileProvider(connection: connection, home: path)
            : WebFileProvider(service: WebService(), connection: connection)
        return ProviderLocation(provider: provider, path: path)
    }
}
