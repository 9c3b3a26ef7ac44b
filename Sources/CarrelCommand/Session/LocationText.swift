import Carrel
import Foundation

/// A location as the user writes it: a URL, a path on this machine, or a path below a saved connection.
enum LocationText {
    case url(URL)
    /// `NAME:path`.
    case connection(String)

    /// - Throws: A usage error for a malformed URL. Its sentence repeats none of the text, which may contain a
    ///   password.
    init(_ text: String) throws {
        if text.isEmpty { throw CommandFailure.usage("A location must not be empty.") }
        guard let parts = Self.parts(of: text) else {
            self = .url(try Self.fileURL(ofPath: text))
            return
        }
        guard parts.isURL else {
            self = .connection(text)
            return
        }
        self = .url(
            try parts.name.lowercased() == "file" ? Self.fileURL(text) : Self.remoteURL(text, scheme: parts.name))
    }

    /// Returns the URL of a catalogue, which may have a query, unlike a location; `nil` if `text` is not an address of a web
    /// server.
    static func webAddress(_ text: String) -> URL? {
        guard let parts = parts(of: text), parts.isURL, ["http", "https"].contains(parts.name.lowercased()),
            let url = URL(string: text, encodingInvalidCharacters: true), url.host()?.isEmpty == false
        else { return nil }
        return url
    }

    private static func parts(of text: String) -> (name: String, rest: String, isURL: Bool)? {
        guard let colon = text.firstIndex(of: ":"), NamedConnections.isName(text[..<colon]) else { return nil }
        let name = String(text[..<colon])
        let rest = String(text[text.index(after: colon)...])
        return (name, rest, rest.hasPrefix("//") || ProviderRegistry.shared.hasScheme(name))
    }

    private static func remoteURL(_ text: String, scheme: String) throws -> URL {
        try checkWellFormed(text)
        guard let url = URL(string: text, encodingInvalidCharacters: true),
            url.host()?.isEmpty == false || ProviderRegistry.shared.registration(for: scheme)?.needsHost == false
        else {
            throw CommandFailure.usage(
                "“\(scheme):…” is not a location: a URL needs two slashes and a host; put ./ before a local path that contains a colon."
            )
        }
        return url
    }

    private static func fileURL(_ text: String) throws -> URL {
        try checkWellFormed(text)
        guard let url = URL(string: text, encodingInvalidCharacters: true),
            ["", "localhost"].contains(url.host()?.lowercased() ?? ""),
            url.path(percentEncoded: true).hasPrefix("/")
        else {
            throw CommandFailure.usage("A file URL needs an absolute path on this machine, such as file:///tmp/a.epub.")
        }
        return url
    }

    /// RFC 3986, section 2: a percent sign starts an escape, and `?` and `#` end the path.
    private static func checkWellFormed(_ text: String) throws {
        if text.contains(where: { $0 == "?" || $0 == "#" }) {
            throw CommandFailure.usage(
                "A URL here cannot contain ? or #; write %3F and %23 in a name or a password.")
        }
        guard PercentEncoding.isWellFormed(Array(text.utf8)) else {
            throw CommandFailure.usage("The URL has a percent sign that starts no escape; write it as %25.")
        }
    }

    /// Returns an absolute path without `.` and `..`, which a provider's path can't contain.
    private static func fileURL(ofPath text: String) throws -> URL {
        let absolute = text.hasPrefix("/") ? text : FileManager.default.currentDirectoryPath + "/" + text
        var names: [Substring] = []
        for name in absolute.split(separator: "/") where name != "." {
            if name == ".." { _ = names.popLast() } else { names.append(name) }
        }
        let path = try ProviderPath(names.joined(separator: "/"))
        // Never nil: the path is percent-encoded.
        return URL(string: "file:///" + path.percentEncoded) ?? URL(fileURLWithPath: absolute)
    }
}

extension LocationText {
    /// Returns `text` without possible secrets: user and password of a URL, well-formed or not, and its query.
    static func withoutSecrets(_ text: String) -> String {
        guard let parts = parts(of: text) else { return text }
        let slashes = parts.rest.prefix { $0 == "/" || $0 == "\\" }
        let rest = parts.rest.dropFirst(slashes.count)
        let authority = rest.prefix { !"/?#\\".contains($0) }
        var shown = rest
        if let at = authority.lastIndex(of: "@") {
            shown = rest[rest.index(after: at)...]
        } else if let at = rest.lastIndex(of: "@"), !parts.isURL || slashes.count != 2 || !hasPort(authority) {
            // The end of the user is ambiguous, so removes rather too much than too little.
            shown = rest[rest.index(after: at)...]
        }
        if parts.isURL, let query = shown.firstIndex(where: { $0 == "?" || $0 == "#" }) {
            shown = shown[..<query] + "…"
        }
        return parts.name + ":" + slashes + shown
    }

    /// Returns `text`, the name of a location or of an item, without secrets if it is a server's URL. Other names are
    /// unchanged: they contain no secrets, and may contain an @.
    static func shown(_ text: String) -> String {
        guard let parts = parts(of: text), parts.isURL, parts.name.lowercased() != "file" else { return text }
        return withoutSecrets(text)
    }

    /// Whether a port follows the colon, or there is no colon.
    private static func hasPort(_ authority: Substring) -> Bool {
        guard let colon = authority.lastIndex(of: ":"), authority.last != "]" else { return true }
        let port = authority[authority.index(after: colon)...]
        return !port.isEmpty && port.allSatisfy(\.isNumber)
    }
}
