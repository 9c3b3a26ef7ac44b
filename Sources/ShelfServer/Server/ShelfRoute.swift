import Foundation
import WebServer

/// What an address below the server's base leads to.
enum ShelfRoute: Hashable, Sendable {
    /// `opds/…`.
    case feed([String])
    /// `koreader/…`.
    case koreader([String])
    /// The pages that people see; `[]` is the first one.
    case page([String])
    /// `assets/NAME`: files of the pages.
    case asset([String])
    case login
    case logout
    /// `read/SEGMENT/…`: the reading page of a book, and its content. `rest` is nil without a slash.
    case reading(segment: String, rest: String?)
    /// `book/ID/file/NAME`; the name doesn't matter.
    case file(book: Int64)
    /// `book/ID/cover`.
    case cover(book: Int64)
    /// `book/ID/pages/NUMBER`.
    case picture(book: Int64, number: Int)
    case health
    case metrics

    /// Nil for an address that leads nowhere.
    ///
    /// - Parameter path: Behind the base, percent-encoded as it was sent, without the query.
    init?(_ path: String) {
        if path.hasPrefix("read/") {
            let own = path.dropFirst("read/".count)
            let segment = own.prefix { $0 != "/" }
            let rest = own.dropFirst(segment.count)
            self = .reading(segment: String(segment), rest: rest.isEmpty ? nil : String(rest.dropFirst()))
            return
        }
        guard let names = Self.names(in: path) else { return nil }
        switch (names.first, names.count) {
        case ("opds", _): self = .feed(Array(names.dropFirst()))
        case ("koreader", _): self = .koreader(Array(names.dropFirst()))
        case ("assets", 2): self = .asset(names)
        case ("login", 1): self = .login
        case ("logout", 1): self = .logout
        case ("health", 1): self = .health
        case ("metrics", 1): self = .metrics
        case ("book", 3...):
            guard let route = Self.part(ofBook: names) else { return nil }
            self = route
        default: self = .page(names)
        }
    }

    private static func part(ofBook names: [String]) -> ShelfRoute? {
        guard let book = number(names[1]) else { return nil }
        switch (names[2], names.count) {
        case ("file", 3...4): return .file(book: book)
        case ("cover", 3): return .cover(book: book)
        case ("pages", 4): return number(names[3]).flatMap { Int(exactly: $0) }.map { .picture(book: book, number: $0) }
        default: return nil
        }
    }

    /// The decoded segments. A slash at the end counts for nothing.
    private static func names(in path: String) -> [String]? {
        let path = path.hasSuffix("/") ? String(path.dropLast()) : path
        if path.isEmpty { return [] }
        guard let names = RequestedPath(path)?.names else { return nil }
        let texts = names.compactMap { String(validating: $0, as: UTF8.self) }
        return texts.count == names.count ? texts : nil
    }

    /// Digits alone, without zeros in front.
    private static func number(_ text: String) -> Int64? {
        guard let number = Int64(text), number >= 0, String(number) == text else { return nil }
        return number
    }

    // MARK: What a request needs

    /// Who may ask.
    enum Door: Hashable, Sendable {
        /// Everyone.
        case open
        /// Who is logged in; others get a page to log in.
        case page
        /// Who is logged in; others get the document that tells readers of OPDS how to log in.
        case catalogue
    }

    var door: Door {
        switch self {
        case .page: .page
        case .feed(let path) where path == ["authentication.json"]: .open
        case .feed, .file, .cover, .picture: .catalogue
        // Their addresses, or their own header fields, say who asks.
        case .koreader, .asset, .login, .logout, .reading, .health, .metrics: .open
        }
    }

    /// For metrics.
    var name: String {
        switch self {
        case .feed: "opds"
        case .koreader: "koreader"
        case .page: "page"
        case .asset: "asset"
        case .login, .logout: "login"
        case .reading: "reading"
        case .file: "file"
        case .cover: "cover"
        case .picture: "picture"
        case .health: "health"
        case .metrics: "metrics"
        }
    }

    /// The methods of an address that this server's own files answer; nil where the answer itself decides.
    var methods: [String]? {
        switch self {
        case .file, .cover, .picture, .asset, .health, .metrics: ["GET", "HEAD"]
        case .login: ["GET", "HEAD", "POST"]
        case .logout: ["POST"]
        case .feed, .koreader, .page, .reading: nil
        }
    }

    /// The most bytes of a request's body.
    var largestBody: Int {
        switch self {
        case .koreader: 64 << 10
        case .reading: 32 << 10
        case .login, .logout, .page: 16 << 10
        default: 0
        }
    }
}
