import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider
import OPDS

/// A server's refusal of a request without a login, with what it says about logins.
struct Refusal: Error {
    let head: ResponseHead
    /// The refusal as Foundation's error.
    let cause: any Error

    /// Whether a token was refused, or withheld, and not a password.
    var isOfToken: Bool {
        ((cause as? URLError)?.userInfo[NSUnderlyingErrorKey] as? HTTPStatusError)?.isAboutToken == true
    }

    /// The authentication document in the body of the answer; nil if it has none.
    func document(at url: URL) -> AuthenticationDocument? {
        try? AuthenticationDocument(data: head.errorBody, url: head.redirectedTo ?? url)
    }

    /// The address of the authentication document in the answer's `Link` (RFC 8288; Authentication for OPDS 1.0, section
    /// 2.2); nil if there is none.
    func documentAddress(at url: URL) -> URL? {
        let fields = head.headers.filter { $0.name.lowercased() == "link" }.map(\.value)
        let target = fields.lazy.flatMap { Self.links(in: $0) }.first {
            $0.rels.contains(CatalogRelation.authenticationDocument)
        }
        return target.flatMap { URL(string: $0.target, relativeTo: head.redirectedTo ?? url)?.absoluteURL }
    }

    /// Returns the links of a `Link` field with their relations; those after a malformed one are left out.
    private static func links(in field: String) -> [(target: String, rels: [String])] {
        var links: [(target: String, rels: [String])] = []
        var rest = field[...]
        while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
            let target = String(rest[rest.index(after: open)..<close])
            rest = rest[rest.index(after: close)...]
            let rels = parameters(&rest).first { $0.name == "rel" }?.value ?? ""
            links.append((target, rels.split(separator: " ").map(String.init)))
        }
        return links
    }

    /// Takes the parameters of a link from the start of `rest`, and the comma after them.
    private static func parameters(_ rest: inout Substring) -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        rest = rest.drop(while: \.isWhitespace)
        while rest.first == ";" {
            rest = rest.dropFirst().drop(while: \.isWhitespace)
            let name = rest.prefix { !"=;,".contains($0) }
            rest = rest.dropFirst(name.count)
            var value = ""
            if rest.first == "=" {
                rest = rest.dropFirst().drop(while: \.isWhitespace)
                value = rest.first == "\"" ? quoted(&rest) : token(&rest)
            }
            parameters.append((name.trimmingCharacters(in: .whitespaces).lowercased(), value))
            rest = rest.drop(while: \.isWhitespace)
        }
        if rest.first == "," { rest = rest.dropFirst() }
        return parameters
    }

    private static func token(_ rest: inout Substring) -> String {
        let token = rest.prefix { !";,".contains($0) }
        rest = rest.dropFirst(token.count)
        return token.trimmingCharacters(in: .whitespaces)
    }

    /// A quoted string with its escapes removed (RFC 9110, section 5.6.4).
    private static func quoted(_ rest: inout Substring) -> String {
        var text = ""
        var isEscaped = false
        rest = rest.dropFirst()
        while let character = rest.first {
            rest = rest.dropFirst()
            if !isEscaped, character == "\"" { break }
            isEscaped = !isEscaped && character == "\\"
            if !isEscaped { text.append(character) }
        }
        return text
    }
}
