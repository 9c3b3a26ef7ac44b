import Cryptography
import CurlTransport
import FileProviderCore
import Foundation

/// One signature of AWS Signature Version 4, made of a key, a region and a moment.
///
/// Source: Amazon S3 API Reference, “Authenticating Requests (AWS Signature Version 4)”.
struct S3Signature {
    let accessKey: String
    let secretKey: String
    let sessionToken: String?
    let region: String
    let date: Date

    /// - Parameter credential: The user is the access key, the password the secret key; a session token follows it
    ///   after a space.
    init(_ credential: Credential, region: String, date: Date) throws {
        guard case .password(let user, let password) = credential.kind else {
            throw FileError.make(
                .userAuthenticationRequired, url: nil,
                sentence: "S3 needs an access key and a secret key. A bearer token does not work.")
        }
        let words = password.split(separator: " ", maxSplits: 1)
        accessKey = user
        secretKey = words.first.map(String.init) ?? ""
        sessionToken = words.count > 1 ? String(words[1]) : nil
        self.region = region
        self.date = date
    }

    /// The placeholder for the digest of a body that is not signed.
    static let unsigned = "UNSIGNED-PAYLOAD"

    /// The SHA-256 of `data`, in hexadecimal.
    static func digest(_ data: Data) -> String { Digest(.sha256, of: data).hexadecimal }

    /// Headers that proxies and libcurl change on the way; all others are signed.
    private static let unsignedHeaders: Set<String> = [
        "accept-encoding", "connection", "expect", "transfer-encoding", "user-agent",
    ]

    /// Adds `x-amz-date`, `x-amz-security-token` and `Authorization`.
    ///
    /// - Parameter digest: Of the body; it is added as `x-amz-content-sha256` unless that is there.
    func sign(_ request: inout TransferRequest, digest: String) {
        var headers = request.headers
        headers.append(("x-amz-date", timestamp))
        if !headers.contains(where: { $0.name.lowercased() == "x-amz-content-sha256" }) {
            headers.append(("x-amz-content-sha256", digest))
        }
        if let sessionToken { headers.append(("x-amz-security-token", sessionToken)) }
        let signed = Self.canonical(headers + [("host", Self.host(of: request.url))])
        let names = signed.map(\.name).joined(separator: ";")
        let canonical = canonicalRequest(
            request.method, url: request.url, query: Self.pairs(of: request.url), headers: signed, digest: digest)
        headers.append(
            (
                "Authorization",
                "AWS4-HMAC-SHA256 Credential=\(accessKey)/\(scope),SignedHeaders=\(names),Signature=\(signature(of: canonical))"
            ))
        request.headers = headers
    }

    /// Returns `url` with a signature in its query, which lets anyone `GET` it.
    ///
    /// - Parameter seconds: From ``date`` on; a week at most.
    func presigned(_ url: URL, seconds: Int) -> URL {
        var pairs = Self.pairs(of: url)
        pairs += [
            ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"),
            ("X-Amz-Credential", S3Encoding.percentEncoded("\(accessKey)/\(scope)".utf8)),
            ("X-Amz-Date", timestamp), ("X-Amz-Expires", "\(seconds)"), ("X-Amz-SignedHeaders", "host"),
        ]
        if let sessionToken { pairs.append(("X-Amz-Security-Token", S3Encoding.percentEncoded(sessionToken.utf8))) }
        let canonical = canonicalRequest(
            "GET", url: url, query: pairs, headers: [("host", Self.host(of: url))], digest: Self.unsigned)
        pairs.append(("X-Amz-Signature", signature(of: canonical)))
        let base = url.absoluteString.prefix { $0 != "?" }
        // Never nil: the base is a URL, and all that is added is unreserved or percent-encoded.
        return URL(string: base + "?" + pairs.map { "\($0.name)=\($0.value)" }.joined(separator: "&")) ?? url
    }

    // MARK: The steps

    private func canonicalRequest(
        _ method: String, url: URL, query: [(name: String, value: String)], headers: [(name: String, value: String)],
        digest: String
    ) -> String {
        let path = S3Encoding.percentEncoded(S3Encoding.decoded(url.path(percentEncoded: true)), keepsSlashes: true)
        let sorted = query.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
        return """
            \(method)
            \(path.isEmpty ? "/" : path)
            \(sorted.map { "\($0.name)=\($0.value)" }.joined(separator: "&"))
            \(headers.map { "\($0.name):\($0.value)\n" }.joined())
            \(headers.map(\.name).joined(separator: ";"))
            \(digest)
            """
    }

    private func signature(of canonicalRequest: String) -> String {
        let text = "AWS4-HMAC-SHA256\n\(timestamp)\n\(scope)\n\(Self.digest(Data(canonicalRequest.utf8)))"
        var key = Array("AWS4\(secretKey)".utf8)
        for step in [String(timestamp.prefix(8)), region, "s3", "aws4_request"] {
            key = HMAC.code(of: Array(step.utf8), key: key, .sha256).bytes
        }
        return HMAC.code(of: Array(text.utf8), key: key, .sha256).hexadecimal
    }

    private var scope: String { "\(timestamp.prefix(8))/\(region)/s3/aws4_request" }

    /// `20130524T000000Z`.
    private var timestamp: String {
        var seconds = time_t(date.timeIntervalSince1970)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func twoDigits(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
        let day = "\(parts.tm_year + 1900)\(twoDigits(parts.tm_mon + 1))\(twoDigits(parts.tm_mday))"
        return "\(day)T\(twoDigits(parts.tm_hour))\(twoDigits(parts.tm_min))\(twoDigits(parts.tm_sec))Z"
    }

    /// As libcurl writes it: with the port unless it is the scheme's own.
    private static func host(of url: URL) -> String {
        let host = url.host(percentEncoded: true) ?? ""
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        let usual = url.scheme?.lowercased() == "https" ? 443 : 80
        return url.port.flatMap { $0 == usual ? nil : "\(name):\($0)" } ?? name
    }

    /// Names and values of the query, decoded and encoded again.
    private static func pairs(of url: URL) -> [(name: String, value: String)] {
        (url.query(percentEncoded: true) ?? "").split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { S3Encoding.percentEncoded(S3Encoding.decoded($0)) }
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
    }

    /// In lower case and sorted; white space is folded, and values of one name are joined.
    private static func canonical(_ headers: [(name: String, value: String)]) -> [(name: String, value: String)] {
        var values: [String: [String]] = [:]
        for (name, value) in headers where !unsignedHeaders.contains(name.lowercased()) {
            let folded = value.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
            values[name.lowercased(), default: []].append(folded)
        }
        return values.sorted { $0.key < $1.key }.map { ($0.key, $0.value.joined(separator: ",")) }
    }
}
