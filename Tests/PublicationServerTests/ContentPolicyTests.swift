import MediaTypes
import Testing
import WebServer

@testable import PublicationServer

private let address = "http://127.0.0.1:8080/KEY/"

/// Each kind of answer, as the server makes it for ``address``.
enum AnswerKind: CaseIterable, Sendable {
    case page, frame, scriptedFrame, chapter, picture, pdf, service, form

    static let chapters: [AnswerKind] = [.frame, .scriptedFrame, .chapter]

    func fields(_ address: String = address) -> ContentPolicy.Fields {
        switch self {
        case .page: ContentPolicy.page(address)
        case .frame: ContentPolicy.frame(address, scriptHash: "aGFzaA==", allowsScripts: false)
        case .scriptedFrame: ContentPolicy.frame(address, scriptHash: "aGFzaA==", allowsScripts: true)
        case .chapter: ContentPolicy.chapter(address)
        case .picture: ContentPolicy.resource(address, type: MediaType("image/png"))
        case .pdf: ContentPolicy.resource(address, type: .pdf)
        case .service: ContentPolicy.service()
        case .form: ContentPolicy.form()
        }
    }

    func field(_ name: String) -> String? { fields().first { $0.name == name }?.value }

    func policy(_ address: String = address) throws -> ParsedPolicy { try ParsedPolicy(fields(address)) }
}

/// A policy as browsers read it (Content Security Policy Level 3, sections 2.2.1 and 6.7.2).
struct ParsedPolicy {
    private let directives: [String: [String]]

    init(_ fields: ContentPolicy.Fields) throws {
        let policies = fields.filter { $0.name == "Content-Security-Policy" }.map(\.value)
        try #require(policies.count == 1)
        var directives: [String: [String]] = [:]
        for part in policies[0].split(separator: ";") {
            let words = part.split(separator: " ").map(String.init)
            let name = try #require(words.first)
            let isKnown = directives[name] != nil
            try #require(!isKnown, "Browsers ignore the second of two.")
            directives[name] = Array(words.dropFirst())
        }
        self.directives = directives
    }

    /// Nil if there is no such directive.
    subscript(name: String) -> [String]? { directives[name] }

    /// The sources for what `name` governs; nil for no limit.
    func sources(_ name: String) -> [String]? { directives[name] ?? directives["default-src"] }

    /// Whether `url` may be loaded as what `name` governs.
    func allows(_ url: String, as name: String) -> Bool {
        guard let sources = sources(name) else { return true }
        return sources.contains { source in
            if source.hasSuffix(":") { return url.hasPrefix(source) }
            return source == url || source.hasSuffix("/") && url.hasPrefix(source)
        }
    }
}

private let loads = [
    "script-src", "style-src", "img-src", "font-src", "media-src", "connect-src", "frame-src", "object-src",
    "worker-src", "manifest-src",
]

@Suite struct `A content policy` {
    @Test(arguments: AnswerKind.allCases)
    func `goes with fields that keep types, addresses and names`(kind: AnswerKind) {
        #expect(kind.field("X-Content-Type-Options") == "nosniff")
        #expect(kind.field("Referrer-Policy") == "no-referrer")
        #expect(kind.field("X-DNS-Prefetch-Control") == "off")
        #expect(kind.field("Set-Cookie") == nil)
        #expect(kind.field("Access-Control-Allow-Origin") == nil)
    }

