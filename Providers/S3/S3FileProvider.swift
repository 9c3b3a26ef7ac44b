public import FileProviderCore
import Foundation
public import HTTPFileProvider

/// A provider of a bucket on S3, or on a server that speaks its protocol: objects as files in folders.
public typealias S3FileProvider = HTTPFileProvider<S3Service>

extension HTTPFileProvider where Service == S3Service {
    /// Creates a provider for a bucket. Sends nothing.
    ///
    /// - Parameter options: The user of their credential is the access key, the password the secret key; a session token
    ///   follows that after a space. Without a credential, requests are not signed.
    /// - Throws: `URLError(.badURL)` for an invalid bucket name or endpoint.
    public convenience init(configuration: S3Configuration, options: ConnectionOptions = ConnectionOptions()) throws {
        let service = try S3Service(configuration: configuration)
        try self.init(service: service, url: service.bucketURL, options: options)
    }

    /// The scheme `s3`, as in `s3://bucket/key`; its settings are ``S3Configuration/settingNames``. The provider's root
    /// is the bucket's.
    public static var registration: ProviderRegistration {
        ProviderRegistration(type: type, schemes: ["s3"], settings: S3Configuration.settingNames) { url, options in
            let path = try ProviderPath(percentEncoded: url.path(percentEncoded: true))
            let service = try S3Service(
                configuration: S3Configuration(
                    bucket: url.host(percentEncoded: false) ?? "", settings: options.settings))
            var parts = URLComponents(url: service.bucketURL, resolvingAgainstBaseURL: true)
            let given = URLComponents(url: url, resolvingAgainstBaseURL: true)
            parts?.percentEncodedUser = given?.percentEncodedUser
            parts?.percentEncodedPassword = given?.percentEncodedPassword
            let provider = try S3FileProvider(service: service, url: parts?.url ?? service.bucketURL, options: options)
            return ProviderLocation(provider: provider, path: path)
        }
    }
}
