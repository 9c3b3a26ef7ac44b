import Publication
import WebServer

extension EntityTag {
    /// The tag of a resource's bytes, of which the medium knows `validator`.
    ///
    /// - Parameters:
    ///   - publication: The identity of the publication.
    ///   - form: How the bytes that are sent are made of those of the resource; empty if they are the same.
    init(publication: String, href: String, validator: ResourceValidator, form: String = "") {
        self.init(ofParts: [publication, href, String(validator.length), validator.tag ?? "", form])
    }
}
