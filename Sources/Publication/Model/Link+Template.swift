import FileProviderCore
import Foundation

extension Link {
    /// The variables of a ``templated`` href, each once, in order; none if the link is not templated or the template is
    /// malformed.
    public var templateParameters: [String] {
        templated ? (try? URITemplate(href))?.variables ?? [] : []
    }

    /// Returns the link with the template expanded by `parameters`, which are not percent-encoded (RFC 6570). Variables
    /// without a value expand to nothing. Returns a link that is not ``templated`` unchanged.
    ///
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` when the template is malformed.
    public func expandTemplate(_ parameters: [String: String]) throws -> Link {
        guard templated else { return self }
        var link = self
        link.href = try URITemplate(href).expand(parameters.mapValues { .string($0) })
        link.templated = false
        return link
    }

    /// Returns the link to request with `parameters`. At least one parameter must be a variable of the template.
    func request(_ parameters: [String: String]) throws -> Link {
        guard templated else {
            throw FileError.make(
                .fileReadInvalidFileName, path: href, sentence: "“\(href)” does not accept parameters.")
        }
        let link = try expandTemplate(parameters)
        guard templateParameters.contains(where: { parameters[$0] != nil }) else {
            throw FileError.make(
                .fileReadInvalidFileName, path: href, sentence: "“\(href)” needs parameters, but none were given.")
        }
        return link
    }
}