    @Test(arguments: AnswerKind.allCases)
    func `lets nothing but a publication's own files be loaded`(kind: AnswerKind) throws {
        if kind == .pdf { return }
        let policy = try kind.policy()
        let others = [
            "http://127.0.0.1:8080/", "http://127.0.0.1:8080/OTHER/", "http://127.0.0.1:8080/KEY",
            "http://127.0.0.1:8081/KEY/c1.xhtml", "http://127.0.0.1/KEY/c1.xhtml", "https://evil.example/",
            "https://evil.example/KEY/c1.xhtml",
        ]
        for name in loads {
            for url in others { #expect(!policy.allows(url, as: name), "\(name) \(url)") }
            #expect(policy.sources(name)?.contains("*") == false)
        }
        #expect(policy["default-src"] == ["'none'"])
        #expect(policy["base-uri"] == ["'none'"])
        #expect(policy["form-action"] == (kind == .form ? ["'self'"] : ["'none'"]))
        for name in ["object-src", "worker-src", "manifest-src"] { #expect(policy.sources(name) == ["'none'"]) }
        if kind != .page { #expect(policy.sources("connect-src") == ["'none'"]) }
    }

    @Test(arguments: AnswerKind.chapters)
    func `lets a chapter show its own files and those within it`(kind: AnswerKind) throws {
        let policy = try kind.policy()
        for name in ["style-src", "img-src", "font-src", "media-src"] {
            #expect(policy.allows(address + "EPUB/a.b", as: name), "\(name)")
        }
        for name in ["img-src", "font-src", "media-src"] { #expect(policy.allows("data:,x", as: name), "\(name)") }
        #expect(policy.allows("blob:null/1", as: "img-src"))
        #expect(!policy.allows("data:,x", as: "style-src"))
        #expect(!policy.allows("data:text/html,x", as: "frame-src"))
        #expect(policy["style-src"]?.contains("'unsafe-inline'") == true)
    }

    @Test func `runs the page's script in a frame, and the book's only if it may`() throws {
        #expect(try AnswerKind.frame.policy()["script-src"] == ["'sha256-aGFzaA=='"])
        // A hash beside it would turn 'unsafe-inline' off.
        #expect(try AnswerKind.scriptedFrame.policy()["script-src"] == [address, "'unsafe-inline'"])
        for kind in [AnswerKind.chapter, .picture, .service, .form] {
            #expect(try kind.policy().sources("script-src") == ["'none'"])
        }
        #expect(try AnswerKind.page.policy()["script-src"] == [address + "~carrel/"])
        #expect(try AnswerKind.page.policy()["style-src"] == [address + "~carrel/"])
    }

    @Test func `gives chapters and resources an origin of their own`() throws {
        for kind in [AnswerKind.frame, .scriptedFrame] {
            #expect(try kind.policy()["sandbox"] == ["allow-scripts"])
        }
        for kind in [AnswerKind.chapter, .picture, .service] { #expect(try kind.policy()["sandbox"] == []) }
        for type in ["text/plain", "application/octet-stream", "text/javascript", "application/x-pdf", "*/*"] {
            let known = try #require(MediaType(type))
            #expect(try ParsedPolicy(ContentPolicy.resource(address, type: known))["sandbox"] == [], "\(type)")
        }
    }

    @Test func `leaves the browser's viewer of PDF alone, but for who shows it`() throws {
        let types: [MediaType] = [.pdf, MediaType("application/pdf;version=1.7")]
        for type in types {
            let policy = try ParsedPolicy(ContentPolicy.resource(address, type: type))
            #expect(policy["frame-ancestors"] == ["http://127.0.0.1:8080"])
            #expect(policy["sandbox"] == nil && policy["default-src"] == nil)
        }
    }

    @Test func `lets a browser show a picture or a film by itself`() throws {
        let policy = try AnswerKind.picture.policy()
        #expect(policy.allows(address + "cover.png", as: "img-src"))
        #expect(policy.allows(address + "film.mp4", as: "media-src"))
        #expect(policy["style-src"] == ["'unsafe-inline'"])
    }

    @Test(arguments: AnswerKind.allCases)
    func `names ancestors by origin, as browsers compare them`(kind: AnswerKind) throws {
        let ancestors = try kind.policy()["frame-ancestors"]
        switch kind {
        case .page, .service, .form: #expect(ancestors == ["'none'"])
        default: #expect(ancestors == ["http://127.0.0.1:8080"])
        }
    }

    @Test(arguments: AnswerKind.allCases)
    func `opens what chapters use, and nothing else, to other origins`(kind: AnswerKind) throws {
        let own: Set<AnswerKind> = [.page, .service, .form]
        #expect(kind.field("Cross-Origin-Resource-Policy") == (own.contains(kind) ? "same-origin" : "cross-origin"))
        // Browsers show no document that has both.
        let isSandboxed = try kind.policy()["sandbox"] != nil
        #expect(kind.field("Cross-Origin-Opener-Policy") == nil || !isSandboxed)
        if kind == .page || kind == .form { #expect(kind.field("Cross-Origin-Opener-Policy") == "same-origin") }
    }

    @Test(arguments: AnswerKind.allCases)
    func `of an address that cannot be named is that of the whole server`(kind: AnswerKind) throws {
        let other = "http://[::1]:8080/KEY/"
        #expect(kind.fields(other).allSatisfy { !$0.value.contains("[") })
        let policy = try kind.policy(other)
        if AnswerKind.chapters.contains(kind) || kind == .page {
            for name in ["style-src", "img-src", "media-src"] { #expect(policy[name]?.first == "'self'", "\(name)") }
        }
        let sandbox = try kind.policy()["sandbox"]
        #expect(policy["sandbox"] == sandbox)
    }

    @Test func `lets the page show its frames, and read its publication`() throws {
        for base in [address, "https://books.example/read/KEY/"] {
            let policy = try AnswerKind.page.policy(base)
            for name in ["frame-src", "connect-src", "img-src", "media-src"] {
                #expect(policy[name] == [base], "\(name)")
            }
            #expect(policy["sandbox"] == nil)
        }
    }

    @Test func `asks for the token in a form that is not kept and leads nowhere else`() throws {
        #expect(AnswerKind.form.field("Cache-Control") == "no-store")
        #expect(try AnswerKind.form.policy()["sandbox"] == nil)
    }
}
