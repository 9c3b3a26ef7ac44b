import FileProviderCore
import Foundation

/// How a server writes names that are not ASCII: UTF-8 (RFC 2640), or a character set of before.
///
/// A path component has the name in UTF-8; what the server's bytes are not a text of stays bytes. Each of the server's
/// names has one path component, and that one leads back to the same bytes.
struct FTPCharset: Hashable, Sendable {
    /// What servers write that say `UTF8` in `FEAT`, and most others; nothing is converted.
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
                sentence: "This system knows no character set that is called “\(name)”.")
        }
        self.init(encoding)
        let (decoder, encoder) = (encoding.decoder(), encoding.encoder())
        // Japanese and Korean sets have a currency sign and a line over in the places of two, which are no danger.
        let ascii = (1...0x7F as ClosedRange<UInt8>).filter { $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "~") }
        guard ascii.allSatisfy({ decoder?.convert([$0]) == [$0] && encoder?.convert([$0]) == [$0] }) else {
            throw FileError.make(
                .fileReadUnknownStringEncoding, path: "",
                sentence: "“\(name)” is not a character set that FTP can have: ASCII differs in it.")
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
        // As UTF-8 it would be taken for a text on the way back.
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
            sentence: "“\(shown)” has characters that the server's character set, \(name), does not have.")
    }

    /// Whether a name is the same in all sets that are taken here.
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
