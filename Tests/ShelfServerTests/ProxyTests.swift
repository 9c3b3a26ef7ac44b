import Foundation
import Testing
import WebServer

@testable import ShelfServer

@Suite struct ProxyTests {
    private let proxies = ["10.0.0.0/8", "::1"].compactMap { AddressRange($0) }

    private func forwarded(
        _ fields: [(name: String, value: String)], from peer: String = "10.1.2.3",
        _ kind: ShelfServerConfiguration.ProxyFields = .xForwarded
    ) -> ForwardedRequest {
        let request = ServerRequest(target: "/", headers: [("Host", "inner:80")] + fields, remoteAddress: peer)
        return ForwardedRequest(request, trusting: proxies, fields: kind)
    }

    @Test func `a client that is no proxy says nothing about itself`() {
        let invented: [(name: String, value: String)] = [
            ("X-Forwarded-For", "198.51.100.7"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "evil.example"),
        ]
        let asked = forwarded(invented, from: "192.0.2.9")
        #expect(asked.client == "192.0.2.9" && asked.scheme == "http" && asked.host == "inner:80")
        #expect(!asked.isLocal)
    }

    @Test func `a trusted proxy is believed`() {
        let asked = forwarded([
            ("X-Forwarded-For", "198.51.100.7"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "books.example"),
        ])
        #expect(asked.client == "198.51.100.7" && asked.scheme == "https" && asked.host == "books.example")
        #expect(!asked.isLocal)
    }

    @Test func `only a connection of this machine without a proxy is local`() {
        #expect(forwarded([], from: "127.0.0.1").isLocal && forwarded([], from: "::1").isLocal)
        #expect(!forwarded([], from: "10.1.2.3").isLocal && !forwarded([], from: "").isLocal)
        let invented = forwarded([("X-Forwarded-For", "127.0.0.1")])
        #expect(invented.client == "127.0.0.1" && !invented.isLocal)
        for name in ["X-Forwarded-For", "Forwarded", "X-Forwarded-Host", "X-Forwarded-Prefix", "X-Real-IP", "Via"] {
            #expect(!forwarded([(name, "for=127.0.0.1")], from: "::1").isLocal, "\(name)")
        }
    }

    @Test func `what a client invents before the proxy's own part is not believed`() {
        let asked = forwarded([("X-Forwarded-For", "127.0.0.1, 203.0.113.5"), ("X-Forwarded-For", "10.9.9.9")])
        #expect(asked.client == "203.0.113.5")
        #expect(asked.host == "inner:80")
    }

    @Test(arguments: [
        ("/shelf", "/shelf"), ("/shelf/", "/shelf"), ("/a/b-c_d.e~f", "/a/b-c_d.e~f"), ("/client, /shelf", "/shelf"),
        ("/", ""), ("", ""), ("shelf", ""), ("//evil.example", ""), ("/\\evil.example", ""), ("/a//b", ""),
        ("/a/../b", ""), ("/./a", ""), ("/%2e%2e/a", ""), ("/a b", ""), ("/a;b", ""), ("/a\"b", ""), ("/é", ""),
        ("https://evil.example", ""),
    ])
    func `the path that a trusted proxy removed is believed if it can't lead elsewhere`(field: String, prefix: String) {
        #expect(forwarded([("X-Forwarded-Prefix", field)]).prefix == prefix)
        #expect(forwarded([("X-Forwarded-Prefix", field), ("X-Forwarded-For", "203.0.113.5")]).prefix == prefix)
        #expect(forwarded([("X-Forwarded-Prefix", field)], from: "192.0.2.9").prefix == "")
        #expect(forwarded([("X-Forwarded-Prefix", field), ("Forwarded", "for=_a")], .forwarded).prefix == "")
    }

    @Test func `a path that is too long is not believed`() {
        let path = "/" + String(repeating: "a", count: 200)
        #expect(forwarded([("X-Forwarded-Prefix", path)]).prefix == "")
        #expect(forwarded([("X-Forwarded-Prefix", String(path.dropLast()))]).prefix == String(path.dropLast()))
    }

