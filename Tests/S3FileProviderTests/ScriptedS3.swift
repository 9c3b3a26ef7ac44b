import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider

@testable import S3FileProvider

/// A server that says what a test wants, and the provider that talks to it.
struct ScriptedS3 {
    let server: FaultServer
    let provider: S3FileProvider

    init(
        retries: Int = 1, partSize: Int = 5 << 20, copyLimit: Int64? = nil,
        _ answer: @escaping @Sendable (FaultServer.Request) -> FaultServer.Answer
    ) throws {
        server = try FaultServer(answer)
        var configuration = S3Configuration(bucket: "bucket", endpoint: server.url())
        configuration.partSize = partSize
        var service = try S3Service(configuration: configuration)
        if let copyLimit { service.copyLimit = copyLimit }
        let options = ConnectionOptions(
            credentials: FixedCredential(.password(user: "AKID", password: "hush-hush")),
            timeouts: Timeouts(connect: 5, idle: 5),
            retries: RetryPolicy(retries: retries, firstPause: 0.01))
        provider = try S3FileProvider(service: service, url: service.bucketURL, options: options)
    }

    /// Method and target of each request so far.
    var lines: [String] { server.requests.map { "\($0.method) \($0.target)" } }

    /// The keys that were to be removed, each on a line.
    var removals: String {
        server.requests.compactMap { request in
            switch request.method {
            case "DELETE": request.target.replacing("/bucket/", with: "")
            case "POST" where request.target.contains("?delete"):
                String(decoding: request.body, as: UTF8.self).replacing("</Key>", with: "\n").replacing(
                    "<Key>", with: "\n")
            default: nil
            }
        }.joined(separator: "\n")
    }

    func stop() {
        provider.invalidate()
        server.stop()
    }
}

extension FaultServer.Answer {
    /// An error document.
    static func error(_ status: Int, _ code: String, more: String = "", headers: [String: String] = [:])
        -> FaultServer.Answer
    {
        .reply(
            status, headers: headers,
            body: Data(
                "<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>Words about it.</Message>\(more)</Error>"
                    .utf8))
    }

    static func xml(_ text: String) -> FaultServer.Answer {
        .reply(
            200, headers: ["Content-Type": "application/xml"],
            body: Data(("<?xml version=\"1.0\" encoding=\"UTF-8\"?>" + text).utf8))
    }

    /// A listing of these keys, each of 10 bytes.
    static func listing(_ keys: [String], prefixes: [String] = [], more: String = "<IsTruncated>false</IsTruncated>")
        -> FaultServer.Answer
    {
        let folders = prefixes.map { "<CommonPrefixes><Prefix>\($0)</Prefix></CommonPrefixes>" }.joined()
        return versions(keys.map { ($0, "e") }, more: more + folders)
    }

    /// A listing of these keys and tags, each of 10 bytes.
    static func versions(_ objects: [(key: String, tag: String)], more: String = "") -> FaultServer.Answer {
        let contents = objects.map {
            "<Contents><Key>\($0.key)</Key><Size>10</Size><ETag>&quot;\($0.tag)&quot;</ETag></Contents>"
        }
        return .xml(
            "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\(more)\(contents.joined())</ListBucketResult>"
        )
    }
}
