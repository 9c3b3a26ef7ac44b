import FileProviderCore
import Foundation

/// The character set of a server's names: UTF-8 (RFC 2640), or an older one.
///
/// A path component is the name in UTF-8; bytes that are not text in the character set stay as they are. Each server
/// name maps to one path component, which maps back to the same bytes.
struct FTPCharset: Hashable, Sendable {
    /// The character set of servers with `UTF8` in their `FEAT`, and of most others. Nothing is converted.
    static let utf8 = FTPCharset(.utf8)

    private let encoding: TextEncoding

    /// The name as registered with IANA, in lower case.
    var name: String { encoding.name }

    private init(_ encoding: TextEncoding) { self.encoding = encoding }

    /// - Parameter name: Such as `windows-1251`, `shift_jis`, `gb18030`; in any case.
    /// - Throws: `CocoaError(.fileReadUnknownStringEncoding)` for a name that this system does not know, and for sets
    ///   in which ASCII has other bytes or states, such as `utf-16`, `iso-2022-jp` and EBCDIC: commands and slashes
    ///   could not be written.
    init(_ name: String) throws {
        let lower = name.lowercased()
        if lower == "utf-8" || lower == "utf8" {
            self = .utf8
            return
        }
        guard let encoding = TextEncoding(lower) else {
            throw FileError.make(
                .fileReadUnknownStringEncoding, path: "",
                sentence: "This system does not know a character set named “\(name)”.")
        }
        self.init(encoding)
        let (decoder, encoder) = (encoding.decoder(), encoding.encoder())
        // Some Japanese and Korean character sets have other characters in place of these two, which does no harm.
        let ascii = (1...0x7F as ClosedRange<UInt8>).filter { $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "~") }
        guard ascii.allSatisfy({ decoder?.convert([$0]) == [$0] && encoder?.convert([$0]) == [$0] }) else {
            throw FileError.make(
                .fileReadUnknownStringEncoding, path: "",
                sentence: "The character set “\(name)” cannot be used with FTP: it encodes ASCII differently.")
        }
    }

    /// The path component for one of the server's names.
    func component(of serverName: [UInt8]) -> [UInt8] {
        if self == .utf8 || Self.isSame(serverName) { return serverName }
        if let text = encoding.decoder()?.convert(serverName), !Self.hasEscapes(text),
            encoding.encoder()?.convert(text) == serverName
        {
            return text
        }
        // If it were valid UTF-8, it would be read as text on the way back.
        guard String(validating: serverName, as: UTF8.self) != nil else { return serverName }
        return serverName.flatMap { $0 < 0x80 ? [$0] : Array(String(Self.escape(of: $0)).utf8) }
    }

    /// As ``component(of:)``, of several names with slashes between them.
    func path(of serverPath: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        return Array(
            serverPath.split(separator: slash, omittingEmptySubsequences: false).map { component(of: Array($0)) }
                .joined(separator: [slash])
        )
    }

    /// The server's bytes for a path component.
    ///
    /// - Throws: `CocoaError(.fileWriteInapplicableStringEncoding)` for characters that the set does not have, and for
    ///   bytes that are not UTF-8 and would be a text to the server.
    func serverName(of component: [UInt8]) throws -> [UInt8] {
        if self == .utf8 || Self.isSame(component) { return component }
        let result: [UInt8]?
        if String(validating: component, as: UTF8.self) == nil {
            result = component
        } else {
            result = Self.hasEscapes(component) ? Self.unescaped(component) : encoding.encoder()?.convert(component)
        }
        if let result, FTPEntry.isName(result), self.component(of: result) == component { return result }
        let shown = String(decoding: component, as: UTF8.self)
        throw FileError.make(
            .fileWriteInapplicableStringEncoding, path: shown,
            sentence: "“\(shown)” contains characters that the server's character set, \(name), lacks.")
    }

    /// Whether a name has the same bytes in all accepted character sets.
    private static func isSame(_ name: [UInt8]) -> Bool {
        name.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "~") }
    }

    /// The character by which ``ProviderPath`` writes a byte that is not text.
    private static func escape(of byte: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(0x10FF00 + UInt32(byte)) ?? "\u{FFFD}"
    }

    private static func hasEscapes(_ text: [UInt8]) -> Bool {
        text.contains(0xF4) && String(decoding: text, as: UTF8.self).unicodeScalars.contains { $0.value >= 0x10FF80 }
    }

    /// The bytes of ASCII characters and escapes; nil where there are others.
    private static func unescaped(_ text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            guard scalar.isASCII || scalar.value >= 0x10FF80 && scalar.value <= 0x10FFFF else { return nil }
            bytes.append(UInt8(scalar.value & 0xFF))
        }
        return bytes
    }
}

extension FTPCharset: Codable {
    /// From the name.
    init(from decoder: any Decoder) throws { try self.init(decoder.singleValueContainer().decode(String.self)) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
