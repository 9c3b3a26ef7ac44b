import FileProviderCore
public import Foundation

/// A bucket, and where it is: a value without secrets, to be kept.
public struct S3Configuration: Codable, Hashable, Sendable {
    /// How a bucket stands in a URL.
    public enum Style: String, Codable, Hashable, Sendable {
        /// `https://host/bucket/key`.
        case path
        /// `https://bucket.host/key`.
        case host
    }

    /// As the service calls it.
    public var bucket: String
    /// Part of each signature; `us-east-1` where none is given, which most services other than AWS take.
    public var region: String
    /// `http` or `https`, without the bucket; nil for AWS.
    public var endpoint: URL?
    /// Nil chooses: ``Style/path`` at an endpoint that was given, and for a bucket of AWS whose name no certificate
    /// covers.
    public var style: Style?
    /// Whether the server honours `If-None-Match` and `If-Match` of a write. Without them what is there is looked at
    /// before.
    public var hasConditionalWrites = true
    /// Bytes of a part of an upload, 5 MiB to 5 GiB; more where a file would have more than 10,000 parts. What is no
    /// longer than one part goes up in one request.
    public var partSize = 5 << 20

    /// A bucket of AWS, unless there is an endpoint.
    public init(bucket: String, region: String = "us-east-1", endpoint: URL? = nil, style: Style? = nil) {
        self.bucket = bucket
        self.region = region
        self.endpoint = endpoint?.withoutSecrets
        self.style = style
    }

    /// Reads `settings`; see ``settingNames``.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)` naming the setting that has no such value; `URLError(.badURL)` for
    ///   an endpoint.
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

    /// `endpoint` (a URL), `region`, `style` (`path` or `host`), `conditional-writes` (`yes` or `no`) and `part-size`
    /// (bytes).
    public static let settingNames: Set<String> = ["endpoint", "region", "style", "conditional-writes", "part-size"]

    private static func refusal(_ name: String, _ values: String) -> CocoaError {
        FileError.make(.featureUnsupported, path: name, sentence: "The setting “\(name)” of S3 is \(values).")
    }

    /// The root of the bucket, with a slash at its end.
    ///
    /// - Throws: `URLError(.badURL)` for a name that no bucket can have.
    public func bucketURL() throws -> URL {
        let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        let isLegal =
            bucket.allSatisfy { letters.contains($0) || ".-_".contains($0) }
            && bucket.first.map(letters.contains) == true
        guard isLegal, bucket.count <= 255, var parts = URLComponents(url: serviceURL, resolvingAgainstBaseURL: true)
        else {
            throw FileError.make(
                .badURL, url: nil, sentence: "“\(bucket)” is no name of a bucket, as in s3://bucket/key.")
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
