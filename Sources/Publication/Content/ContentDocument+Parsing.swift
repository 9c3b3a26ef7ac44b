import FileProviderCore
import Foundation
import SafeXML

extension ContentDocument {
    /// Takes the HTML or XHTML document `data` apart: by the rules of XML if it is XHTML and well-formed, else as
    /// browsers forgive HTML.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` over `limits`; `.fileReadUnknownStringEncoding` for an encoding that is
    ///   not known here.
    /// - Complexity: Linear in the bytes.
    static func parse(_ data: Data, link: Link, limits: ContentLimits = ContentLimits()) throws -> ContentDocument {
        do {
            if HTMLForm.isXML(data, of: link), let document = try xhtml(data, link, limits) { return document }
            return try html(data, link, limits)
        } catch let error as CocoaError {
            throw FileError.make(
                error.code, path: link.href, sentence: "“\(link.href)” cannot be read as text: \(error.sentence)",
                underlying: error)
        }
    }

    /// Nil for what is not well-formed.
    private static func xhtml(_ data: Data, _ link: Link, _ limits: ContentLimits) throws -> ContentDocument? {
        let builder = ContentBuilder(limits: limits)
        do {
            let parser = try XMLEventParser(
                limits: limits.xml, encoding: HTMLForm.declaredCharset(of: link), expandsEntities: true,
                handler: builder)
            try parser.parse(data)
            try parser.finish()
        } catch let error as CocoaError where error.code != .fileReadTooLarge {
            return nil
        }
        builder.finish()
        return builder.document
    }

    private static func html(_ data: Data, _ link: Link, _ limits: ContentLimits) throws -> ContentDocument {
        let builder = ContentBuilder(limits: limits)
        let encoding = HTMLForm.encodingName(of: data, link)
        try HTMLEventParser(limits: limits.xml, encoding: encoding, handler: builder).parse(data)
        builder.finish()
        return builder.document
    }
}
