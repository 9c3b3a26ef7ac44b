import Foundation

extension Decoder {
    /// The values of an object whose keys are all known. An unknown key is refused rather than lost: it may be a newer
    /// version's word, a slip, or a secret.
    ///
    /// - Parameter what: What the object is, such as `a connection`, for the sentence.
    /// - Throws: `DecodingError` with a sentence in it, which repeats no value.
    public func container<Key: CodingKey & CaseIterable>(
        ofKnown keys: Key.Type, in what: String
    ) throws -> KeyedDecodingContainer<Key> {
        let known = keys.allCases.map(\.stringValue)
        let list = known.joined(separator: ", ")
        let names = try container(keyedBy: AnyKey.self).allKeys.map(\.stringValue).sorted()
        if let unknown = names.first(where: { !known.contains($0) }) {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: codingPath, debugDescription: "“\(unknown)” is no key of \(what); there are: \(list)."))
        }
        return try container(keyedBy: keys)
    }
}

/// Any key there is.
private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) { nil }
}