    @Test func `the field of another kind of proxy is not read`() {
        let asked = forwarded([("X-Forwarded-For", "203.0.113.5"), ("Forwarded", "for=127.0.0.1;proto=https")])
        #expect(asked.client == "203.0.113.5" && asked.scheme == "http")
    }

    @Test func `elements of Forwarded are read with their quotes`() {
        let field = "for=192.0.2.1, for=\"[2001:db8::17]:4711\";proto=https;host=\"books.example:444\", for=10.0.0.4"
        let asked = forwarded([("Forwarded", field)], .forwarded)
        #expect(asked.client == "2001:db8::17" && asked.scheme == "https" && asked.host == "books.example:444")
        let hidden = forwarded([("Forwarded", "For=_hidden; Proto=HTTPS")], .forwarded)
        #expect(hidden.client == "10.1.2.3" && hidden.scheme == "https")
    }

    @Test(arguments: ["\"", "1.2.3.4\"", "\"1.2.3.4", "\"\\", "9.9.9.9;\"", "\u{600}"])
    func `what a client sends does not hide the address that the proxy appends`(sent: String) {
        let asked = forwarded([("X-Forwarded-For", sent + ", 203.0.113.5")])
        #expect(asked.client == "203.0.113.5")
        #expect(forwarded([("X-Forwarded-For", sent), ("X-Forwarded-For", "203.0.113.5")]).client == "203.0.113.5")
    }

    @Test(arguments: [
        "for=9.9.9.9;by=\", for=203.0.113.5", "for=9.9.9.9;by=\"\\, for=\"[2001:db8::17]\"",
        "for=9.9.9.9, for=\", for=203.0.113.5",
    ])
    func `a quoted string without an end makes Forwarded worthless`(field: String) {
        let asked = forwarded([("Forwarded", field)], .forwarded)
        #expect(asked.client == "10.1.2.3" && asked.host == "inner:80")
    }

    @Test(arguments: ["unknown", "_hidden", "anything 7", "1.2.3", "\"1.2.3.4\""])
    func `text that is no address never stands for a client`(text: String) {
        #expect(forwarded([("X-Forwarded-For", text)]).client == "10.1.2.3")
    }

    @Test func `addresses are compared whatever their form`() throws {
        #expect(PeerAddress("::ffff:10.1.2.3") == PeerAddress("10.1.2.3"))
        #expect(PeerAddress("[::1]:80")?.isLoopback == true)
        #expect(PeerAddress("127.9.9.9")?.isLoopback == true)
        #expect(PeerAddress("10.1.2.3:5000")?.text == "10.1.2.3")
        #expect(PeerAddress("2001:DB8:0::1")?.text == "2001:db8::1")
        #expect(PeerAddress("books.example") == nil)
        let network = try #require(AddressRange("192.168.4.0/22"))
        #expect(network.contains(try #require(PeerAddress("192.168.7.255"))))
        #expect(!network.contains(try #require(PeerAddress("192.168.8.0"))))
        for text in ["", "10.0.0.0/33", "10.0.0.0/", "name/8", "10.0.0.0/8/8", "::/129"] {
            #expect(AddressRange(text) == nil, "\(text)")
        }
    }
}

