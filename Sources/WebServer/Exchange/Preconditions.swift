/// The conditions of a request, in their order of precedence (RFC 9110, section 13.2.2).
///
/// Answers have strong tags and no dates. `If-Modified-Since` and `If-Unmodified-Since` are therefore ignored, and a date
/// in `If-Range` matches nothing.
package struct Preconditions {
    package enum Outcome: Equatable {
        /// - Parameter usesRange: Whether a range may be answered with a part.
        case proceed(usesRange: Bool)
        case notModified
        case failed
    }

    private let ifMatch: String?
    private let ifNoneMatch: String?
    private let ifRange: String?

    package init(_ request: ServerRequest) {
        ifMatch = request.header("If-Match")
        ifNoneMatch = request.header("If-None-Match")
        ifRange = request.header("If-Range")
    }

    /// Evaluates the conditions for a resource that exists.
    ///
    /// - Parameter tags: The tags of the answer; the first one is that of the bytes without a coding, of which alone
    ///   there are parts. Empty if its version is not known.
    package func evaluate(_ tags: [EntityTag]) -> Outcome {
        if let ifMatch, !matches(ifMatch, tags, weakly: false) { return .failed }
        if let ifNoneMatch, matches(ifNoneMatch, tags, weakly: true) { return .notModified }
        guard let ifRange else { return .proceed(usesRange: true) }
        return .proceed(usesRange: ifRange == tags.first?.value)
    }

    /// Whether a tag is in `list`; `*` matches everything that exists. A weak tag of the client matches only if weak
    /// comparison is allowed (RFC 9110, section 8.8.3.2).
    ///
    /// A client's tag may have a comma in it. Its pieces equal none of ours, which have no comma and both quotes.
    private func matches(_ list: String, _ tags: [EntityTag], weakly: Bool) -> Bool {
        if list.trimmed == "*" { return true }
        return list.split(separator: ",").contains { item in
            var tag = item.trimmed
            if tag.hasPrefix("W/") {
                guard weakly else { return false }
                tag = tag.dropFirst(2)
            }
            return tags.contains { $0.value == tag }
        }
    }
}

extension String {
    /// Without spaces and tabs at both ends.
    fileprivate var trimmed: Substring { self[...].trimmed }
}
