/// The bytes of one run, cut into the parts that a target needs.
struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    init(_ data: UnsafePointer<UInt8>?, size: Int) {
        rest = ArraySlice(UnsafeBufferPointer(start: data, count: size))
    }

    /// Up to the next line's end, or all.
    mutating func line() -> String {
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        rest = rest.dropFirst(line.count + 1)
        return String(decoding: line, as: UTF8.self)
    }

    /// The next byte; nil at the end.
    mutating func byte() -> UInt8? { rest.popFirst() }

    /// All that is left.
    var bytes: [UInt8] { Array(rest) }
}
