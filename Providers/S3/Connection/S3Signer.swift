import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider
import Synchronization

/// Signs the requests of one provider, by the server's clock and in the bucket's region as far as answers have told
/// them.
final class S3Signer: HTTPRequestSigner {
    private struct Learnt {
        var region: String
        /// Seconds that the server's clock is ahead of this machine's.
        var skew = 0.0
    }

    private let learnt: Mutex<Learnt>
    /// Seconds by which a clock may differ: servers allow 15 minutes.
    private static let tolerance = 300.0

    init(region: String) {
        learnt = Mutex(Learnt(region: region))
    }

    /// A signature of this moment.
    func signature(_ credential: Credential) throws -> S3Signature {
        let (region, skew) = learnt.withLock { ($0.region, $0.skew) }
        return try S3Signature(credential, region: region, date: Date() + skew)
    }

    /// Bodies in memory are signed with their digest, which those who make the request may have given in its headers.
    func sign(_ request: inout TransferRequest, with credential: Credential) throws {
        let digest: String
        if let given = request.headers.first(where: { $0.name == "x-amz-content-sha256" })?.value {
            digest = given
        } else {
            switch request.body {
            case .none: digest = S3Signature.digest(Data())
            case .data(let data): digest = S3Signature.digest(data)
            case .source: digest = S3Signature.unsigned
            }
        }
        try signature(credential).sign(&request, digest: digest)
    }

    func verdict(on head: ResponseHead) -> HTTPSignatureVerdict {
        switch head.status {
        case 401: return .refused
        case 400, 403: break
        default: return .accepted
        }
        // An answer to HEAD has no body: then the clock alone can be looked at.
        let error = S3ErrorDocument(head.errorBody)
        switch error?.code {
        case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken": return .refused
        case "RequestTimeTooSkewed", nil: return learnClock(head) ? .signAgain : .unknown
        case "AuthorizationHeaderMalformed": return learnRegion(error?.region) ? .signAgain : .unknown
        default: return .accepted
        }
    }

    /// Whether the server's clock is far from the one that was signed by.
    private func learnClock(_ head: ResponseHead) -> Bool {
        guard let date = head["Date"].flatMap({ HTTPDate.parse($0) }) else { return false }
        let skew = date.timeIntervalSinceNow
        return learnt.withLock { learnt in
            guard abs(skew - learnt.skew) > Self.tolerance else { return false }
            learnt.skew = skew
            return true
        }
    }

    private func learnRegion(_ region: String?) -> Bool {
        guard let region, !region.isEmpty, region.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
        else {
            return false
        }
        return learnt.withLock { learnt in
            guard learnt.region != region else { return false }
            learnt.region = region
            return true
        }
    }
}
