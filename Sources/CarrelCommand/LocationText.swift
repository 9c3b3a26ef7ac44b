import Carrel
import Foundation

/// Locations as a person writes them: a URL, or a path on this machine.
enum LocationText {
    /// - Throws: A usage error for a URL that is none.
    static func url(of text: String) throws -> URL {
        guard let colon = text.firstIndex(of: ":"), isScheme(text[..<colon]), !text[..<colon].contains("/") else {
            return try fileURL(ofPath: text)
        }
        if text.lowercased().hasPrefix("file:") { return try fileURL(text) }
        guard let url = URL(string: text, encodingInvalidCharacters: true), url.host()?.isEmpty == false || url.scheme == "mem" else {
            let scheme = text[..<colon]
            throw CommandFailure(
                status: .usage, sentence: "“\(scheme):…” is no location: a URL needs a host, and a local path with a colon in it a ./ in front.")
        }
        return url
    }

    private static func isScheme(_ text: Substring) -> Bool {
        text.first?.isLetter == true && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }

    private static func fileURL(_ text: String) throws -> URL {
        guard let url = URL(string: text), url.host()?.isEmpty != false || url.host() == "localhost" else {
            throw CommandFailure(status: .usage, sentence: "“\(text)” is no location on this machine.")
        }
        return url
    }

    /// An absolute path without `.` and `..`, which a provider's path cannot hold.
    private static func fileURL(ofPath text: String) throws -> URL {
        if text.isEmpty { throw CommandFailure(status: .usage, sentence: "An empty location names nothing.") }
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
