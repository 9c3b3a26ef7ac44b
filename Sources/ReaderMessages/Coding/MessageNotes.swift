/// What was noticed in a message that was read all the same.
public struct MessageNotes: Hashable, Sendable {
    /// Sentences about what was repaired or left out. At most ``maxWarnings``, each once.
    public var warnings: [String] = []
    /// The timestamp as it stands in the message, which a status gives back.
    public var timestampText: String?

    /// How many warnings one message gets, whatever is wrong with it.
    public static let maxWarnings = 100

    /// Nothing was noticed.
    public init() {}

    mutating func warn(_ sentence: String) {
        guard warnings.count < Self.maxWarnings, !warnings.contains(sentence) else { return }
        warnings.append(sentence)
    }
}
