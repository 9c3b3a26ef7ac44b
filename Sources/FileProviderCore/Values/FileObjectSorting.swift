import Foundation

/// An order for listings: the same items always come in the same order, whatever order they had.
///
/// Items that are equal by ``type`` follow by name as people read it, then by path. What is unknown (no size, no date)
/// comes last in both directions, folders among the files unless ``isDirectoriesFirst``.
public struct FileObjectSorting: Sendable, Hashable {
    /// What decides.
    public enum SortType: String, Sendable, Hashable, Codable, CaseIterable {
        /// As people read: no matter which case and accents, digits as numbers, so that `a2` comes before `a10`.
        case name
        /// By the names' UTF-8 bytes.
        case nameCaseSensitive
        /// By the names' UTF-8 bytes once case is taken out of them.
        case nameCaseInsensitive
        /// By what follows the last dot of the name, in any case; names without one come last.
        case `extension`
        /// By when the content changed last.
        case modifiedDate
        /// By when the item was made, which most storages do not tell.
        case creationDate
        /// By bytes; folders have none and come last.
        case size
    }

    /// What decides first.
    public var type: SortType
    /// Whether letters go from A to Z, sizes and dates from small to large. What is equal by ``type`` is never turned
    /// round.
    public var ascending: Bool
    /// Whether folders come before everything else, in both directions.
    public var isDirectoriesFirst: Bool

    /// Ascending, folders among the files, unless said otherwise.
    public init(type: SortType, ascending: Bool = true, isDirectoriesFirst: Bool = false) {
        self.type = type
        self.ascending = ascending
        self.isDirectoriesFirst = isDirectoriesFirst
    }

    /// The items in this order; those that are the same in everything that counts stay as they were.
    ///
    /// - Complexity: O(n log n); each name is prepared once.
    public func sort(_ files: [FileObject]) -> [FileObject] {
        let prepared = files.map { SortKey($0, key: key(of: $0)) }
        // Indices rather than items, which are large to move about.
        return files.indices.sorted { precedes(prepared[$0], prepared[$1]) ?? ($0 < $1) }.map { files[$0] }
    }

    /// What of an item decides.
    private struct SortKey {
        let isDirectory: Bool
        let key: Key?
        let name: [UInt32]
        let path: ProviderPath

        init(_ file: FileObject, key: Key?) {
            isDirectory = file.isDirectory
            self.key = key
            name = ReadingOrder.key(of: file.name)
            path = file.path
        }
    }

    private enum Key {
        case text([UInt32])
        case number(Int64)
        case date(Date)
        /// The name as people read it, which every item has at hand.
        case name
    }

    private func key(of file: FileObject) -> Key? {
        switch type {
        case .name: .name
        case .nameCaseSensitive: .text(file.name.unicodeScalars.map(\.value))
        case .nameCaseInsensitive: .text(TextFolding.scalars(of: file.name, .caseInsensitive))
        case .extension:
            Self.fileExtension(of: file.name).map { .text(TextFolding.scalars(of: $0, .caseInsensitive)) }
        case .modifiedDate: file.modifiedDate.map { .date($0) }
        case .creationDate: file.creationDate.map { .date($0) }
        case .size: file.size.map { .number($0) }
        }
    }

    /// Of the name and not of the path, which may be an identifier.
    private static func fileExtension(of name: String) -> String? {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex, name.index(after: dot) != name.endIndex else {
            return nil
        }
        return String(name[name.index(after: dot)...])
    }

    /// Nil for two that are the same in everything that counts.
    private func precedes(_ one: SortKey, _ other: SortKey) -> Bool? {
        if isDirectoriesFirst, one.isDirectory != other.isDirectory { return one.isDirectory }
        if (one.key == nil) != (other.key == nil) { return one.key != nil }
        let order = Self.order(one, other)
        if order != 0 { return ascending ? order < 0 : order > 0 }
        let byName = ReadingOrder.compare(one.name, other.name)
        if byName != 0 { return byName < 0 }
        return one.path == other.path ? nil : one.path < other.path
    }

