import Carrel

/// A JSON array of items that is written in pieces; only the current piece is in memory.
struct ItemArray {
    private let output: Output
    private var isEmpty = true

    init(_ output: Output) { self.output = output }

    mutating func add(_ item: FileObject) throws {
        var json: [UInt8] = []
        ShownItem(item).put(into: &json)
        try add(json: json)
    }

    /// Adds an element that is already JSON.
    mutating func add(json: some Collection<UInt8>) throws {
        try output.bytes([UInt8(ascii: isEmpty ? "[" : ",")])
        try output.bytes(json)
        isEmpty = false
    }

    /// Ends the array and the document.
    func end() throws { try output.bytes((isEmpty ? "[]\n" : "]\n").utf8) }
}
