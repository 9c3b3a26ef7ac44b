public import Foundation

/// Passwords by host, from the file that curl and ftp read too. Source: netrc(5).
///
/// Rereads the file on every call. As with curl, its permissions are not checked: refusing a file that others can
/// already read protects nothing.
public struct NetrcCredentials: CredentialSource {
    private let file: String

    /// - Parameter file: A local path; a missing file counts as empty.
    public init(file: String) {
        self.file = file
    }

    /// `~/.netrc`, by `$HOME`.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        file = (environment["HOME"] ?? "") + "/.netrc"
    }

    /// - Throws: `CocoaError(.fileReadNoPermission)` and its like; `CocoaError(.fileReadTooLarge)` over 1 MiB.
    public func credential(for origin: Origin, user: String?) async throws -> Credential? {
        let text: Data
        do { text = try await SmallFile.read(file, limit: 1 << 20) } catch let error where error.isNoSuchFile {
            return nil
        }
        return Netrc(text).credential(host: origin.host, user: user)
    }
}

/// The content of a `.netrc`.
struct Netrc {
    private struct Entry {
        /// Nil for the `default` entry.
        let host: String?
        var login: String?
        var password: String?
    }

    private var entries: [Entry] = []

    init(_ text: Data) {
        var words = NetrcWords(rest: text[...])
        while let word = words.next() {
            switch word {
            case "machine": entries.append(Entry(host: Self.plain(words.next(isValue: true) ?? "")))
            case "default": entries.append(Entry(host: nil))
            case "login" where !entries.isEmpty: entries[entries.count - 1].login = words.next(isValue: true)
            case "password" where !entries.isEmpty: entries[entries.count - 1].password = words.next(isValue: true)
            case "login", "password", "account": _ = words.next(isValue: true)
            case "macdef": words.skipMacro()
            default: break
            }
        }
    }

    /// Returns the first entry with a password that fits. `default` fits every host, and an entry without a login fits
    /// every known user.
    func credential(host: String, user: String?) -> Credential? {
        let host = Self.plain(host)
        for entry in entries where entry.host == nil || entry.host == host {
            guard let password = entry.password, let login = entry.login ?? user, user == nil || login == user else {
                continue
            }
            return .password(user: login, password: password)
        }
        return nil
    }

    /// In lower case, an IPv6 address without its brackets.
    private static func plain(_ host: String) -> String {
        host.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    }
}

/// Words separated by white space. Double quotes keep white space, a backslash keeps the next character, and `#` in
/// front of a word that is no value starts a comment up to the end of the line.
private struct NetrcWords {
    var rest: Data.SubSequence

    private static let newline = UInt8(ascii: "\n")

    mutating func next(isValue: Bool = false) -> String? {
        while true {
            rest = rest.drop(while: Self.isSpace)
            if rest.first != UInt8(ascii: "#") || isValue { break }
            rest = rest.drop { $0 != Self.newline }
        }
        guard let first = rest.first else { return nil }
        let isQuoted = first == UInt8(ascii: "\"")
        if isQuoted { rest = rest.dropFirst() }
        var word: [UInt8] = []
        // A quote that is not closed ends with its line.
        while let byte = rest.first, isQuoted ? byte != UInt8(ascii: "\"") && byte != Self.newline : !Self.isSpace(byte)
        {
            rest = rest.dropFirst()
            let isEscape = byte == UInt8(ascii: "\\") && rest.first != nil
            word.append(isEscape ? rest.removeFirst() : byte)
        }
        if isQuoted { rest = rest.dropFirst() }
        return String(decoding: word, as: UTF8.self)
    }

    /// Skips a macro, which ends at the first empty line.
    mutating func skipMacro() {
        var line: Data.SubSequence
        repeat {
            rest = rest.drop { $0 != Self.newline }.dropFirst()
            line = rest.prefix { $0 != Self.newline }
        } while !rest.isEmpty && !line.allSatisfy(Self.isSpace)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
