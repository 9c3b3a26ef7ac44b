/// The chapters of an ID3 tag, and the lists that order them (ID3v2 Chapter Frame Addendum, sections 3.1 and 3.2).
struct ID3Chapters {
    private struct List {
        var title: String?
        var children: [String]
        var isTop: Bool
    }

    private static let maxLists = 256
    private static let maxDepth = 8

    private var chapters: [String: MediaChapter] = [:]
    /// Chapters that repeat an earlier identifier.
    private var repeated: [MediaChapter] = []
    private var lists: [String: List] = [:]
    private var top: String?

    /// Reads a frame `CHAP`: an identifier, start and end in milliseconds, two offsets, and frames.
    mutating func take(chapter bytes: ArraySlice<UInt8>, version: Int) {
        guard chapters.count + repeated.count < MediaDescription.maxChapters,
            let (id, rest) = ID3Text.terminated(bytes, encoding: 0),
            let start = rest.big(0, 4), rest.count >= 16
        else { return }
        let chapter = MediaChapter(
            start: Double(start) / 1_000, title: Self.title(in: rest.dropFirst(16), version: version))
        if chapters[id] == nil { chapters[id] = chapter } else { repeated.append(chapter) }
    }

    /// Reads a frame `CTOC`: an identifier, flags, a count, as many identifiers, and frames.
    mutating func take(contents bytes: ArraySlice<UInt8>, version: Int) {
        guard lists.count < Self.maxLists, let (id, afterID) = ID3Text.terminated(bytes, encoding: 0),
            let flags = afterID.big(0, 1),
            let count = afterID.big(1, 1), lists[id] == nil
        else { return }
        var list = List(children: [], isTop: flags & 2 != 0)
        var rest = afterID.dropFirst(2)
        for _ in 0..<count {
            guard let (child, next) = ID3Text.terminated(rest, encoding: 0) else { break }
            list.children.append(child)
            rest = next
        }
        list.title = Self.title(in: rest, version: version)
        if list.isTop, top == nil { top = id }
        lists[id] = list
    }

    /// The tree of the topmost list; all chapters by their starts if there is no list, or if it is full and incomplete.
    var tree: [MediaChapter] {
        let all = (Array(chapters.values) + repeated).inOrder
        guard let top = top ?? (lists.count == 1 ? lists.keys.first : nil), let list = lists[top] else { return all }
        var seen: Set<String> = [top]
        let tree = list.children.compactMap { node($0, depth: 1, &seen) }
        if tree.isEmpty || (list.children.count == 255 && seen.count <= all.count) { return all }
        return tree
    }

    /// Each identifier counts once, so that the tree is finite.
    private func node(_ id: String, depth: Int, _ seen: inout Set<String>) -> MediaChapter? {
        guard depth <= Self.maxDepth, seen.insert(id).inserted else { return nil }
        if let chapter = chapters[id] { return chapter }
        guard let list = lists[id] else { return nil }
        let children = list.children.compactMap { node($0, depth: depth + 1, &seen) }
        guard let first = children.first else { return nil }
        return MediaChapter(start: first.start, title: list.title, children: children)
    }

    /// Returns the text of the first frame with a title.
    private static func title(in bytes: ArraySlice<UInt8>, version: Int) -> String? {
        var rest = bytes
        let (idLength, headerLength) = version == 2 ? (3, 6) : (4, 10)
        while rest.count > headerLength, let id = ID3Frames.id(rest.prefix(idLength)) {
            let plain = rest.big(idLength, version == 2 ? 3 : 4) ?? 0
            let size = version == 4 ? ID3Header.synchsafe(rest.dropFirst(4)) ?? plain : plain
            let content = rest.dropFirst(headerLength).prefix(Int(size))
            if id == "TIT2" || id == "TT2" { return ID3Text.texts(content).first }
            rest = rest.dropFirst(headerLength).dropFirst(Int(size))
        }
        return nil
    }
}
