import Carrel

/// An array of items in JSON, written as it comes: only the piece at hand is held.
struct ItemArray {
    private let output: Output
    private var isEmpty = true

    init(_ output: Output) { self.output = output }

    mutating func add(_ item: FileObject) throws {
        var json: [UInt8] = []
        ShownItem(item).put(into: &json)
        try add(json: json)
    }

    /// Adds one element that is JSON already.
    mutating func add(json: some Collection<UInt8>) throws {
        try output.bytes([UInt8(ascii: isEmpty ? "[" : ",")])
        try output.bytes(json)
        isEmpty = false
    }

    /// The end of the array and of the document.
    func end() throws { try output.bytes((isEmpty ? "[]\n" : "]\n").utf8) }
}
