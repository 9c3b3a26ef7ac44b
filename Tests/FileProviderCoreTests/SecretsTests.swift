import FileProviderCore
import Foundation
import Testing

/// The one place that takes secrets out of what is written.
@Suite struct SecretsTests {
    @Test(arguments: [
        ("https://anna:s3cret@nas.example/books/a.epub", "https://nas.example/books/a.epub"),
        ("“ftp://s3cret@nas.example:21/”.", "“ftp://nas.example:21/”."),
        ("see https://b.example/k?X-Amz-Signature=s3cret&X-Amz-Date=1 now", "see https://b.example/k?… now"),
        ("https://h.example/f#access_token=s3cret", "https://h.example/f#…"),
        ("GET /k?token=s3cret HTTP/1.1", "GET /k?… HTTP/1.1"),
        ("X-Amz-Security-Token=s3cret&Version=1", "X-Amz-Security-Token=…&Version=1"),
        ("Authorization: AWS4-HMAC-SHA256 Credential=s3cret/x, Signature=s3cret", "Authorization: …"),
        ("it sent Cookie: sid=s3cret; theme=dark", "it sent Cookie: …"), ("Bearer s3cret", "Bearer …"),
        ("Basic czNjcmV0 was refused", "Basic … was refused"), ("PASS s3cret", "PASS …"), ("ACCT s3cret", "ACCT …"),
        (#"{"access_token":"s3cret"}"#, #"{"access_token":"…"}"#),
        (
            #"{"user": "anna", "password" : "s3cret and \" s3cret", "n": 1}"#,
            #"{"user": "anna", "password" : "…", "n": 1}"#
        ),
        (
            #"{"X-Amz-Security-Token":"s3cret","token":12345,"tokens":["s3cret"]}"#,
            #"{"X-Amz-Security-Token":"…","token":…"tokens":["…"]}"#
        ),
        (
            #"{"Authorization":"Basic s3cret","session":{"password":"s3cret"}}"#,
            #"{"Authorization":"…","session":{"password":"…"}}"#
        ),
        ("X-Auth-Token: s3cret was refused", "X-Auth-Token: … was refused"), ("x-api-key: s3cret", "x-api-key: …"),
        ("password: s3cret", "password: …"), ("{'password': 's3cret', 'a': 1}", "{'password': … 'a': 1}"),
        ("{token:s3cret}", "{token:…"), ("password:\ts3cret", "password:\t…"), ("secret : s3cret", "secret : …"),
        ("password=s3cret", "password=…"), ("sftp://anna:p@s3cret@h.example/x", "sftp://h.example/x"),
    ])
    func `secrets leave an ellipsis, and the rest stays`(_ text: String, _ shown: String) {
        #expect(Secrets.removed(from: text) == shown)
    }

    @Test(arguments: ["", "OPENSSH ", "RSA ", "EC ", "ENCRYPTED "])
    func `a private key goes whole, and what stands around it stays`(algorithm: String) {
        let key = "-----BEGIN \(algorithm)PRIVATE KEY-----\ns3cret\ns3cret==\n-----END \(algorithm)PRIVATE KEY-----"
        #expect(Secrets.removed(from: "it said: \(key)\nand \(key) again") == "it said: …\nand … again")
        #expect(Secrets.removed(from: "it said: \(key.prefix(40))s3cret") == "it said: …")
        let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
        #expect(Secrets.removed(from: certificate + key) == certificate + "…")
    }

    @Test(arguments: [
        "", "“/books/What is it? A = B.epub” does not exist.",
        "“nas.example” takes no user with a colon (Basic, RFC 7617).",
        #"{"code": "NoSuchKey", "author": "Anna", "token_count"}"#, "/books/Secret: a novel.epub", "host:8443 is away",
        "session closed: timeout", #"{"session": {"user": "anna"}}"#,
        "412 Precondition Failed", "a?b", "x=1&y=2", "/@anna/a b/ü.epub", "530 Login incorrect",
    ])
    func `a text without secrets stays as it is`(_ text: String) {
        #expect(Secrets.removed(from: text) == text)
    }

    @Test func `the arguments of a login are not shown, those of other commands are on one line`() {
        for verb in ["USER", "pass", "ACCT"] { #expect(Secrets.shown(argument: Array("s3cret".utf8), of: verb) == "…") }
        #expect(Secrets.shown(argument: Array("/a\nb".utf8), of: "RETR") == "/a\u{FFFD}b")
        let long = Secrets.shown(argument: Array(repeating: 0x61, count: 5_000), of: "RETR")
        #expect(long.count == Secrets.maxPathLength + 1)
    }

    @Test func `a URL is shown without user, password, query and fragment`() throws {
        let url = try #require(URL(string: "s3+x://u:s3cret@h.example:9000/b/k%20x?X-Amz-Signature=s3cret#s3cret"))
        #expect(url.withoutSecrets.absoluteString == "s3+x://h.example:9000/b/k%20x")
    }

    @Test func `a text of a megabyte is looked through once`() {
        let text = String(repeating: "https://h.example/?a=b token=x ", count: 30_000)
        let clock = ContinuousClock().measure { #expect(!Secrets.removed(from: text).contains("token=x")) }
        #expect(clock < .seconds(20))
    }
}