@Suite struct ShelfRouteTests {
    @Test(arguments: [
        ("", ShelfRoute.page([])), ("books", .page(["books"])), ("book/12", .page(["book", "12"])),
        ("authors/", .page(["authors"])), ("assets/shelf.css", .asset(["assets", "shelf.css"])),
        ("opds/", .feed([])), ("opds/2.0/books", .feed(["2.0", "books"])), ("opds/1.2/", .feed(["1.2"])),
        ("koreader/syncs/progress/ab", .koreader(["syncs", "progress", "ab"])),
        ("book/12/file/A%20b.epub", .file(book: 12)), ("book/12/cover", .cover(book: 12)),
        ("book/12/pages/0", .picture(book: 12, number: 0)), ("login", .login), ("logout", .logout),
        ("health", .health), ("metrics", .metrics), ("read/1-2-x", .reading(segment: "1-2-x", rest: nil)),
        ("read/1-2-x/", .reading(segment: "1-2-x", rest: "")),
        ("read/1-2-x/a%2Fb/../c", .reading(segment: "1-2-x", rest: "a%2Fb/../c")),
    ])
    func `addresses lead where they say`(path: String, route: ShelfRoute) {
        #expect(ShelfRoute(path) == route)
    }

    @Test(arguments: [
        "..", "a/../b", "a//b", "a%2Fb", "a%00", "book/x/cover", "book/012/cover", "book/1/pages", "book/1/pages/-1",
        "book/1/other", "a\\b", "%FF",
    ])
    func `other addresses lead nowhere`(path: String) {
        #expect(ShelfRoute(path) == nil)
    }
}

@Suite struct ShelfServerConfigurationTests {
    private func setting(_ change: (inout ShelfServerConfiguration) -> Void) -> String? {
        var configuration = ShelfServerConfiguration()
        change(&configuration)
        do { try configuration.validate() } catch let error as CocoaError {
            return error.code == .formatting ? error.localizedDescription : "?"
        } catch { return "?" }
        return nil
    }

    @Test func `the defaults fit, and users make a server for other machines`() {
        #expect(setting { _ in } == nil)
        #expect(setting { ($0.host, $0.access) = ("0.0.0.0", .users) } == nil)
        #expect(setting { ($0.publicURL, $0.access) = (URL(string: "https://books.example/shelf"), .users) } == nil)
        #expect(ShelfServerConfiguration(publicURL: URL(string: "https://books.example/shelf")).base == "/shelf/")
        #expect(ShelfServerConfiguration().base == "/")
    }

    @Test func `what cannot be is refused with the name of the setting`() {
        #expect(setting { $0.host = "0.0.0.0" }?.hasPrefix("access: ") == true)
        #expect(setting { $0.publicURL = URL(string: "https://books.example/") }?.hasPrefix("access: ") == true)
        #expect(setting { $0.hosts = ["nas.local"] }?.hasPrefix("access: ") == true)
        #expect(setting { $0.trustedProxies = ["127.0.0.1"] }?.hasPrefix("access: ") == true)
        #expect(setting { ($0.host, $0.access) = ("0.0.0.0", .everyoneBeforeUsers) }?.hasPrefix("access: ") == true)
        #expect(setting { ($0.hosts, $0.access) = (["nas.local"], .users) } == nil)
        #expect(setting { $0.hosts = ["localhost"] } == nil)
        #expect(setting { $0.port = 70_000 }?.hasPrefix("port: 70000") == true)
        #expect(setting { $0.key = Data(count: 3) }?.hasPrefix("key: ") == true)
        #expect(setting { $0.publicURL = URL(string: "ftp://books.example/") }?.hasPrefix("publicURL: ") == true)
        let proxies = setting { ($0.trustedProxies, $0.access) = (["proxy"], .users) }
        #expect(proxies?.hasPrefix("trustedProxies: “proxy”") == true)
        #expect(setting { $0.title = "" }?.hasPrefix("title: ") == true)
        #expect(setting { $0.maxPageWidth = 0 }?.hasPrefix("maxPageWidth: ") == true)
        #expect(setting { $0.concurrentPictures = 0 }?.hasPrefix("concurrentPictures: ") == true)
        #expect(setting { $0.metricsToken = "short" }?.hasPrefix("metricsToken: ") == true)
        #expect(setting { $0.loginLimits.perNameOverall = 0 }?.hasPrefix("loginLimits: ") == true)
        #expect(setting { $0.loginLimits.perName = 0 }?.hasPrefix("loginLimits: ") == true)
    }
}
