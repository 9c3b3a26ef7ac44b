import FileProviderCore
import Foundation

extension Link {
    /// The variables of a ``templated`` href, each once, in order; none without a template, or for a malformed one.
    public var templateParameters: [String] {
        templated ? (try? URITemplate(href))?.variables ?? [] : []
    }

    /// The link to what the template gives with `parameters`, which are not percent-encoded (RFC 6570); variables
    /// without a value vanish. A link that is not ``templated`` stays as it is.
    ///
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` when the template is malformed.
    public func expandTemplate(_ parameters: [String: String]) throws -> Link {
        guard templated else { return self }
        var link = self
        link.href = try URITemplate(href).expand(parameters.mapValues { .string($0) })
        link.templated = false
        return link
    }

    /// The link to ask for with `parameters`, at least one of which must be of use.
    func request(_ parameters: [String: String]) throws -> Link {
        guard templated else {
            throw FileError.make(.fileReadInvalidFileName, path: href, sentence: "“\(href)” takes no parameters.")
        }
        let link = try expandTemplate(parameters)
        guard templateParameters.contains(where: { parameters[$0] != nil }) else {
            throw FileError.make(
                .fileReadInvalidFileName, path: href, sentence: "“\(href)” needs parameters, and has got none.")
        }
        return link
    }
}
