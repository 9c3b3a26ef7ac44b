public import Foundation

/// Sound files that say much of themselves and hold no sound.
public enum SampleSound {
    /// A chapter: seconds, and a title.
    public typealias Chapter = (start: Double, title: String)

    /// A picture of one pixel, as far as its first bytes tell.
    public static let picture = joined(
        Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), Data(repeating: 7, count: 92))

    /// Bytes one after the other.
    public static func joined(_ parts: Data...) -> Data { parts.reduce(into: Data()) { $0.append($1) } }

    /// The bytes of a text.
    public static func text(_ text: String) -> Data { Data(text.utf8) }

    /// The bytes of a number, the most significant first.
    public static func big(_ value: Int, _ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) })
    }

    /// The bytes of a number, the least significant first.
    public static func little(_ value: Int, _ count: Int) -> Data { Data(big(value, count).reversed()) }

    /// Zeros.
    public static func zeros(_ count: Int) -> Data { Data(count: count) }
}
