import CurlTransport
import Foundation

/// What a server says that it can, in its answer to `FEAT` (RFC 2389).
struct FTPFeatures: Sendable {
    /// Names in capitals with what stands behind them.
    private var lines: [String: [String]] = [:]

    /// - Parameter reply: Nil, or a refusal, from a server that does not know the command.
    init(_ reply: FTPReply?) {
        guard let reply, reply.code == 211 else { return }
        for line in reply.lines.dropFirst() {
            // Some write the code before each of them.
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

    /// Whether `MLSD` and `MLST` are there (RFC 3659, section 7.8).
    var hasMachineListings: Bool { has("MLST") || has("MLSD") }

    /// What to send with `OPTS MLST` to be told all that is of use; nil where that comes anyway.
    var wantedFacts: String? {
        let offered = (lines["MLST"]?.first ?? "").split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        let useful = ["type", "size", "modify", "create", "perm", "unique", "unix.mode"]
        let wanted = offered.filter { fact in useful.contains(fact.lowercased().filter { $0 != "*" }) }
        guard wanted.contains(where: { !$0.hasSuffix("*") }) else { return nil }
        return wanted.map { $0.filter { $0 != "*" } + ";" }.joined()
    }

    /// What the server can compute of a file: the name as in ``FileProviderCore/Capabilities/hashKinds``, and the
    /// command for it.
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
    /// As `HASH` names them (draft-bryan-ftp-hash). The first that a server has is the one that uploads are compared
    /// by.
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
