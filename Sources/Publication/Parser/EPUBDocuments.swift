import FileProviderCore
import Foundation
import SafeXML

/// Reads the XML documents of a publication from its fetcher, within limits, and notes what was wrong with them.
struct EPUBDocuments {
    let fetcher: any Fetcher
    var warnings = WarningLog()
    /// What the container lists; nil where it was not asked.
    var inventory: EPUBInventory?
    var limits = XMLLimits()

    /// What resolves the references in the document at `href`.
    func references(in href: String) -> EPUBReferences {
        EPUBReferences(document: href, folder: EPUBPath.folder(of: href), inventory: inventory, warnings: warnings)
    }

    /// The document at `href`. One that is not well-formed is read as far as it makes sense.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` or `.fileReadTooLarge` when it is no XML that is read here, else the fetcher's
    ///   error, such as `.fileReadNoSuchFile`, or `.fileReadNoPermission` for what is encrypted.
    func document(_ href: String) async throws -> XMLElement {
        let data = try await fetcher.data(href, limit: limits.bytes)
        noteForm(of: data, href)
        do {
            return try XMLElement.parse(data, limits: limits)
        } catch let error as CocoaError {
            if error.code == .fileReadCorruptFile, let root = repaired(data, href) { return root }
            throw FileError.make(error.code, path: href, sentence: "“\(href)”: \(error.sentence)", underlying: error)
        }
    }

    /// The document at `href`; nil when there is none, and, with a warning that `consequence` ends, when it cannot be read. A connection
    /// that fails is still an error.
    func optionalDocument(_ href: String, consequence: String = "the book was opened without it") async throws -> XMLElement? {
        do {
            return try await document(href)
        } catch let error as CocoaError where error.isNoSuchFile {
            return nil
        } catch let error as CocoaError where error.code == .fileReadNoPermission {
            warnings.warn("locked-document", .moderate, "“\(href)” is encrypted; \(consequence).")
            return nil
        } catch let error as CocoaError where ContentErrors.isOne(error) {
            warnings.warn("damaged-document", .moderate, "“\(href)” cannot be read; \(consequence).")
            return nil
        }
    }

    /// What can be made of a document that is not well-formed: in the encoding that old Windows programs mean when they say nothing, if
    /// it is no UTF-8, else as far as it makes sense.
    private func repaired(_ data: Data, _ href: String) -> XMLElement? {
        let isUTF8 = String(validating: data, as: UTF8.self) != nil
        if !isUTF8, let root = try? XMLElement.parse(data, limits: limits, encoding: "windows-1252") {
            warnings.warn(
                "unusual-encoding", .moderate, "“\(href)” is not written in the encoding that it claims; it was read as Windows-1252.")
            return root
        }
        guard let root = try? XMLElement.parse(data, limits: limits, isLenient: true) else { return nil }
        warnings.warn("malformed-document", .moderate, "“\(href)” is not well-formed XML; it was read as far as it makes sense.")
        return root
    }

    /// EPUB asks for UTF-8 or UTF-16 and XML 1.0 (EPUB 3.3, section 3.1).
    private func noteForm(of data: Data, _ href: String) {
        let declaration = String(decoding: data.prefix(200).prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
        guard declaration.contains("<?xml") else { return }
        if let encoding = Self.value(of: "encoding", in: declaration)?.uppercased(),
            !["UTF-8", "UTF-16", "UTF8", "US-ASCII", "ASCII"].contains(encoding)
        {
            warnings.warn("unusual-encoding", .minor, "“\(href)” is written in \(encoding), which EPUB does not allow; it was converted.")
        }
        if let version = Self.value(of: "version", in: declaration), version != "1.0" {
            warnings.warn("unusual-xml-version", .minor, "“\(href)” is written in XML \(version); it was read as XML 1.0.")
        }
    }

    private static func value(of name: String, in declaration: String) -> String? {
        guard let range = declaration.range(of: name) else { return nil }
        let rest = declaration[range.upperBound...].drop { " \t\r\n=".contains($0) }
        guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
        return String(rest.dropFirst().prefix { $0 != quote }.prefix(40))
    }
}