    /// Below 0 when `one` comes first, above 0 when `other` does.
    private static func order(_ one: SortKey, _ other: SortKey) -> Int {
        switch (one.key, other.key) {
        case (.text(let one), .text(let other)): ReadingOrder.compare(one, other)
        case (.number(let one), .number(let other)): one < other ? -1 : one > other ? 1 : 0
        case (.date(let one), .date(let other)): one < other ? -1 : one > other ? 1 : 0
        case (.name, .name): ReadingOrder.compare(one.name, other.name)
        default: 0
        }
    }
}

extension FileObjectSorting {
    /// From A to Z as people read, `a2` before `a10`.
    public static let nameAscending = FileObjectSorting(type: .name)
    /// From Z to A as people read.
    public static let nameDescending = FileObjectSorting(type: .name, ascending: false)
    /// The smallest first; folders last.
    public static let sizeAscending = FileObjectSorting(type: .size)
    /// The largest first; folders last.
    public static let sizeDescending = FileObjectSorting(type: .size, ascending: false)
    /// By extension from A to Z; names without one last.
    public static let extensionAscending = FileObjectSorting(type: .extension)
    /// By extension from Z to A; names without one last.
    public static let extensionDescending = FileObjectSorting(type: .extension, ascending: false)
    /// What has not changed for longest first; what has no date last.
    public static let modifiedAscending = FileObjectSorting(type: .modifiedDate)
    /// What changed last first; what has no date last.
    public static let modifiedDescending = FileObjectSorting(type: .modifiedDate, ascending: false)
    /// The oldest first; what has no date last.
    public static let createdAscending = FileObjectSorting(type: .creationDate)
    /// The newest first; what has no date last.
    public static let createdDescending = FileObjectSorting(type: .creationDate, ascending: false)

    /// The older FileProvider interface's spelling.
    @available(*, deprecated, renamed: "nameDescending")
    public static var nameDesceding: Self { nameDescending }
    /// The older FileProvider interface's spelling.
    @available(*, deprecated, renamed: "sizeDescending")
    public static var sizeDesceding: Self { sizeDescending }
    /// The older FileProvider interface's spelling.
    @available(*, deprecated, renamed: "extensionDescending")
    public static var extensionDesceding: Self { extensionDescending }
    /// The older FileProvider interface's spelling.
    @available(*, deprecated, renamed: "modifiedDescending")
    public static var modifiedDesceding: Self { modifiedDescending }
    /// The older FileProvider interface's spelling.
    @available(*, deprecated, renamed: "createdDescending")
    public static var createdDesceding: Self { createdDescending }
}

/// Names in the order of people who count.
private enum ReadingOrder {
    /// The name so that scalar by scalar gives that order: a run of ASCII digits becomes `0`, how many there are, and
    /// the digits, without leading zeros.
    static func key(of name: String) -> [UInt32] {
        let text = TextFolding.scalars(of: name, [.caseInsensitive, .diacriticInsensitive])
        let zero = UInt32(UInt8(ascii: "0"))
        let digits = zero...(zero + 9)
        var key: [UInt32] = []
        key.reserveCapacity(text.count + 4)
        var position = 0
        while position < text.count {
            guard digits.contains(text[position]) else {
                key.append(text[position])
                position += 1
                continue
            }
            let end = text[position...].firstIndex { !digits.contains($0) } ?? text.count
            let number = text[position..<end].drop { $0 == zero }
            key += [zero, UInt32(number.count)]
            key += number
            position = end
        }
        return key
    }

    /// Below 0 when `one` comes first, above 0 when `other` does.
    static func compare(_ one: [UInt32], _ other: [UInt32]) -> Int {
        for index in 0..<min(one.count, other.count) where one[index] != other[index] {
            return one[index] < other[index] ? -1 : 1
        }
        return one.count - other.count
    }
}
