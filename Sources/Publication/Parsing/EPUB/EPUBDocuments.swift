import Archives
import FileProviderCore
import Foundation
import SafeXML

/// Reads the XML documents of a publication from its fetcher, within limits, and reports their faults.
struct EPUBDocuments: Sendable {
    let fetcher: any Fetcher
    var warnings = WarningLog()
    /// The files of the container; nil if they were not listed.
    var inventory: EPUBInventory?
    var limits = XMLLimits()

    /// Returns the resolver for references in the document at `href`.
    func references(in href: String) -> EPUBReferences {
        EPUBReferences(document: href, folder: HREFBase.folder(of: href), inventory: inventory, warnings: warnings)
    }

    /// Returns the document at `href`. One that is not well-formed is read as far as possible.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` or `.fileReadTooLarge` if it is not XML that can be read, else the
    ///   fetcher's error, such as `.fileReadNoSuchFile`, or `.fileReadNoPermission` if it is encrypted.
    func document(_ href: String) async throws -> XMLElement {
        let data = try await fetcher.data(href, limit: limits.bytes)
        noteForm(of: data, href: href)
        return try ForgivingXML(href: href, limits: limits, warnings: warnings).root(of: data)
    }

    /// Returns the document at `href`; nil if it does not exist and, with a warning that ends in `consequence`, if it
    /// cannot be read. A failing connection is still an error.
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

    /// EPUB requires UTF-8 or UTF-16 and XML 1.0 (EPUB 3.3, section 3.1).
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
