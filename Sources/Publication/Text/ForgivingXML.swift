import Archives
import FileProviderCore
import Foundation
import SafeXML

/// Reads an XML document of a publication that may not be well-formed, and reports its faults.
///
/// A well-formed document is parsed once, strictly. Entities that a document declares as plain text are expanded,
/// others never.
struct ForgivingXML {
    /// The document's address, for warnings and errors.
    let href: String
    let limits: XMLLimits
    let warnings: WarningLog

    /// Returns the outermost element of the document in `data`.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` or `.fileReadTooLarge` if it is not XML that can be read; the
    ///   sentence names the document.
    func root(of data: Data) throws -> XMLElement {
        do {
            return try XMLElement.parse(data, limits: limits, expandsEntities: true)
        } catch let error as CocoaError {
            if error.code == .fileReadCorruptFile, let root = repaired(data) { return root }
            throw FileError.make(error.code, path: href, sentence: "“\(href)”: \(error.sentence)", underlying: error)
        }
    }

    /// Repairs the document: in the usual encoding of old Windows programs if it is hardly UTF-8, and as far as
    /// possible.
    private func repaired(_ data: Data) -> XMLElement? {
        let isOdd = isMeantAsUTF8(data) && String(validating: data, as: UTF8.self) == nil
        let repaired = isOdd ? mostlyUTF8(data) : nil
        let encoding = isOdd && repaired == nil ? "windows-1252" : nil
        let data = repaired ?? data
        var root = encoding.flatMap { try? XMLElement.parse(data, limits: limits, encoding: $0, expandsEntities: true) }
        let isWellFormed = root != nil
        root =
            root
            ?? (try? XMLElement.parse(data, limits: limits, encoding: encoding, isLenient: true, expandsEntities: true))
        guard let root else { return nil }
        if encoding != nil {
            warnings.warn(
                "unusual-encoding", severity: .moderate,
                message: "“\(href)” is not in the encoding that it declares; it was read as Windows-1252.")
        }
        if !isWellFormed {
            warnings.warn(
                "malformed-document", severity: .moderate,
                message: "“\(href)” is not well-formed XML; the readable parts were used.")
        }
        return root
    }

    /// Returns the document with replacement characters for invalid UTF-8, such as a character that was cut off; nil if
    /// more of it is invalid than valid.
    private func mostlyUTF8(_ data: Data) -> Data? {
        let text = String(decoding: data, as: UTF8.self)
        var (right, wrong) = (0, 0)
        for scalar in text.unicodeScalars where !scalar.isASCII {
            if scalar == "\u{FFFD}" { wrong += 1 } else { right += 1 }
        }
        return wrong < right ? Data(text.utf8) : nil
    }

    /// Whether the document declares UTF-8, or nothing.
    private func isMeantAsUTF8(_ data: Data) -> Bool {
        // UTF-16 and UTF-32 have marks or zeros.
        guard !data.prefix(4).contains(0), !data.starts(with: [0xFE, 0xFF]), !data.starts(with: [0xFF, 0xFE]) else {
            return false
        }
        guard let encoding = Self.declared("encoding", in: data) else { return true }
        return Self.isUnicode(encoding)
    }

    /// Whether EPUB allows `encoding` (EPUB 3.3, section 3.1), or it is ASCII, as some write it.
    static func isUnicode(_ encoding: String) -> Bool {
        ["UTF-8", "UTF-16", "UTF8", "US-ASCII", "ASCII"].contains(encoding.uppercased())
    }

    /// Returns the value of `name` in the XML declaration; nil if there is none.
    static func declared(_ name: String, in data: Data) -> String? {
        let declaration = String(decoding: data.prefix(200).prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
        guard declaration.contains("<?xml"), let range = declaration.range(of: name) else { return nil }
        let rest = declaration[range.upperBound...].drop { " \t\r\n=".contains($0) }
        guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
        return String(rest.dropFirst().prefix { $0 != quote }.prefix(40))
    }
}
