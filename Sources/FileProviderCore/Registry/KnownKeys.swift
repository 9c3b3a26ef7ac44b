import Foundation

extension Decoder {
    /// Returns the container of an object, and refuses unknown keys rather than lose them: a key may be a newer
    /// version's, a typing error, or a secret.
    ///
    /// - Parameter what: The kind of object for the sentence, such as `a connection`.
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
                    codingPath: codingPath,
                    debugDescription: "“\(unknown)” is not a key of \(what). The keys are: \(list)."))
        }
        return try container(keyedBy: keys)
    }
}

/// A key of any name.
private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) { nil }
}
