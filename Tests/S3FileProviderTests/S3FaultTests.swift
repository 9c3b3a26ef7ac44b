import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import S3FileProvider
import Testing

/// What servers do seldom, on demand.
@Suite struct S3FaultTests {
    // MARK: Errors

    struct Refusal: Sendable, CustomTestStringConvertible {
        var status: Int
        var code: String
        var domain: String
        var number: Int
        var words: String
        var more = ""
        var testDescription: String { code }
    }

    private static let refusals = [
        Refusal(
            status: 404, code: "NoSuchKey", domain: NSCocoaErrorDomain,
            number: CocoaError.Code.fileReadNoSuchFile.rawValue,
            words: "does not exist"),
        Refusal(
            status: 404, code: "NoSuchBucket", domain: NSCocoaErrorDomain,
            number: CocoaError.Code.fileReadNoSuchFile.rawValue,
            words: "no bucket called “bucket”"),
        Refusal(
            status: 403, code: "AccessDenied", domain: NSCocoaErrorDomain,
            number: CocoaError.Code.fileReadNoPermission.rawValue,
            words: "permission denied"),
        Refusal(
            status: 403, code: "InvalidObjectState", domain: NSCocoaErrorDomain,
            number: CocoaError.Code.fileReadNoPermission.rawValue,
            words: "archived"),
        Refusal(
            status: 403, code: "InvalidAccessKeyId", domain: NSURLErrorDomain,
            number: URLError.Code.userAuthenticationRequired.rawValue,
            words: "does not know this access key"),
        Refusal(
            status: 403, code: "SignatureDoesNotMatch", domain: NSURLErrorDomain,
            number: URLError.Code.userAuthenticationRequired.rawValue, words: "refuses the secret key"),
        Refusal(
            status: 400, code: "ExpiredToken", domain: NSURLErrorDomain,
            number: URLError.Code.userAuthenticationRequired.rawValue,
            words: "expired"),
        Refusal(
            status: 301, code: "PermanentRedirect", domain: NSURLErrorDomain,
            number: URLError.Code.redirectToNonExistentLocation.rawValue, words: "s3.eu-west-1.amazonaws.com",
            more: "<Endpoint>s3.eu-west-1.amazonaws.com</Endpoint>"),
        Refusal(
            status: 503, code: "SlowDown", domain: HTTPStatusError.errorDomain, number: 503, words: "Words about it"),
        Refusal(
            status: 400, code: "RequestTimeout", domain: HTTPStatusError.errorDomain, number: 408,
            words: "Words about it"),
    ]

    @Test(arguments: refusals)
    func `what S3 says becomes Foundation's errors, without a secret`(refusal: Refusal) async throws {
        let s3 = try ScriptedS3 { _ in .error(refusal.status, refusal.code, more: refusal.more) }
        defer { s3.stop() }
        let error = await #expect(throws: (any Error).self) {
            try await s3.provider.contents(path: ProviderPath("a/file"))
        }
        let cocoa = try #require(error) as NSError
        #expect(cocoa.domain == refusal.domain)
        #expect(cocoa.code == refusal.number)
        #expect(error?.sentence.contains(refusal.words) == true, "\(error?.sentence ?? "")")
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!dumped.contains("hush"))
    }

    @Test func `a busy server is asked again`() async throws {
        let s3 = try ScriptedS3 { request in
            request.headers["x-second"] == nil ? .error(503, "SlowDown") : .reply(200)
        }
        defer { s3.stop() }
        await #expect { try await s3.provider.contents(path: ProviderPath("file")) } throws: {
            ($0 as? HTTPStatusError)?.code.rawValue == 503
        }
        #expect(s3.lines.count == 2)
    }

    @Test func `a refusal of HEAD, which has no words, is told in those of the listing`() async throws {
        let s3 = try ScriptedS3 { request in
            request.method == "HEAD" ? .reply(403) : .error(403, "InvalidAccessKeyId")
        }
        defer { s3.stop() }
        let error = await #expect(throws: URLError.self) {
            try await s3.provider.attributesOfItem(path: ProviderPath("file"))
        }
        #expect(error?.code == .userAuthenticationRequired)
    }

    // MARK: Signatures

    @Test(arguments: ["GET", "HEAD"])
    func `a clock that is wrong is put right by the server's, once`(method: String) async throws {
        let ahead = 7200.0
        let s3 = try ScriptedS3 { request in
            let signed = request.headers["x-amz-date"].flatMap { Self.date($0) } ?? .distantPast
            let now = Date() + ahead
            guard abs(signed.timeIntervalSince(now)) > 900 else {
                return .reply(200, headers: ["ETag": "\"a\""], body: Data("bytes".utf8))
            }
            let headers = ["Date": Self.httpDate(now)]
            return request.method == "HEAD"
                ? .reply(403, headers: headers) : .error(403, "RequestTimeTooSkewed", headers: headers)
        }
        defer { s3.stop() }
        let path = try ProviderPath("file")
        for _ in 0..<2 {
            if method == "HEAD" {
                #expect(try await s3.provider.attributesOfItem(path: path).size == 5)
            } else {
                #expect(try await s3.provider.contents(path: path) == Data("bytes".utf8))
            }
        }
        #expect(s3.lines.count == 3)
    }

    @Test func `a clock that stays wrong ends in a sentence`() async throws {
        let s3 = try ScriptedS3 { _ in
            .error(403, "RequestTimeTooSkewed", headers: ["Date": Self.httpDate(Date() + 7200)])
        }
        defer { s3.stop() }
        let error = await #expect(throws: CocoaError.self) {
            try await s3.provider.contents(path: ProviderPath("file"))
        }
        #expect(error?.sentence.contains("clocks") == true)
        #expect(s3.lines.count == 2)
    }

    @Test func `the region that a server asks for is signed for`() async throws {
        let s3 = try ScriptedS3 { request in
            request.headers["authorization"]?.contains("/garage/s3/") == true
                ? .reply(200, headers: ["ETag": "\"a\""], body: Data("bytes".utf8))
                : .error(400, "AuthorizationHeaderMalformed", more: "<Region>garage</Region>")
        }
        defer { s3.stop() }
        #expect(try await s3.provider.contents(path: ProviderPath("file")) == Data("bytes".utf8))
        #expect(s3.lines.count == 2)
    }

    private static func date(_ text: String) -> Date? {
        let digits = text.filter(\.isNumber)
        let parts = [0..<4, 4..<6, 6..<8, 8..<10, 10..<12, 12..<14].map { String(Array(digits)[$0]) }
        return HTTPDate.parse("\(parts[0])-\(parts[1])-\(parts[2])T\(parts[3]):\(parts[4]):\(parts[5])Z")
    }

    private static func httpDate(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }

    @Test func `an object that is stored compressed is read as it is stored, whole and by ranges`() async throws {
        let stored = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let s3 = try ScriptedS3 { request in
            let headers = ["Content-Encoding": "gzip", "ETag": "\"e\""]
            guard request.headers["range"] == "bytes=10-19" else { return .reply(200, headers: headers, body: stored) }
            let part = ["Content-Range": "bytes 10-19/1000"]
            return .reply(206, headers: headers.merging(part) { $1 }, body: stored[10..<20])
        }
        defer { s3.stop() }
        let path = try ProviderPath("text.gz")
        #expect(try await s3.provider.contents(path: path) == stored)
        #expect(try await s3.provider.contents(path: path, part: .range(10..<20)) == stored[10..<20])
    }
}
