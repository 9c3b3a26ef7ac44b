import Foundation

/// An order for listings: the same items always get the same order, whatever order they had.
///
/// Items that are equal by ``type`` follow by name as people read it, then by path. Items with an unknown value (no
/// size, no date) are last in both directions, folders among the files unless ``isDirectoriesFirst``.
public struct FileObjectSorting: Sendable, Hashable {
    /// The property to sort by.
    public enum SortType: String, Sendable, Hashable, Codable, CaseIterable {
        /// As people read: ignores case and accents, and compares digits as numbers, so that `a2` comes before `a10`.
        case name
        /// By the names' UTF-8 bytes.
        case nameCaseSensitive
        /// By the names' UTF-8 bytes after case folding.
        case nameCaseInsensitive
        /// By the part of the name after its last dot, in any case; names without one are last.
        case `extension`
        /// By the time of the last change of the content.
        case modifiedDate
        /// By the time of creation, which most storages do not report.
        case creationDate
        /// By bytes; folders have none and are last.
        case size
    }

    /// The property to sort by first.
    public var type: SortType
    /// Whether letters go from A to Z, and sizes and dates from small to large. The order of items that are equal by
    /// ``type`` is never reversed.
    public var ascending: Bool
    /// Whether folders come before everything else, in both directions.
    public var isDirectoriesFirst: Bool

    /// Creates an order: by default ascending, folders among the files.
    public init(type: SortType, ascending: Bool = true, isDirectoriesFirst: Bool = false) {
        self.type = type
        self.ascending = ascending
        self.isDirectoriesFirst = isDirectoriesFirst
    }

    /// Returns the items in this order; items that are equal in everything keep their order.
    ///
    /// - Complexity: O(n log n); each name is prepared once.
    public func sort(_ files: [FileObject]) -> [FileObject] {
        let prepared = files.map { SortKey($0, key: key(of: $0)) }
        // Indices rather than items, which are large to move about.
        return files.indices.sorted { precedes(prepared[$0], prepared[$1]) ?? ($0 < $1) }.map { files[$0] }
    }

    /// The parts of an item that decide the order.
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
        /// The name as people read it, which every item has prepared.
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

    /// Returns whether `one` comes first; nil if the two are equal in everything.
    private func precedes(_ one: SortKey, _ other: SortKey) -> Bool? {
        if isDirectoriesFirst, one.isDirectory != other.isDirectory { return one.isDirectory }
        if (one.key == nil) != (other.key == nil) { return one.key != nil }
        let order = Self.order(one, other)
        if order != 0 { return ascending ? order < 0 : order > 0 }
        let byName = ReadingOrder.compare(one.name, other.name)
        if byName != 0 { return byName < 0 }
        return one.path == other.path ? nil : one.path < other.path
    }

    /// Returns a number below 0 if `one` comes first, above 0 if `other` does.
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
    /// The longest unchanged first; items without a date last.
    public static let modifiedAscending = FileObjectSorting(type: .modifiedDate)
    /// The last changed first; items without a date last.
    public static let modifiedDescending = FileObjectSorting(type: .modifiedDate, ascending: false)
    /// The oldest first; items without a date last.
    public static let createdAscending = FileObjectSorting(type: .creationDate)
    /// The newest first; items without a date last.
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
    /// Returns the name so that comparing scalars gives that order: a run of ASCII digits becomes `0`, the number of
    /// digits, and the digits, without leading zeros.
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

    /// Returns a number below 0 if `one` comes first, above 0 if `other` does.
    static func compare(_ one: [UInt32], _ other: [UInt32]) -> Int {
        for index in 0..<min(one.count, other.count) where one[index] != other[index] {
            return one[index] < other[index] ? -1 : 1
        }
        return one.count - other.count
    }
}
