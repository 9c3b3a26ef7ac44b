import Foundation
import Publication
import Testing
import WebServer

@testable import PublicationServer

struct AccessTests {
    @Test(arguments: [
        "localhost", "LOCALHOST.", "nas", "nas.local", "a.localhost", "127.0.0.1", "127.1", "2130706433", "0x7f000001",
        "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "[::1]",
        "::", "[fe80::1%eth0]", "fd00::1", "::ffff:192.168.1.1", "::127.0.0.1", "",
    ])
    func `hosts of this machine and its network are private`(host: String) { #expect(PrivateHost.contains(host)) }

    @Test(arguments: [
        "books.example", "172.15.0.1", "172.32.0.1", "192.169.1.1", "100.128.0.1", "8.8.8.8", "[2001:db8::1]",
        "127.0.0.1.books.example",
    ])
    func `other hosts are not`(host: String) { #expect(!PrivateHost.contains(host)) }

    @Test func `paths depend on the key and the identity alone`() {
        let (key, other) = (ServerKey(Data(repeating: 1, count: 32)), ServerKey(Data(repeating: 2, count: 32)))
        let path = key.path(identity: "file:///a.epub")
        #expect(path == ServerKey(Data(repeating: 1, count: 32)).path(identity: "file:///a.epub"))
        #expect(path.utf8.count == 22)
        #expect(path.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        let grant = key.grant(path: path, token: "a long enough token")
        let all = [
            path, other.path(identity: "file:///a.epub"), key.path(identity: "file:///b.epub"), grant,
            key.grant(path: path, token: "another token"), other.grant(path: path, token: "a long enough token"),
        ]
        #expect(Set(all).count == all.count)
    }

    @Test(arguments: [
        ("token=a+b%2Bc&x=1", "a b+c"), ("x=1&token=abc", "abc"), ("token=", ""), ("", ""), ("token", ""),
        ("nottoken=a", ""),
    ])
    func `the token is read from the form`(body: String, token: String) {
        #expect(TokenForm.token(in: Data(body.utf8)) == token)
    }

    @Test func `a tag tells publications, resources, versions and forms apart`() {
        let validator = ResourceValidator(length: 1, tag: "a")
        let tags = [
            EntityTag(publication: "p", href: "c1", validator: validator),
            EntityTag(publication: "q", href: "c1", validator: validator),
            EntityTag(publication: "p", href: "c2", validator: validator),
            EntityTag(publication: "p", href: "c1", validator: ResourceValidator(length: 1, tag: "b")),
            EntityTag(publication: "p", href: "c1", validator: ResourceValidator(length: 2, tag: "a")),
            EntityTag(publication: "p", href: "c1", validator: validator, form: "gzip"),
        ]
        #expect(Set(tags.map(\.value)).count == tags.count)
        #expect(tags.allSatisfy { $0.value.hasPrefix("\"") && $0.value.hasSuffix("\"") && $0.value.utf8.count == 24 })
    }
}
