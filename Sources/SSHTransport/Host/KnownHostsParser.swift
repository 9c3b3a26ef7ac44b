import Cryptography
import Foundation

/// A host as the files name it: in lower case, with brackets and port where the port is not 22.
struct KnownHostName: Sendable, Hashable {
    let text: [UInt8]
    /// The host alone, where `text` has a port.
    let withoutPort: [UInt8]?

    init(host: String, port: Int) {
        var plain = host.lowercased()
        if plain.hasPrefix("["), plain.hasSuffix("]") { plain = String(plain.dropFirst().dropLast()) }
        text = port == 22 ? Array(plain.utf8) : Array("[\(plain)]:\(port)".utf8)
        withoutPort = port == 22 ? nil : Array(plain.utf8)
    }

    /// Whether the host can be written to a file without being read as something else: patterns, lists and comments
    /// have special characters.
    var isPlain: Bool {
        let host = withoutPort ?? text
        return !host.isEmpty && host.count <= 1024
            && host.allSatisfy { (0x21...0x7E).contains($0) && !"*?!,|#@[]\\\"".utf8.contains($0) }
    }
}

/// Finds the lines that name one host, in bytes that arrive in pieces.
struct KnownHostsParser {
    private let name: KnownHostName
    private let file: String
    private var line: [UInt8] = []
    private var isTooLong = false
    private var number = 0
    private(set) var entries: [KnownHostEntry] = []
    private(set) var skippedLines: [String] = []
    private(set) var skippedCount = 0
    /// Whether lines for the host were left out.
    private(set) var isOverfull = false

    static let maxSkippedLines = 10
    /// In bytes; a line of RSA with 16,384 bits has less than 4,000.
    private static let maxLineLength = 64 << 10
    /// Lines for one host, most of which are keys revoked for all hosts where there are many.
    private static let maxEntries = 10_000

    init(name: KnownHostName, file: String) {
        self.name = name
        self.file = file
    }

    /// The next bytes of the file.
    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            gather(rest[..<end])
            endLine()
            rest = rest[(end + 1)...]
        }
        gather(rest)
    }

    /// The last line may lack its end.
    mutating func finish() {
        if !line.isEmpty || isTooLong { endLine() }
    }

    private mutating func gather(_ bytes: Slice<UnsafeRawBufferPointer>) {
        if line.count + bytes.count > Self.maxLineLength { isTooLong = true }
        if !isTooLong { line.append(contentsOf: bytes) }
    }

    private mutating func endLine() {
        number += 1
        if isTooLong {
            skip()
        } else {
            read()
        }
        line.removeAll(keepingCapacity: true)
        isTooLong = false
    }

    private mutating func skip() {
        skippedCount += 1
        if skippedLines.count < Self.maxSkippedLines { skippedLines.append("\(file):\(number)") }
    }

    private mutating func read() {
        var words = KnownHostsWords(line)
        guard var names = words.next(), names.first != UInt8(ascii: "#") else { return }
        var marker = KnownHostEntry.Marker.none
        if names.first == UInt8(ascii: "@") {
            switch String(decoding: names, as: UTF8.self) {
            case "@cert-authority": marker = .authority
            case "@revoked": marker = .revoked
            default: return skip()
            }
            guard let next = words.next() else { return skip() }
            names = next
        }
        guard let type = words.next(), let text = words.next() else { return skip() }
        let match: KnownHostMatch
        if names.first == UInt8(ascii: "|") {
            guard let hashed = HashedHostName(names) else { return skip() }
            match = KnownHostMatch(name) { hashed.matches($0) }
        } else {
            match = KnownHostMatch(name) { KnownHostsPatterns.matches($0, names) }
        }
        // Keys of other hosts are not parsed, because there may be very many.
        guard match != .none else { return }
        guard let key = HostKey(base64: String(decoding: text, as: UTF8.self)), Array(key.type.utf8) == Array(type)
        else { return skip() }
        if entries.count >= Self.maxEntries {
            isOverfull = true
            return
        }
        entries.append(KnownHostEntry(key: key, marker: marker, file: file, line: number, hasPort: match == .exact))
    }
}

/// Whether a line names a host, and whether it names the port.
private enum KnownHostMatch {
    case exact, withoutPort, none

    init(_ name: KnownHostName, _ matches: ([UInt8]) -> Bool) {
        if matches(name.text) {
            self = .exact
        } else if let withoutPort = name.withoutPort, matches(withoutPort) {
            self = .withoutPort
        } else {
            self = .none
        }
    }
}

/// Words apart by spaces and tabs.
private struct KnownHostsWords {
    private var rest: ArraySlice<UInt8>

    init(_ line: [UInt8]) {
        rest = line[...]
        if rest.last == UInt8(ascii: "\r") { rest = rest.dropLast() }
    }

    mutating func next() -> ArraySlice<UInt8>? {
        rest = rest.drop(while: Self.isSpace)
        let word = rest.prefix { !Self.isSpace($0) }
        rest = rest.dropFirst(word.count)
        return word.isEmpty ? nil : word
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}

/// A hashed name: `|1|salt|hash`, both in base64. The hash is the HMAC-SHA1 of the name with the salt as the key.
struct HashedHostName {
    private let salt: Data
    private let hash: Data

    init?(_ text: ArraySlice<UInt8>) {
        let parts = text.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].isEmpty, parts[1].elementsEqual("1".utf8),
            let salt = Data(base64Encoded: Data(parts[2])), let hash = Data(base64Encoded: Data(parts[3])),
            salt.count == HashAlgorithm.sha1.byteCount, hash.count == HashAlgorithm.sha1.byteCount
        else { return nil }
        self.salt = salt
        self.hash = hash
    }

    func matches(_ name: [UInt8]) -> Bool {
        HMAC.isValid(hash, of: name, key: salt, algorithm: .sha1)
    }

    /// Hashes `name` with a new random salt.
    static func make(_ name: [UInt8]) -> String {
        let salt = (0..<HashAlgorithm.sha1.byteCount).map { _ in UInt8.random(in: 0...255) }
        let code = HMAC.code(of: name, key: salt, .sha1)
        return "|1|\(Data(salt).base64EncodedString())|\(code.base64)"
    }
}
