import FileProviderCore
import Foundation
import HTTPFileProvider
import Testing

@testable import S3FileProvider

@Suite struct S3ConfigurationTests {
    @Test(
        arguments: [
            ([:], "bucket", "https://bucket.s3.us-east-1.amazonaws.com/"),
            (["region": "eu-west-1"], "bucket", "https://bucket.s3.eu-west-1.amazonaws.com/"),
            (["region": "cn-north-1"], "bucket", "https://bucket.s3.cn-north-1.amazonaws.com.cn/"),
            // No certificate has a name for these.
            ([:], "dotted.bucket", "https://s3.us-east-1.amazonaws.com/dotted.bucket/"),
            ([:], "Old_Bucket", "https://s3.us-east-1.amazonaws.com/Old_Bucket/"),
            (["style": "path"], "bucket", "https://s3.us-east-1.amazonaws.com/bucket/"),
            (["endpoint": "http://127.0.0.1:9000"], "bucket", "http://127.0.0.1:9000/bucket/"),
            (["endpoint": "https://user:secret@host/base/?q=1"], "bucket", "https://host/base/bucket/"),
            (["endpoint": "https://host:9000", "style": "host"], "bucket", "https://bucket.host:9000/"),
        ] as [([String: String], String, String)])
    func `a bucket's URL follows from endpoint, region and style`(
        settings: [String: String], bucket: String, url: String
    ) throws {
        #expect(try S3Configuration(bucket: bucket, settings: settings).bucketURL().absoluteString == url)
    }

    @Test(arguments: ["", "..", ".hidden", "a/b", "a b", "a@b", "büchse"])
    func `what is no bucket's name is refused`(name: String) {
        #expect(throws: URLError.self) { try S3Configuration(bucket: name).bucketURL() }
    }

    @Test(arguments: [
        ["endpoint": "host:9000"], ["endpoint": "ftp://host"], ["style": "other"], ["conditional-writes": "maybe"],
        ["part-size": "12"],
        ["part-size": "8M"],
    ])
    func `a setting without meaning is refused`(settings: [String: String]) {
        #expect { try S3Configuration(bucket: "bucket", settings: settings) } throws: { error in
            settings["endpoint"] == nil
                ? settings.keys.allSatisfy { error.sentence.contains($0) } : (error as? URLError)?.code == .badURL
        }
    }

    @Test func `a location has the bucket as its host, and the key as its path`() async throws {
        let registry = ProviderRegistry()
        try registry.register(S3FileProvider.registration)
        let url = try #require(URL(string: "s3://AKID:hush-hush@bucket/a%20b/c"))
        let options = ConnectionOptions(settings: ["endpoint": "http://127.0.0.1:9000"])
        let location = try await registry.location(of: url, options: options)
        #expect(location.path.string == "/a b/c")
        #expect(location.provider.baseURL?.absoluteString == "http://127.0.0.1:9000/bucket/")
        #expect(!location.provider.debugDescription.contains("hush"))
        let provider = try #require(location.provider as? S3FileProvider)
        #expect(try await provider.connection.signingCredential() == .password(user: "AKID", password: "hush-hush"))
        #expect(location.provider is any FileProviderSharing)
    }

    private static let origin = Origin(scheme: "https", host: "host", port: 443)

    @Test func `keys come from the environment`() async throws {
        let environment = [
            "AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "token",
        ]
        let source = S3Credentials(environment: environment)
        #expect(
            try await source.credential(for: Self.origin, user: nil)
                == .password(user: "AKID", password: "secret token"))
        #expect(try await source.credential(for: Self.origin, user: "AKID") != nil)
        #expect(try await source.credential(for: Self.origin, user: "OTHER") == nil)
    }

    @Test func `keys go to no proxy`() async throws {
        let source = S3Credentials(environment: ["AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "secret"])
        let proxy = Origin(scheme: "http", host: "host", port: 3128, isProxy: true)
        #expect(try await source.credential(for: proxy, user: nil) == nil)
        #expect(try await source.credential(for: proxy, user: "AKID") == nil)
    }

    @Test func `keys come from the profile of the shared file`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "credentials-\(UInt64.random(in: 0 ... .max))")
        let text = """
            # comment = not this
            [default]
            aws_access_key_id = FIRST
            aws_secret_access_key=one=1
            [other]
            ; nor = this
            AWS_ACCESS_KEY_ID = SECOND
            aws_secret_access_key = two
            aws_session_token = three
            """
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var environment = ["AWS_SHARED_CREDENTIALS_FILE": file.path]
        let first = S3Credentials(environment: environment)
        #expect(try await first.credential(for: Self.origin, user: nil) == .password(user: "FIRST", password: "one=1"))
        environment["AWS_PROFILE"] = "other"
        let second = S3Credentials(environment: environment)
        #expect(
            try await second.credential(for: Self.origin, user: nil) == .password(user: "SECOND", password: "two three")
        )
        let none = S3Credentials(environment: ["HOME": "/nowhere"])
        #expect(try await none.credential(for: Self.origin, user: nil) == nil)
    }

    @Test func `parts grow so that ten thousand are enough, and memory stays bounded where it can`() throws {
        let service = try S3Service(configuration: S3Configuration(bucket: "bucket"))
        func upload(_ length: Int64?) -> S3Upload {
            S3Upload(service: service, path: .root, attributes: HTTPWriteAttributes(length: length), conditions: [])
        }
        for length in [Int64(1), 10 << 30, 78 << 30, 5 << 40] {
            let size = Int64(try upload(length).size(ofPart: 0))
            #expect(size * 10_000 >= length)
            #expect(size <= 5 << 20 || size * 9_000 <= length)
        }
        #expect(try upload(10 << 30).size(ofPart: 9_999) * upload(10 << 30).concurrentParts == 15 << 20)
        #expect(try (0..<10_000).reduce(Int64(0)) { $0 + Int64(try upload(nil).size(ofPart: $1)) } >= 5 << 40)
        #expect(throws: CocoaError.self) { try upload(nil).size(ofPart: 10_000) }
        let endless = upload(nil)
        for number in stride(from: 0, to: 9_000, by: 300) {
            let size = try endless.size(ofPart: number)
            #expect(endless.concurrentParts == max(1, min(3, (24 << 20) / size)))
        }
    }
}
