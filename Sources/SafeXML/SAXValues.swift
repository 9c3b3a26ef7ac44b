import CXML2

/// Names as Swift strings, each made once: libxml2 keeps one copy of every name, so its address identifies it.
///
/// Without this a long namespace, written once, would be copied for every element in it.
struct NameTable {
    private var strings: [UnsafePointer<xmlChar>: String] = [:]
    /// The latest look-ups, by some bits of the address: documents have many elements and few names.
    private var recent: [(name: UnsafePointer<xmlChar>?, string: String)] = Array(repeating: (nil, ""), count: 64)

    subscript(name: UnsafePointer<xmlChar>?) -> String {
        mutating get {
            guard let name else { return "" }
            let bits = UInt(bitPattern: name)
            let position = Int(truncatingIfNeeded: (bits >> 4 ^ bits >> 10 ^ bits) % 64)
            if recent[position].name == name { return recent[position].string }
            let string = strings[name] ?? String(cString: name)
            strings[name] = string
            recent[position] = (name, string)
            return string
        }
    }
}

/// The attributes of an element as libxml2 passes them: five pointers each, for name, prefix, namespace, start and end
/// of the value.
struct RawAttributes {
    private let start: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    let count: Int

    init(start: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, count: Int) {
        self.start = start
        self.count = start == nil ? 0 : max(0, count)
    }

    private func value(_ index: Int) -> UnsafeBufferPointer<xmlChar> {
        guard let start, let first = start[5 * index + 3], let end = start[5 * index + 4] else {
            return UnsafeBufferPointer(start: nil, count: 0)
        }
        return UnsafeBufferPointer(start: first, count: end - first)
    }

    /// In bytes.
    var longestValue: Int { (0..<count).lazy.map { value($0).count }.max() ?? 0 }

    func values(names: inout NameTable, entities: borrowing EntityTable) -> [XMLAttribute] {
        guard let start, count > 0 else { return [] }
        var values: [XMLAttribute] = []
        values.reserveCapacity(count)
        for index in 0..<count {
            let fields = start + 5 * index
            values.append(
                XMLAttribute(
                    name: names[fields[0]], namespace: names[fields[2]], value: entities.attributeText(value(index))))
        }
        return values
    }
}
