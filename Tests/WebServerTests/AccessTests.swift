import FileProviderCore
import Foundation
import Testing

@testable import WebServer

struct AccessTests {
    @Test(arguments: [
        "127.0.0.1", "127.0.0.1:8080", "localhost", "LOCALHOST:1", "localhost.", "[::1]", "[::1]:80", "books.example",
        "Books.Example.:443", "localhost:", "[0:0:0:0:0:0:0:1]:80", "[2001:DB8::7]", "[2001:db8:0::7]:80",
        "proxy.example:8443", "proxy.example",
    ])
    func `the server's own names are allowed with any port`(header: String) {
        let allowed = ["Books.example", "2001:db8::7", "proxy.example:443"]
        #expect(HostCheck(boundHost: "127.0.0.1", allowed: allowed).allows(header))
    }

    @Test(arguments: [
        ("::1", "[::1]:8080"), ("[2001:db8::7]", "[2001:db8::7]"), ("2001:0DB8:0:0:0:0:0:7", "[2001:db8::7]:80"),
        ("fe80::1%eth0", "[fe80::1]:80"), ("192.168.1.2", "192.168.1.2:80"), ("Reader.local", "reader.local:80"),
    ])
    func `the bound address is a name, whatever its spelling`(bound: String, header: String) {
        let check = HostCheck(boundHost: bound, allowed: [])
        #expect(check.allows(header))
        #expect(!check.allows("192.168.1.3"))
        #expect(!check.allows("[2001:db8::8]"))
    }

    @Test(arguments: [
        nil, "", ":80", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example:127.0.0.1",
        "127.0.0.1@evil.example", "user@127.0.0.1", "192.168.1.2", "[::1", "[::1]x", "[evil.example]", "127.0.0.1:80x",
        "127.0.0.1/..", "127.0.0.1, evil.example", "localhost..", "2130706433", "0x7f.1", "127.1", "127.0.0.2",
        "0.0.0.0", "[::]", "[::ffff:127.0.0.1]", "[127.0.0.1]", "[localhost]", "[::1%25lo]", "[::1]:80:80", "[]", "[",
        "::1", ".", "localhost:80:80", "localhost:-1", "localhost:８０", "ⅼocalhost", "localhost\u{0}", " localhost",
        "localhost#@evil.example", "localhost\\evil.example", "evil.example#localhost", "books.example.evil.example",
        "sub.books.example", "http://localhost", "127.0.0.1, 127.0.0.1",
    ])
    func `other names are not`(header: String?) {
        #expect(!HostCheck(boundHost: "127.0.0.1", allowed: ["books.example"]).allows(header))
    }

    @Test func `a server of every interface is called by addresses, and not by names of others`() {
        let check = HostCheck(boundHost: "0.0.0.0", allowed: [])
        #expect(check.allows("192.168.1.2:8080"))
        #expect(check.allows("[fe80::1]:8080"))
        #expect(HostCheck(boundHost: "::", allowed: []).allows("192.168.1.2:8080"))
        #expect(check.allows(ProcessInfo.processInfo.hostName))
        for name in ["evil.example", "192.168.1.2.evil.example", "192.168.1", "0xC0A80102", "3232235778"] {
            #expect(!check.allows(name), "\(name)")
        }
    }

    @Test func `ten wrong tokens a minute are compared, and no more`() {
        let clock = LockedValue(ContinuousClock.now)
        let token = AccessToken("a long enough token") { clock.value }
        #expect(token.check("a long enough token") == .right)
        for _ in 0..<10 { #expect(token.check("a wrong one") == .wrong) }
        #expect(token.check("a long enough token") == .tooMany)
        clock.update { $0 += .seconds(61) }
        #expect(token.check("a long enough token") == .right)
    }

    @Test func `the right token may be sent as often as wanted, and wrong ones are forgotten one by one`() {
        let clock = LockedValue(ContinuousClock.now)
        let token = AccessToken("a long enough token") { clock.value }
        for _ in 0..<20 { #expect(token.check("a long enough token") == .right) }
        for _ in 0..<10 {
            #expect(token.check("a long enough token ") == .wrong)
            clock.update { $0 += .seconds(5) }
        }
        #expect(token.check("") == .tooMany)
        clock.update { $0 += .seconds(11) }
        #expect(token.check("") == .wrong)
        #expect(token.check("a long enough token") == .tooMany)
    }

    @Test func `no more than ten wrong tokens are compared when they arrive together`() async {
        let now = ContinuousClock.now
        let token = AccessToken("a long enough token") { now }
        let checks = await withTaskGroup(of: AccessToken.Check.self) { group in
            for number in 0..<100 { group.addTask { token.check("wrong \(number)") } }
            return await group.reduce(into: [AccessToken.Check]()) { $0.append($1) }
        }
        #expect(checks.filter { $0 == .wrong }.count == 10)
        #expect(checks.filter { $0 == .tooMany }.count == 90)
    }
}

struct PolicySourceTests {
    @Test(arguments: [
        ("http://127.0.0.1:8080/KEY/", "http://127.0.0.1:8080", "http://127.0.0.1:8080/KEY/"),
        ("http://LocalHost/KEY/", "http://localhost", "http://localhost/KEY/"),
        ("HTTPS://Books.Example:8443/Read/KEY/", "https://books.example:8443", "https://books.example:8443/Read/KEY/"),
        ("https://books.example/a;b,c/KEY/", "https://books.example", "https://books.example/a%3Bb%2Cc/KEY/"),
        ("https://books.example/a%20b/KEY/", "https://books.example", "https://books.example/a%20b/KEY/"),
        ("https://xn--bcher-kva.example/KEY/", "https://xn--bcher-kva.example", "https://xn--bcher-kva.example/KEY/"),
    ])
    func `an address is a source`(address: String, origin: String, files: String) {
        let source = PolicySource(address)
        #expect(source.origin == origin)
        #expect(source.files() == files)
        #expect(source.files("~carrel/") == files + "~carrel/")
    }

    @Test(arguments: [
        "http://[::1]:8080/KEY/", "http://[::1]/KEY/", "http://localhost.:8080/KEY/", "http://my_machine/KEY/",
        "http://127.0.0.1:/KEY/", "http://127.0.0.1:80:80/KEY/", "http:///KEY/", "http://a b/KEY/", "http://*/KEY/",
        "http://*.example/KEY/", "http://bücher.example/KEY/", "http://a..example/KEY/", "/KEY/", "",
    ])
    func `an address that the grammar lacks is the server itself`(address: String) {
        let source = PolicySource(address)
        #expect(source.origin == "'self'")
        #expect(source.files("~carrel/") == "'self'")
    }
}
