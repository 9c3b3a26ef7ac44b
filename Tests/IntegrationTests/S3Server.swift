import FileProviderCore
import Foundation
import HTTPFileProvider
import S3FileProvider

extension TestServers {
    /// The S3 server of this run; nil where there is none.
    static let s3 = S3Server()
}

/// An S3 server with an empty bucket and a user, as `servers.sh env` names them.
struct S3Server: Sendable {
    let endpoint: URL
    let bucket: String
    let credential: Credential

    init?() {
        let environment = ProcessInfo.processInfo.environment
        guard let url = environment["CARREL_TEST_S3_URL"].flatMap({ URL(string: $0) }),
            let key = environment["CARREL_TEST_S3_KEY"],
            let secret = environment["CARREL_TEST_S3_SECRET"], let bucket = environment["CARREL_TEST_S3_BUCKET"]
        else { return nil }
        endpoint = url
        self.bucket = bucket
        credential = .password(user: key, password: secret)
    }

    func provider(
        partSize: Int? = nil, credential: Credential? = nil, bucket: String? = nil,
        counters: TransferCounters = TransferCounters()
    ) throws -> S3FileProvider {
        var configuration = S3Configuration(bucket: bucket ?? self.bucket, endpoint: endpoint)
        if let partSize { configuration.partSize = partSize }
        let options = ConnectionOptions(
            credentials: FixedCredential(credential ?? self.credential), timeouts: Timeouts(connect: 5, idle: 20),
            retries: RetryPolicy(retries: 1, firstPause: 0.02), counters: counters)
        return try S3FileProvider(configuration: configuration, options: options)
    }

    /// A new folder for one test, removed at its end.
    func withFolder<Value>(
        _ provider: S3FileProvider? = nil, _ body: (S3FileProvider, ProviderPath) async throws -> Value
    ) async throws -> Value {
        let provider = try provider ?? self.provider()
        return try await TestServers.withFolder(of: provider, removedBy: { provider }) { folder in
            try await body(provider, folder)
        }
    }
}
