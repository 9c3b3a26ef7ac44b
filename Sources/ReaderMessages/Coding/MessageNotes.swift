/// Remarks about a message that was read despite its flaws.
public struct MessageNotes: Hashable, Sendable {
    /// Sentences about what was repaired or left out. At most ``maxWarnings``, without duplicates.
    public var warnings: [String] = []
    /// The timestamp as written in the message, which a status repeats.
    public var timestampText: String?

    /// The most warnings for one message.
    public static let maxWarnings = 100

    /// Creates notes without warnings.
    public init() {}

    mutating func warn(_ sentence: String) {
        guard warnings.count < Self.maxWarnings, !warnings.contains(sentence) else { return }
        warnings.append(sentence)
    }
}
