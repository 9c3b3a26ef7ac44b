public import Foundation
public import Publication

/// A link of a licence or status document (LCP 1.0, section 3.5).
public struct LicenseLink: Hashable, Sendable {
    /// The most links that a document may have; 200.
    public static let largestCount = 200

    /// What the link leads to, such as `publication`; at least one relation.
    public let rel: [String]
    /// The address as written, which is a template if ``templated``.
    public let href: String
    /// The media type of the resource. Links `hint` and `publication` of a licence always have one.
    public let type: String?
    /// The title for people.
    public let title: String?
    /// The profile of the resource, such as the encryption profile of a licence.
    public let profile: String?
    /// Whether ``href`` is a template (RFC 6570).
    public let templated: Bool
    /// The number of bytes of the resource.
    public let length: Int64?
    /// The SHA-256 of the resource as written. Servers write hexadecimal digits; section 3.5 has Base64.
    public let hash: String?
    /// The link as written, with members that have no property here.
    public let json: JSONValue

    /// - Parameter rel: The relation under which the link is listed, in documents that list links by relation.
    init(_ members: DocumentMembers, listedUnder rel: String? = nil) throws {
        json = members.json
        self.rel = try Self.relations(members, listedUnder: rel)
        href = try members.text("href")
        type = try members.optionalString("type")
        title = try members.optionalString("title")
        profile = try members.optionalString("profile")
        templated = try members.flag("templated")
        length = try Self.length(members)
        hash = try members.optionalString("hash")
        if templated {
            guard (try? URITemplate(href)) != nil else { throw members.fault("href", "is not a template of RFC 6570") }
        } else if !URIText.isClean(href) {
            throw members.fault("href", "is not a URI: it has white space or control characters")
        }
    }

    /// Returns the address to request.
    ///
    /// - Parameter parameters: Values for the variables of a template, not percent-encoded; variables without one expand
    ///   to nothing. Ignored if the link is not ``templated``.
    /// - Returns: Nil if the link is not an address with a scheme, such as one relative to the document.
    public func url(_ parameters: [String: String] = [:]) -> URL? {
        guard let text = try? address(parameters), URIText.isURI(text), let url = URL(string: text) else { return nil }
        return url.scheme.map { _ in url }
    }

    private func address(_ parameters: [String: String]) throws -> String {
        guard templated else { return href }
        return try URITemplate(href).expand(parameters.mapValues { URITemplate.Value.string($0) })
    }

    private static func relations(_ members: DocumentMembers, listedUnder rel: String?) throws -> [String] {
        var relations = [rel].compactMap(\.self)
        if let text = members.json["rel"]?.stringValue {
            relations.append(text)
        } else if rel == nil || members.has("rel") {
            _ = try members.required("rel")
            relations += try members.texts("rel")
        }
        var seen: Set<String> = []
        relations = relations.filter { seen.insert($0).inserted }
        guard !relations.isEmpty, !relations.contains("") else { throw members.fault("rel", "is empty") }
        return relations
    }

    /// An example in section 3.5 has digits in quotes, so that is accepted, too.
    private static func length(_ members: DocumentMembers) throws -> Int64? {
        guard let text = members.json["length"]?.stringValue else { return try members.optionalCount("length") }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let length = Int64(text)
        else { throw members.fault("length", "is not a whole number from 0") }
        return length
    }
}

extension DocumentMembers {
    /// The required links: an array, or, as early licences have them, an object with a link or an array of links for
    /// each relation.
    func links() throws -> [LicenseLink] {
        let value = try required("links")
        let links: [LicenseLink] =
            switch value {
            case .array(let elements): try listed(elements)
            case .object(let relations): try listed(relations)
            default: throw fault("links", "is neither an array nor an object")
            }
        try checkCount(links.count)
        return links
    }

    private func listed(_ elements: [JSONValue]) throws -> [LicenseLink] {
        try checkCount(elements.count)
        return try elements.enumerated().map { index, element in
            try LicenseLink(object(element, at: "links[\(index)]"))
        }
    }

    /// The relations have no order; they are taken by code point.
    private func listed(_ relations: [String: JSONValue]) throws -> [LicenseLink] {
        var links: [LicenseLink] = []
        for (rel, value) in relations.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            let elements = value.arrayValue ?? [value]
            try checkCount(links.count + elements.count)
            for (index, element) in elements.enumerated() {
                let place = value.arrayValue == nil ? "" : "[\(index)]"
                links.append(try LicenseLink(object(element, at: "links.\(rel)\(place)"), listedUnder: rel))
            }
        }
        return links
    }

    private func checkCount(_ count: Int) throws {
        guard count <= LicenseLink.largestCount else {
            throw fault("links", "has \(count) links or more, and at most \(LicenseLink.largestCount) are accepted")
        }
    }
}
