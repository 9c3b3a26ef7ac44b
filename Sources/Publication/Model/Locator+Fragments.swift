public import Foundation

/// Parses fragments: Media Fragments URI 1.0 (W3C) for sound, video and images, RFC 3778 for PDF, ids for HTML.
extension Locator.Locations {
    /// A part of a recording, in seconds from its start.
    public struct TimeSpan: Hashable, Sendable {
        /// Where it begins.
        public var start: Double
        /// Where it ends, after ``start``; nil for the end of the recording.
        public var end: Double?
    }

    /// A rectangle in an image or a video.
    public struct Region: Hashable, Sendable {
        /// The rectangle; its size is above zero.
        public var rectangle: CGRect
        /// Whether the numbers are percents of the whole, not pixels.
        public var isPercent: Bool
    }

    /// The first time among the fragments (`t=12.5`, `t=npt:10,20`, `t=,1:02:03`; Media Fragments, section 4.2.1); nil
    /// for other clocks.
    public var time: TimeSpan? { values(of: "t").lazy.compactMap(Self.timeSpan).first }

    /// The first page among the fragments (`page=12`), counted from 1.
    public var page: Int? { values(of: "page").lazy.compactMap { Int($0) }.first { $0 > 0 } }

    /// The first rectangle among the fragments (`xywh=160,120,320,240`, `xywh=percent:25,25,50,50`; Media Fragments,
    /// section 4.2.2).
    public var region: Region? { values(of: "xywh").lazy.compactMap(Self.region).first }

    /// The first id of an HTML element among the fragments, percent-decoded: `id=c1`, or a fragment that is no list of
    /// names and values and no directive (`:~:`) or EPUB CFI.
    public var htmlID: String? {
        if let id = values(of: "id").first(where: { !$0.isEmpty }) { return id }
        let plain = fragments.lazy.map(Self.bare).first {
            !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: "=")) && !$0.hasPrefix(":~:") && !$0.hasPrefix("epubcfi(")
        }
        return plain.map { $0.removingPercentEncoding ?? $0 }
    }

    /// Delimiters are searched for before decoding, because encoded ones are ordinary characters.
    private func values(of name: String) -> [String] {
        fragments.flatMap { Self.bare($0).split(separator: "&") }.compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0] == name else { return nil }
            return parts[1].removingPercentEncoding
        }
    }

    private static func bare(_ fragment: String) -> String {
        fragment.hasPrefix("#") ? String(fragment.dropFirst()) : fragment
    }

    private static func timeSpan(_ text: String) -> TimeSpan? {
        let text = text.hasPrefix("npt:") ? text.dropFirst(4) : Substring(text)
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2 else { return nil }
        guard let start = first.isEmpty && parts.count == 2 ? 0 : seconds(first) else { return nil }
        guard parts.count == 2 else { return TimeSpan(start: start, end: nil) }
        guard let end = seconds(parts[1]), end > start else { return nil }
        return TimeSpan(start: start, end: end)
    }

    /// Normal play time: seconds, `mm:ss` or `hh:mm:ss`, with a fraction.
    private static func seconds(_ text: Substring) -> Double? {
        guard text.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: ":")).contains($0) })
        else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Double($0) }
        guard numbers.count == parts.count, numbers.count <= 3, numbers.dropFirst().allSatisfy({ $0 < 60 }) else {
            return nil
        }
        let total = numbers.reduce(0) { $0 * 60 + $1 }
        return total.isFinite ? total : nil
    }

    private static func region(_ text: String) -> Region? {
        let isPercent = text.hasPrefix("percent:")
        let list = isPercent ? text.dropFirst(8) : text.hasPrefix("pixel:") ? text.dropFirst(6) : Substring(text)
        let parts = list.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Double($0) }.filter { $0.isFinite && $0 >= 0 }
        guard parts.count == 4, numbers.count == 4, numbers[2] > 0, numbers[3] > 0 else { return nil }
        return Region(
            rectangle: CGRect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]), isPercent: isPercent
        )
    }
}
