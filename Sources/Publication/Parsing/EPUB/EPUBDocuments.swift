import Archives
import FileProviderCore
import Foundation
import SafeXML

/// Reads the XML documents of a publication from its fetcher, within limits, and notes what was wrong with them.
struct EPUBDocuments: Sendable {
    let fetcher: any Fetcher
    var warnings = WarningLog()
    /// What the container lists; nil where it was not asked.
    var inventory: EPUBInventory?
    var limits = XMLLimits()

    /// What resolves the references in the document at `href`.
    func references(in href: String) -> EPUBReferences {
        EPUBReferences(document: href, folder: HREFBase.folder(of: href), inventory: inventory, warnings: warnings)
    }

    /// The document at `href`. One that is not well-formed is read as far as it makes sense.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` or `.fileReadTooLarge` when it is no XML that is read here, else
    ///   the fetcher's error, such as `.fileReadNoSuchFile`, or `.fileReadNoPermission` for what is encrypted.
    func document(_ href: String) async throws -> XMLElement {
        let data = try await fetcher.data(href, limit: limits.bytes)
        noteForm(of: data, href: href)
        return try ForgivingXML(href: href, limits: limits, warnings: warnings).root(of: data)
    }

    /// The document at `href`; nil when there is none, and, with a warning that `consequence` ends, when it cannot be
    /// read. A connection that fails is still an error.
    func optionalDocument(_ href: String, consequence: String = "the book was opened without it") async throws
        -> XMLElement?
    {
        do {
            return try await document(href)
        } catch let error as CocoaError where error.isNoSuchFile {
            return nil
        } catch let error as CocoaError where error.code == .fileReadNoPermission {
            warnings.warn("locked-document", severity: .moderate, message: "“\(href)” is encrypted; \(consequence).")
            return nil
        } catch let error as CocoaError where ContentErrors.isOne(error) {
            warnings.warn("damaged-document", severity: .moderate, message: "“\(href)” cannot be read; \(consequence).")
            return nil
        }
    }

    /// EPUB asks for UTF-8 or UTF-16 and XML 1.0 (EPUB 3.3, section 3.1).
    private func noteForm(of data: Data, href: String) {
        if let encoding = ForgivingXML.declared("encoding", in: data), !ForgivingXML.isUnicode(encoding) {
            let name = encoding.uppercased()
            warnings.warn(
                "unusual-encoding", severity: .minor,
                message: "“\(href)” is written in \(name), which EPUB does not allow; it was converted.")
        }
        if let version = ForgivingXML.declared("version", in: data), version != "1.0" {
            warnings.warn(
                "unusual-xml-version", severity: .minor,
                message: "“\(href)” is written in XML \(version); it was read as XML 1.0.")
        }
    }
}
