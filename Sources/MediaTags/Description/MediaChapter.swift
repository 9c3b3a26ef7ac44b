/// A chapter of a sound file.
public struct MediaChapter: Sendable, Hashable {
    /// The start in seconds, from 0 to one billion.
    public var start: Double
    /// The title; nil if the chapter has none.
    public var title: String?
    /// The chapters inside it.
    public var children: [MediaChapter]

    /// A chapter. An empty title counts as none.
    public init(start: Double, title: String?, children: [MediaChapter] = []) {
        self.start = start.isFinite ? min(max(0, start), 1_000_000_000) : 0
        let title = title.map(MediaText.trimmed)
        self.title = title?.isEmpty == false ? title : nil
        self.children = children
    }
}

extension [MediaChapter] {
    /// Sorted by start, with the file's order for equal starts; limited to the allowed number.
    var inOrder: [MediaChapter] {
        let sorted = enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
        return sorted.prefix(MediaDescription.maxChapters).map(\.element)
    }
}
