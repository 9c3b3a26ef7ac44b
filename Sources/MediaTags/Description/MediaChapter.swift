/// A chapter of a sound file.
public struct MediaChapter: Sendable, Hashable {
    /// Where it starts, in seconds, from 0 to one billion.
    public var start: Double
    /// What it is called; nil if it has no name.
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
    /// By start, the file's order deciding between equal ones; no more than are allowed.
    var inOrder: [MediaChapter] {
        let sorted = enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
        return sorted.prefix(MediaDescription.maxChapters).map(\.element)
    }
}
