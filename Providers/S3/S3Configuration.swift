import FileProviderCore
public import Foundation

/// A bucket and its address. Holds no secrets, and is meant to be saved.
public struct S3Configuration: Codable, Hashable, Sendable {
    /// The place of the bucket's name in a URL.
    public enum Style: String, Codable, Hashable, Sendable {
        /// `https://host/bucket/key`.
        case path
        /// `https://bucket.host/key`.
        case host
    }

    /// The bucket's name.
    public var bucket: String
    /// The region, which is part of each signature. The default, `us-east-1`, works with most services other than AWS.
    public var region: String
    /// The URL of the service, `http` or `https`, without the bucket; nil for AWS.
    public var endpoint: URL?
    /// The place of the bucket's name. Nil chooses ``Style/path`` for a given endpoint, and for an AWS bucket whose name no
    /// certificate covers.
    public var style: Style?
    /// Whether the server honours `If-None-Match` and `If-Match` of a write. If not, the provider looks at the existing
    /// object before a write.
    public var hasConditionalWrites = true
    /// Bytes of a part of an upload, 5 MiB to 5 GiB. Parts are larger if a file would have more than 10,000 of them. A file
    /// that is no longer than one part goes up in one request.
    public var partSize = 5 << 20

    /// Creates a configuration: of an AWS bucket, unless there is an endpoint.
    public init(bucket: String, region: String = "us-east-1", endpoint: URL? = nil, style: Style? = nil) {
        self.bucket = bucket
        self.region = region
        self.endpoint = endpoint?.withoutSecrets
        self.style = style
    }

    /// Creates a configuration from `settings`; see ``settingNames``.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)` naming the setting with an invalid value; `URLError(.badURL)` for an
    ///   invalid endpoint.
    public init(bucket: String, settings: [String: String]) throws {
        self.init(bucket: bucket, region: settings["region"].flatMap { $0.isEmpty ? nil : $0 } ?? "us-east-1")
        if let text = settings["endpoint"] {
            guard let url = URL(string: text), let host = url.host(), !host.isEmpty,
                ["http", "https"].contains(url.scheme)
            else {
                throw FileError.make(
                    .badURL, url: nil, sentence: "The endpoint of an S3 service is a URL such as https://host:9000.")
            }
            endpoint = url.withoutSecrets
        }
        if let text = settings["style"] {
            guard let style = Style(rawValue: text) else { throw Self.refusal("style", "“path” or “host”") }
            self.style = style
        }
        if let text = settings["conditional-writes"] {
            guard ["yes", "no"].contains(text) else { throw Self.refusal("conditional-writes", "“yes” or “no”") }
            hasConditionalWrites = text == "yes"
        }
        if let text = settings["part-size"] {
            guard let size = Int(text), (5 << 20...5 << 30).contains(size) else {
                throw Self.refusal("part-size", "a number of bytes from 5242880 to 5368709120")
            }
            partSize = size
        }
    }

    /// The names of the settings: `endpoint` (a URL), `region`, `style` (`path` or `host`), `conditional-writes` (`yes` or `no`) and `part-size`
    /// (bytes).
    public static let settingNames: Set<String> = ["endpoint", "region", "style", "conditional-writes", "part-size"]

    private static func refusal(_ name: String, _ values: String) -> CocoaError {
        FileError.make(.featureUnsupported, path: name, sentence: "The setting “\(name)” of S3 must be \(values).")
    }

    /// Returns the URL of the bucket's root, with a slash at its end.
    ///
    /// - Throws: `URLError(.badURL)` for an invalid bucket name.
    public func bucketURL() throws -> URL {
        let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        let isLegal =
            bucket.allSatisfy { letters.contains($0) || ".-_".contains($0) }
            && bucket.first.map(letters.contains) == true
        guard isLegal, bucket.count <= 255, var parts = URLComponents(url: serviceURL, resolvingAgainstBaseURL: true)
        else {
            throw FileError.make(
                .badURL, url: nil, sentence: "“\(bucket)” is not the name of a bucket, as in s3://bucket/key.")
        }
        // A wildcard certificate covers one label, and host names know neither capitals nor underscores.
        let isLabel = bucket.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }
        let chosen = style ?? (endpoint == nil && isLabel ? .host : .path)
        let path = parts.percentEncodedPath.split(separator: "/").map { "/" + $0 }.joined()
        switch chosen {
        case .path: parts.percentEncodedPath = "\(path)/\(bucket)/"
        case .host:
            parts.percentEncodedHost = parts.percentEncodedHost.map { "\(bucket).\($0)" }
            parts.percentEncodedPath = path + "/"
        }
        // Never nil: all parts were checked.
        return parts.url ?? serviceURL
    }

    private var serviceURL: URL {
        if let endpoint { return endpoint }
        let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        let name = region.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        // Never nil: nothing else is left in the name.
        return URL(string: "https://s3.\(name).\(domain)") ?? URL(fileURLWithPath: "/")
    }
}
