import CurlTransport
public import FileProviderCore
import Foundation

extension FTPFileProvider: FileProviderChecksums {
    /// Has the server compute it: by `HASH` (draft-bryan-ftp-hash), else by `MD5`, `XCRC`, `XMD5`, `XSHA1`, `XSHA256`
    /// or `XSHA512`, as the server's `FEAT` offers them.
    ///
    /// The server reads the whole file meanwhile and says nothing: a file for which that takes longer than
    /// `timeouts.idle` ends with `URLError(.timedOut)`. The commands that begin with X have no way to say where a name
    /// ends: one that ends in a number behind a blank is not asked about.
    ///
    /// - Throws: Also `CocoaError(.fileReadUnknown)` where the answer is no hash of that kind.
    /// - Complexity: One round trip, and the server's reading.
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
                sentence: "The server gave no \(kind) of “\(path)”.")
        }
    }
}

extension FTPHost {
    /// What the server can compute, as far as it was not heard to refuse.
    var hashes: [FTPHash] { features?.hashes.filter { mayKnow($0.verb) } ?? [] }
}

extension FTPSession {
    /// What the server says to being asked; nil for a name of which it would take the end for a range.
    func reply(to hash: FTPHash, of name: [UInt8]) async throws -> FTPReply? {
        switch hash.command {
        case .hash:
            // Whichever kind another exchange has chosen on this connection: the reply names the one that was taken.
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

    /// The hash of a whole file that `reply` tells, in lower case; nil where it tells something else.
    ///
    /// - Parameter size: The file's bytes, where they are known.
    func value(in reply: FTPReply, size: Int64? = nil) -> String? {
        guard reply.isPositive, let line = reply.lines.last else { return nil }
        let words = String(decoding: line, as: UTF8.self).split(separator: " ").map(String.init)
        guard case .hash = command else { return words.last { isValue($0) }.map { kind.padded($0.lowercased()) } }
        // Kind, first byte and last or the one behind that, value, name.
        guard words.count > 2, words[0].uppercased() == kind.rawValue, isValue(words[2]) else { return nil }
        let range = words[1].split(separator: "-").compactMap { Int64($0) }
        guard range.count == 2, range[0] == 0 else { return nil }
        if let size, range[1] != size, range[1] != size - 1 { return nil }
        return kind.padded(words[2].lowercased())
    }

    /// Some servers leave out the zeros in front of a CRC.
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
