/// The order of names that people expect: `2` before `10`, whatever the case, folder by folder.
///
/// It depends on the names alone, never on the language of the machine. Numbers are runs of the digits 0 to 9 of any
/// length; other text is compared by Unicode scalars in lower case. A name without its extension precedes longer ones
/// that begin with it. Names with equal keys are compared by their bytes, so the order is total.
struct NaturalOrder: Comparable {
    private let key: [UInt8]
    private let path: String

    /// - Parameter path: Names separated by slashes.
    init(_ path: String) {
        self.path = path
        var key = Array(path.lowercased().utf8)
        for index in key.indices where key[index] == UInt8(ascii: "/") { key[index] = Self.endOfName }
        // Separates the extension, so that "page.jpg" precedes "page-2.jpg" although "-" sorts before ".".
        let start = key.lastIndex(of: Self.endOfName).map { $0 + 1 } ?? key.startIndex
        if let dot = key[start...].lastIndex(of: UInt8(ascii: ".")), dot > start { key[dot] = Self.endOfName }
        self.key = key
    }

    /// Sorts before all characters of names.
    private static let endOfName: UInt8 = 0

    static func < (left: NaturalOrder, right: NaturalOrder) -> Bool {
        let (a, b) = (left.key, right.key)
        var (i, j) = (0, 0)
        while i < a.count, j < b.count {
            if isDigit(a[i]), isDigit(b[j]) {
                let (first, second) = (number(in: a, from: &i), number(in: b, from: &j))
                if first.count != second.count { return first.count < second.count }
                if first != second { return first.lexicographicallyPrecedes(second) }
            } else {
                if a[i] != b[j] { return a[i] < b[j] }
                i += 1
                j += 1
            }
        }
        if i < a.count || j < b.count { return i == a.count }
        return left.path.utf8.lexicographicallyPrecedes(right.path.utf8)
    }

    static func == (left: NaturalOrder, right: NaturalOrder) -> Bool { left.path.utf8.elementsEqual(right.path.utf8) }

    /// Returns the digits at `index` without leading zeros; moves `index` behind them.
    private static func number(in key: [UInt8], from index: inout Int) -> ArraySlice<UInt8> {
        while index < key.count, key[index] == UInt8(ascii: "0") { index += 1 }
        let start = index
        while index < key.count, isDigit(key[index]) { index += 1 }
        return key[start..<index]
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
