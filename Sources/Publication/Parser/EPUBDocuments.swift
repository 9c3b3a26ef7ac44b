import FileProviderCore
import Foundation
import SafeXML

/// Reads the XML documents of a publication from its fetcher, within limits.
struct EPUBDocuments {
    let fetcher: any Fetcher
    var limits = XMLLimits()

    /// The document at `href`.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` or `.fileReadTooLarge` when it is no XML that is read here, else the fetcher's
    ///   error, such as `.fileReadNoSuchFile`.
    func document(_ href: String) async throws -> XMLElement {
        let data = try await data(href)
        do {
            return try XMLElement.parse(data, limits: limits)
        } catch let error as CocoaError {
            throw FileError.make(error.code, path: href, sentence: "“\(href)”: \(error.sentence)", underlying: error)
        }
    }

    /// The document at `href`; nil when there is none, or none that can be read. A connection that fails is still an error.
    func optionalDocument(_ href: String) async throws -> XMLElement? {
        do {
            return try await document(href)
        } catch let error as CocoaError
            where error.isNoSuchFile || error.code == .fileReadCorruptFile || error.code == .fileReadTooLarge
        {
            return nil
        }
    }

    private func data(_ href: String) async throws -> Data {
        let resource = fetcher.get(href)
        let sink = DataSink(limit: limits.bytes)
        do throws(ResourceError) {
            try await resource.stream(nil, into: sink)
        } catch {
            await resource.close()
            throw error.cause
        }
        await resource.close()
        return sink.data
    }
}
