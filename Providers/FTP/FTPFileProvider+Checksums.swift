import CurlTransport
public import FileProviderCore
import Foundation

extension FTPFileProvider: FileProviderChecksums {
    /// Returns a checksum that the server computes: with `HASH` (draft-bryan-ftp-hash), or with `MD5`, `XCRC`, `XMD5`,
    /// `XSHA1`, `XSHA256` or `XSHA512`, as the server's `FEAT` offers them.
    ///
    /// The server reads the whole file and is silent meanwhile. If that takes longer than `timeouts.idle`, the call
    /// fails with `URLError(.timedOut)`. The commands that begin with X cannot mark the end of a name, so they are not
    /// used for a name that ends in a space and a number.
    ///
    /// - Throws: Also `CocoaError(.fileReadUnknown)` if the reply is not a hash of that kind.
    /// - Complexity: One round trip; the server reads the whole file.
    public func checksum(of path: ProviderPath, kind: String) async throws -> String {
        try await connection.run(path) { session in
            guard let hash = session.host.hashes.first(where: { $0.kind.name == kind }) else {
                throw FileError.unsupported(
                    "compute a checksum of the kind “\(kind)”", by: Self.type, path: path, url: self.url(of: path))
            }
            let reply = try await session.reply(to: hash, of: session.host.bytes(of: path))
            if let value = reply.flatMap({ hash.value(in: $0) }) { return value }
            guard let item = try await self.item(path, session) else { throw self.missing(path) }
            if item.isDirectory { throw FileError.isADirectory(path, url: self.url(of: path), writing: false) }
            if let reply, !reply.isPositive {
                throw FTPCondition(reply: reply, path: path, url: self.url(of: path)).error
            }
            throw FileError.make(
                .fileReadUnknown, path: path, url: self.url(of: path),
                sentence: "The server returned no \(kind) checksum of “\(path)”.")
        }
    }
}

extension FTPHost {
    /// The hashes that the server offers and has not refused.
    var hashes: [FTPHash] { features?.hashes.filter { mayKnow($0.verb) } ?? [] }
}

extension FTPSession {
    /// The server's reply; nil for a name whose end the server would read as a range.
    func reply(to hash: FTPHash, of name: [UInt8]) async throws -> FTPReply? {
        switch hash.command {
        case .hash:
            // Another exchange may have chosen another kind on this connection. The reply names the kind that was used.
            return try await sendTogether([
                FTPCommand("OPTS", argument: Array("HASH \(hash.kind.rawValue)".utf8)),
                FTPCommand("HASH", argument: name),
            ])["HASH"]
        case .own(let verb):
            let words = name.split(separator: UInt8(ascii: " "))
            let endsInNumber = words.count > 1 && words.last?.allSatisfy { (48...57).contains($0) } == true
            if endsInNumber, verb != "MD5" { return nil }
            return try await send([FTPCommand(verb, argument: name)])[verb]
        }
    }
}

extension FTPHash {
    var verb: String {
        switch command {
        case .hash: "HASH"
        case .own(let verb): verb
        }
    }

    /// The hash of the whole file in `reply`, in lower case; nil if the reply has no such hash.
    ///
    /// - Parameter size: The file's size in bytes, if it is known.
    func value(in reply: FTPReply, size: Int64? = nil) -> String? {
        guard reply.isPositive, let line = reply.lines.last else { return nil }
        let words = String(decoding: line, as: UTF8.self).split(separator: " ").map(String.init)
        guard case .hash = command else { return words.last { isValue($0) }.map { kind.padded($0.lowercased()) } }
        // The words: kind, range of bytes (the end inclusive or not), value, name.
        guard words.count > 2, words[0].uppercased() == kind.rawValue, isValue(words[2]) else { return nil }
        let range = words[1].split(separator: "-").compactMap { Int64($0) }
        guard range.count == 2, range[0] == 0 else { return nil }
        if let size, range[1] != size, range[1] != size - 1 { return nil }
        return kind.padded(words[2].lowercased())
    }

    /// Some servers omit the leading zeros of a CRC.
    private func isValue(_ word: String) -> Bool {
        (word.count == kind.digits || kind == .crc32 && (1...8).contains(word.count)) && word.allSatisfy(\.isHexDigit)
    }
}

extension FTPHash.Kind {
    fileprivate var digits: Int {
        switch self {
        case .sha512: 128
        case .sha256: 64
        case .sha1: 40
        case .md5: 32
        case .crc32: 8
        }
    }

    func padded(_ value: String) -> String { String(repeating: "0", count: max(0, digits - value.count)) + value }
}
