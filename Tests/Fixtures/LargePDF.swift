public import Foundation

/// A PDF file of any size of which only the start and the end have objects: the first page is at the start.
public struct LargePDF: Sendable {
    /// The first bytes.
    public private(set) var head = Data("%PDF-1.7\n".utf8)
    /// The last bytes.
    public private(set) var tail = Data()
    /// Bytes in all.
    public let size: Int
    /// By number; those of the end count from where it starts.
    private var offsets: [Int: (isInTail: Bool, offset: Int)] = [:]

    /// A file of `size` bytes: 100 MB or more, so that each offset has nine digits.
    public init(size: Int) { self.size = size }

    /// Adds an object at the start or at the end of the file.
    public mutating func add(_ number: Int, atEnd: Bool = false, _ body: String) {
        add(number, atEnd: atEnd, Data(body.utf8))
    }

    /// Adds a stream. Its length is added to the entries of `dictionary`.
    public mutating func add(_ number: Int, atEnd: Bool = false, stream: Data, _ dictionary: String = "") {
        let start = Data("<< \(dictionary) /Length \(stream.count) >>\nstream\n".utf8)
        add(number, atEnd: atEnd, start + stream + Data("\nendstream".utf8))
    }

    private mutating func add(_ number: Int, atEnd: Bool, _ body: Data) {
        offsets[number] = (atEnd, atEnd ? tail.count : head.count)
        let object = Data("\(number) 0 obj\n".utf8) + body + Data("\nendobj\n".utf8)
        if atEnd { tail += object } else { head += object }
    }

    /// Adds the table of objects. The catalog is object 1.
    public mutating func finish() {
        let count = (offsets.keys.max() ?? 0) + 1
        let heading = "xref\n0 \(count)\n0000000000 65535 f \n"
        func trailer(_ table: Int) -> String {
            "trailer\n<< /Size \(count) /Root 1 0 R >>\nstartxref\n\(table)\n%%EOF\n"
        }
        let length = tail.count + heading.utf8.count + 20 * (count - 1) + trailer(size).utf8.count
        let start = size - length
        let table = start + tail.count
        var text = heading
        for number in 1..<count {
            guard let location = offsets[number] else {
                text += "0000000000 00001 f \n"
                continue
            }
            let offset = location.isInTail ? start + location.offset : location.offset
            text += String(repeating: "0", count: 10 - "\(offset)".count) + "\(offset) 00000 n \n"
        }
        tail += Data((text + trailer(table)).utf8)
    }

    /// A scanned book of 180 MB: a picture of 600 kB on the first page, 1,200 pages in a flat tree at the end of the
    /// file.
    public static func scans() -> LargePDF {
        var file = LargePDF(size: 180_000_000)
        var numbers = SeededNumbers(seed: 3)
        file.add(
            3,
            "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << /Im0 5 0 R >> /Font << /F1 6 0 R >> >> >>"
        )
        file.add(4, stream: Data("q 595 0 0 842 0 0 cm /Im0 Do Q BT /F1 12 Tf (A) Tj ET".utf8))
        let picture =
            "/Type /XObject /Subtype /Image /Width 775 /Height 775 /ColorSpace /DeviceGray /BitsPerComponent 8"
        file.add(5, stream: numbers.bytes(600_625), picture)
        file.add(6, atEnd: true, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
        let kids = [3] + (8..<1_207)
        for number in kids.dropFirst() { file.add(number, atEnd: true, "<< /Type /Page /Parent 2 0 R >>") }
        let list = kids.map { "\($0) 0 R" }.joined(separator: " ")
        file.add(2, atEnd: true, "<< /Type /Pages /Count \(kids.count) /MediaBox [0 0 595 842] /Kids [\(list)] >>")
        file.add(1, atEnd: true, "<< /Type /Catalog /Pages 2 0 R >>")
        file.finish()
        return file
    }

    /// Writes the file with a hole between its start and its end, which takes no room on most disks.
    ///
    /// - Throws: `CocoaError` if the file cannot be written.
    public func write(to url: URL) throws {
        try head.write(to: url)
        let handle = try FileHandle(forWritingTo: url)
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(size - tail.count))
        try handle.write(contentsOf: tail)
    }
}
