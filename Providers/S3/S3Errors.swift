import CurlTransport
public import FileProviderCore
public import Foundation
import HTTPFileProvider
import SafeXML

/// An error as S3 writes it. Source: Amazon S3 API Reference, “Error Responses”.
struct S3ErrorDocument {
    let code: String
    let message: String?
    /// The region of the bucket, or the one to sign for.
    let region: String?
    let endpoint: String?

    /// Returns nil if `data` is not such a document.
    init?(_ data: Data) {
        guard !data.isEmpty, let root = try? XMLElement.parse(data, limits: XMLLimits(bytes: 1 << 16, depth: 8)) else {
            return nil
        }
        self.init(root)
    }

    init?(_ root: XMLElement) {
        guard root.name == "Error", let code = root.first("Code")?.text, !code.isEmpty else { return nil }
        self.code = code
        message = root.first("Message")?.text
        region = root.first("Region")?.text
        endpoint = root.first("Endpoint")?.text
    }

    /// The status that says in HTTP what the code says; nil for that of the answer.
    var status: Int? {
        switch code {
        case "NoSuchKey", "NoSuchBucket", "NoSuchUpload", "NoSuchVersion": 404
        case "AccessDenied", "AllAccessDisabled", "InvalidObjectState", "RequestTimeTooSkewed": 403
        case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken", "InvalidSecurity": 401
        case "AuthorizationHeaderMalformed", "PermanentRedirect": 301
        case "PreconditionFailed": 412
        case "RequestTimeout": 408
        // Nothing was done, and a later try may succeed.
        case "SlowDown", "ServiceUnavailable", "Throttling", "ConditionalRequestConflict", "OperationAborted": 503
        default: nil
        }
    }

    /// A sentence for the user, instead of the usual one.
    func sentence(bucket: String, path: ProviderPath) -> String? {
        switch code {
        case "NoSuchBucket": return "There is no bucket called “\(bucket)”."
        case "InvalidAccessKeyId": return "The server does not know this access key."
        case "SignatureDoesNotMatch": return "The server refuses the secret key of this access key."
        case "ExpiredToken": return "The session token has expired."
        case "InvalidToken": return "The server refuses the session token."
        case "RequestTimeTooSkewed":
            return "The clocks of the server and of this machine differ by more than the server allows."
        case "InvalidObjectState": return "“\(path)” is archived; it has to be restored before it can be read."
        case "AuthorizationHeaderMalformed", "PermanentRedirect":
            let location = region.map { "the region “\($0)”" } ?? endpoint.map { "“\($0)”" } ?? "another region"
            return "The bucket “\(bucket)” belongs to \(location); set “region” or “endpoint” to that."
        default: return nil
        }
    }
}

extension S3Service {
    /// Returns the error by the code in the answer.
    public func serverError(with code: FileProviderHTTPErrorCode, path: ProviderPath, data: Data)
        -> any FileProviderHTTPError
    {
        guard let error = S3ErrorDocument(data) else { return HTTPServerMessage(code: code, path: path, data: data) }
        let status = error.status.map { FileProviderHTTPErrorCode(rawValue: $0) } ?? code
        var message = HTTPServerMessage(code: status, path: path, description: error.message ?? error.code)
        message.sentence = error.sentence(bucket: configuration.bucket, path: path)
        return message
    }
}
