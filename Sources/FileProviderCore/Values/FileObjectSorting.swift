import Foundation

/// An order for listings: the same items always come in the same order, whatever order they had.
///
/// Items that are equal by ``type`` follow by name as people read it, then by path. What is unknown (no size, no date) comes last in both
/// directions, folders among the files unless ``isDirectoriesFirst``.
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
        case modifiedDate
        case creationDate
        case size
    }

    public var type: SortType
    public var ascending: Bool
    /// Whether folders come before everything else, in both directions.
    public var isDirectoriesFirst: Bool

    public init(type: SortType, ascending: Bool = true, isDirectoriesFirst: Bool = false) {
        self.type = type
        self.ascending = ascending
        self.isDirectoriesFirst = isDirectoriesFirst
    }

    /// The items in this order; those that are the same in everything that counts stay as they were.
    ///
    /// - Complexity: O(n log n); each name is prepared once.
    public func sort(_ files: [FileObject]) -> [FileObject] {
        let keyed = files.enumerated().map { Keyed(index: $0.offset, file: $0.element, key: key(of: $0.element)) }
        return keyed.sorted(by: precedes).map(\.file)
    }

    private struct Keyed {
        let index: Int
        let file: FileObject
        let key: Key?
        let reading: [UInt32]

        init(index: Int, file: FileObject, key: Key?) {
            self.index = index
            self.file = file
            self.key = key
            reading = TextFolding.scalars(of: file.name, [.caseInsensitive, .diacriticInsensitive])
        }
    }

    private enum Key {
        case text([UInt32])
        case number(Int64)
        case date(Date)
        /// The name as people read it, which every item has at hand.
        case reading
    }

    private func key(of file: FileObject) -> Key? {
        switch type {
        case .name: .reading
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
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex, name.index(after: dot) != name.endIndex else { return nil }
        return String(name[name.index(after: dot)...])
    }

    private func precedes(_ one: Keyed, _ other: Keyed) -> Bool {
        if isDirectoriesFirst, one.file.isDirectory != other.file.isDirectory { return one.file.isDirectory }
        switch (one.key, other.key) {
        case (nil, nil): break
        case (_?, nil): return true
        case (nil, _?): return false
        case (let key?, let otherKey?):
            let order = Self.order(key, otherKey, one, other)
            if order != 0 { return ascending ? order < 0 : order > 0 }
        }
        let byName = NaturalOrder.compare(one.reading, other.reading)
        if byName != 0 { return byName < 0 }
        if one.file.path != other.file.path { return one.file.path < other.file.path }
        return one.index < other.index
    }

    private static func order(_ one: Key, _ other: Key, _ item: Keyed, _ otherItem: Keyed) -> Int {
        switch (one, other) {
        case (.text(let one), .text(let other)): NaturalOrder.plain(one, other)
        case (.number(let one), .number(let other)): one < other ? -1 : one > other ? 1 : 0
        case (.date(let one), .date(let other)): one < other ? -1 : one > other ? 1 : 0
        default: NaturalOrder.compare(item.reading, otherItem.reading)
        }
    }
}

extension FileObjectSorting {
    public static let nameAscending = FileObjectSorting(type: .name)
    public static let nameDescending = FileObjectSorting(type: .name, ascending: false)
    public static let sizeAscending = FileObjectSorting(type: .size)
    public static let sizeDescending = FileObjectSorting(type: .size, ascending: false)
    public static let extensionAscending = FileObjectSorting(type: .extension)
    public static let extensionDescending = FileObjectSorting(type: .extension, ascending: false)
    public static let modifiedAscending = FileObjectSorting(type: .modifiedDate)
    public static let modifiedDescending = FileObjectSorting(type: .modifiedDate, ascending: false)
    public static let createdAscending = FileObjectSorting(type: .creationDate)
    public static let createdDescending = FileObjectSorting(type: .creationDate, ascending: false)

    @available(*, deprecated, renamed: "nameDescending")
    public static var nameDesceding: Self { nameDescending }
    @available(*, deprecated, renamed: "sizeDescending")
    public static var sizeDesceding: Self { sizeDescending }
    @available(*, deprecated, renamed: "extensionDescending")
    public static var extensionDesceding: Self { extensionDescending }
    @available(*, deprecated, renamed: "modifiedDescending")
    public static var modifiedDesceding: Self { modifiedDescending }
    @available(*, deprecated, renamed: "createdDescending")
    public static var createdDesceding: Self { createdDescending }
}

/// Texts in the order of people who count.
private enum NaturalOrder {
    /// Below 0 when `one` comes first, above 0 when `other` does. Runs of ASCII digits count as one number; leading zeros do not count.
    static func compare(_ one: [UInt32], _ other: [UInt32]) -> Int {
        var (left, right) = (0, 0)
        while left < one.count, right < other.count {
            if isDigit(one[left]), isDigit(other[right]) {
                let (number, otherNumber) = (digits(of: one, at: &left), digits(of: other, at: &right))
                if number.count != otherNumber.count { return number.count - otherNumber.count }
                let order = plain(number, otherNumber)
                if order != 0 { return order }
            } else if one[left] != other[right] {
                return one[left] < other[right] ? -1 : 1
            } else {
                left += 1
                right += 1
            }
        }
        return (one.count - left) - (other.count - right)
    }

    static func plain(_ one: some Collection<UInt32>, _ other: some Collection<UInt32>) -> Int {
        for (left, right) in zip(one, other) where left != right { return left < right ? -1 : 1 }
        return one.count - other.count
    }

    private static func isDigit(_ scalar: UInt32) -> Bool { (0x30...0x39).contains(scalar) }

    /// The digits that start at `position` without leading zeros; `position` goes behind them.
    private static func digits(of text: [UInt32], at position: inout Int) -> ArraySlice<UInt32> {
        let start = text[position...].firstIndex { $0 != 0x30 } ?? text.endIndex
        let end = text[start...].firstIndex { !isDigit($0) } ?? text.endIndex
        position = end
        return text[start..<end]
    }
}
