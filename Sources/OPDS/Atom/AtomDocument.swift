import Foundation
import SafeXML

/// Reads the XML of a catalogue, which need not be well-formed.
enum AtomDocument {
    /// Returns the outermost element.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if nothing can be read, `.fileReadTooLarge` over a limit.
    static func root(of data: Data, url: URL?, limits: CatalogLimits) throws -> XMLElement {
        let xmlLimits = Self.xmlLimits(limits)
        do {
            return try XMLElement.parse(data, limits: xmlLimits, expandsEntities: true)
        } catch let error as CocoaError where error.code == .fileReadCorruptFile {
            let repaired = try? XMLElement.parse(
                readable(data), limits: xmlLimits, isLenient: true, expandsEntities: true)
            if let repaired { return repaired }
            throw CocoaError.noCatalog(
                "The document is neither OPDS nor any other XML that can be read.", url: url, cause: error)
        } catch let error as CocoaError where error.code == .fileReadTooLarge {
            throw CocoaError.catalogTooLarge(
                error.userInfo[NSLocalizedDescriptionKey] as? String ?? "The document is too large.", url: url)
        }
    }

    /// A real entry has 20 to 80 elements, those of its description included.
    private static func xmlLimits(_ limits: CatalogLimits) -> XMLLimits {
        let entries = min(max(limits.entries, 0), 10_000)
        return XMLLimits(
            bytes: limits.bytes, depth: limits.depth, text: limits.text, attributes: 256,
            elements: (entries + 100) * 99)
    }

    /// Replaces invalid UTF-8, such as a character that was cut off, unless the document declares another encoding.
    private static func readable(_ data: Data) -> Data {
        let start = Array(data.prefix(4))
        guard !start.contains(0), !start.starts(with: [0xFE, 0xFF]), !start.starts(with: [0xFF, 0xFE]) else {
            return data
        }
        let declaration = String(decoding: data.prefix(200).prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
            .lowercased()
        guard !declaration.contains("encoding") || declaration.contains("utf-8") else { return data }
        return String(validating: data, as: UTF8.self) == nil ? Data(String(decoding: data, as: UTF8.self).utf8) : data
    }
}
