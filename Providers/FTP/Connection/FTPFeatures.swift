import CurlTransport
import Foundation

/// The abilities that a server lists in its reply to `FEAT` (RFC 2389).
struct FTPFeatures: Sendable {
    /// The parameters of each feature, by the feature's name in capitals.
    private var lines: [String: [String]] = [:]

    /// - Parameter reply: The reply to `FEAT`; nil, or a refusal, from a server that does not know the command.
    init(_ reply: FTPReply?) {
        guard let reply, reply.code == 211 else { return }
        for line in reply.lines.dropFirst() {
            // Some servers write the code before each line.
            let text = line.starts(with: Array("211-".utf8)) ? line.dropFirst(4) : line[...]
            let words = String(decoding: text, as: UTF8.self).split(separator: " ", maxSplits: 1)
            guard let name = words.first?.uppercased() else { continue }
            lines[name, default: []].append(words.count > 1 ? String(words[1]) : "")
        }
    }

    func has(_ name: String) -> Bool { lines[name] != nil }

    /// Whether `SITE` has a command, such as `COPY`.
    func hasSite(_ name: String) -> Bool {
        lines["SITE"]?.contains { $0.uppercased().split(separator: " ").contains(Substring(name)) } ?? false
    }

    /// Whether the server has `MLSD` and `MLST` (RFC 3659, section 7.8).
    var hasMachineListings: Bool { has("MLST") || has("MLSD") }

    /// The argument of `OPTS MLST` that turns on all useful facts; nil if they are on already.
    var wantedFacts: String? {
        let offered = (lines["MLST"]?.first ?? "").split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        let useful = ["type", "size", "modify", "create", "perm", "unique", "unix.mode"]
        let wanted = offered.filter { fact in useful.contains(fact.lowercased().filter { $0 != "*" }) }
        guard wanted.contains(where: { !$0.hasSuffix("*") }) else { return nil }
        return wanted.map { $0.filter { $0 != "*" } + ";" }.joined()
    }

    /// The hashes that the server can compute, with their commands.
    var hashes: [FTPHash] {
        let listed = (lines["HASH"]?.first ?? "").split(separator: ";").map {
            $0.filter { $0 != "*" }.trimmingCharacters(in: .whitespaces)
        }
        return FTPHash.Kind.allCases.compactMap { kind in
            if listed.contains(where: { $0.uppercased() == kind.rawValue }) {
                return FTPHash(kind: kind, command: .hash)
            }
            return kind.commands.first(where: has).map { FTPHash(kind: kind, command: .own($0)) }
        }
    }
}

/// A hash of a file's content that a server computes.
struct FTPHash: Sendable, Hashable {
    /// The names that `HASH` uses (draft-bryan-ftp-hash), in order of preference. Uploads are verified by the first one
    /// that the server has.
    enum Kind: String, CaseIterable, Sendable {
        case sha256 = "SHA-256"
        case sha512 = "SHA-512"
        case sha1 = "SHA-1"
        case md5 = "MD5"
        case crc32 = "CRC32"

        var name: String { rawValue.lowercased().filter { $0 != "-" } }

        fileprivate var commands: [String] {
            switch self {
            case .sha256: ["XSHA256"]
            case .sha512: ["XSHA512"]
            case .sha1: ["XSHA1", "XSHA"]
            case .md5: ["MD5", "XMD5"]
            case .crc32: ["XCRC"]
            }
        }
    }

    enum Command: Sendable, Hashable {
        /// `HASH`, after `OPTS HASH` has chosen the kind.
        case hash
        case own(String)
    }

    let kind: Kind
    let command: Command
}
