import CurlTransport
import FileProviderCore
import Foundation
import Testing

@testable import S3FileProvider

/// AWS's own examples: Amazon S3 API Reference, “Examples: Signature Calculations” and “Authenticating Requests: Using
/// Query Parameters”.
@Suite struct S3SignatureTests {
    private static let credential = Credential.password(
        user: "AKIAIOSFODNN7EXAMPLE", password: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    /// 2013-05-24, midnight.
    private static let date = Date(timeIntervalSince1970: 1_369_353_600)

    struct Example: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var method = "GET"
        var target: String
        var headers: [(name: String, value: String)] = []
        var body = ""
        var signature: String
    }

    private static let examples = [
        Example(
            testDescription: "a range of an object", target: "test.txt", headers: [("Range", "bytes=0-9")],
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Example(
            testDescription: "an object with a dollar sign", method: "PUT", target: "test$file.text",
            headers: [("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
            body: "Welcome to Amazon S3.", signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        ),
        Example(
            testDescription: "a query without a value", target: "?lifecycle",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Example(
            testDescription: "a listing", target: "?max-keys=2&prefix=J",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test(arguments: examples)
    func `a request is signed as AWS signs its example`(of example: Example) throws {
        let url = try #require(URL(string: "https://examplebucket.s3.amazonaws.com/" + example.target))
        var request = TransferRequest(method: example.method, url: url, headers: example.headers)
        let signature = try S3Signature(Self.credential, region: "us-east-1", date: Self.date)
        signature.sign(&request, digest: S3Signature.digest(Data(example.body.utf8)))
        let value = try #require(request.headers.first { $0.name == "Authorization" }?.value)
        #expect(value.hasSuffix("Signature=\(example.signature)"), "\(value)")
    }

    @Test func `a URL is signed as AWS signs its example`() throws {
        let url = try #require(URL(string: "https://examplebucket.s3.amazonaws.com/test.txt"))
        let signed = try S3Signature(Self.credential, region: "us-east-1", date: Self.date).presigned(
            url, seconds: 86_400)
        let query = signed.query(percentEncoded: true) ?? ""
        #expect(
            query.hasSuffix("X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"),
            "\(signed)")
        #expect(query.contains("X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"))
    }

    /// Made with botocore 1.44.5: `S3SigV4Auth` over a request with the key, prefix and token that stand here, and the
    /// same headers.
    private static let awkward: [(key: String, signature: String)] = [
        ("two words/a+b/100%/~tilde", "8daf46bcc65a72b40c514aff9cb3b2fcc3008193f73b5a66cb0649a78edcc014"),
        ("ünï/日本/🙂", "751367e456c5d28dab3fa2afbf2c9af54bc3ebc7d9fcc2daa2705d52d8e54aba"),
        ("a=b&c?d#e;f,g:h@i!$'()*", "c5edd4c6a7e7b2e46f083b43e938f21ab125c1401d5f7ab16edff1d48e7ad2a8"),
        ("a//b", "296270bfde5f7888acc19509c198983c4037fd839a328aad855ae174ee44b5c7"),
    ]

    @Test(arguments: awkward)
    func `awkward keys are signed as botocore signs them`(key: String, signature: String) throws {
        let configuration = S3Configuration(
            bucket: "bucket", region: "eu-west-1", endpoint: URL(string: "http://127.0.0.1:9000"))
        let service = try S3Service(configuration: configuration)
        let url = service.url(
            ofKey: Array(key.utf8), query: "prefix=\(S3Encoding.percentEncoded(Array(key.utf8)))&list-type=2")
        var request = TransferRequest(method: "PUT", url: url, headers: [("Content-MD5", "XrY7u+Ae7tCTyyK7j1rNww==")])
        let credential = Credential.password(user: "AKID", password: "secret to+ken/==")
        try S3Signature(credential, region: "eu-west-1", date: Self.date).sign(
            &request, digest: S3Signature.digest(Data("x".utf8)))
        let value = try #require(request.headers.first { $0.name == "Authorization" }?.value)
        #expect(request.headers.contains { $0 == ("x-amz-security-token", "to+ken/==") })
        #expect(value.hasSuffix("Signature=\(signature)"), "\(value)")
    }

    @Test func `a bearer token is no access key, and no secret shows`() throws {
        let error = #expect(throws: URLError.self) {
            try S3Signature(.bearer("hush-hush"), region: "us-east-1", date: Self.date)
        }
        #expect(error?.code == .userAuthenticationRequired)
        #expect(error.map { !$0.sentence.contains("hush") } == true)
    }
}
