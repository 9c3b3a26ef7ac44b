public import Foundation

/// Writes PDF files (ISO 32000-1) object by object, right ones and wrong ones.
///
/// Objects are numbered from 1 in the order in which they are added; object 1 is the catalog.
public struct PDFBuilder: Sendable {
    /// The bodies of the objects.
    public private(set) var objects: [Data] = []
    /// Entries of the trailer besides `/Size` and `/Root`.
    public var trailer = ""
    /// Bytes between the header and the first object, as pictures make.
    public var padding = Data()
    /// Whether the trailer points at the table of objects.
    public var hasTable = true

    /// A file without objects.
    public init() {}

    /// Adds an object and returns its number.
    @discardableResult
    public mutating func add(_ body: String) -> Int {
        objects.append(Data(body.utf8))
        return objects.count
    }

    /// Adds a stream and returns its number. Its length is added to the entries of `dictionary`.
    @discardableResult
    public mutating func add(stream: Data, _ dictionary: String = "") -> Int {
        objects.append(
            Data("<< \(dictionary) /Length \(stream.count) >>\nstream\n".utf8) + stream + Data("\nendstream".utf8))
        return objects.count
    }

    /// Adds a stream that is packed by Flate and returns its number.
    @discardableResult
    public mutating func add(packed content: Data, _ dictionary: String = "") -> Int {
        add(stream: Deflate.packZlib(content), "/Filter /FlateDecode \(dictionary)")
    }

    /// Replaces an object that was added before.
    public mutating func replace(_ number: Int, body: String) { objects[number - 1] = Data(body.utf8) }

    /// The file.
    public func build() -> Data {
        var data = Data("%PDF-1.7\n%".utf8) + Data([0xE2, 0xE3, 0xCF, 0xD3, 0x0A])
        if !padding.isEmpty { data += Data("%".utf8) + padding + Data("\n".utf8) }
        var offsets: [Int] = []
        for (index, object) in objects.enumerated() {
            offsets.append(data.count)
            data += Data("\(index + 1) 0 obj\n".utf8) + object + Data("\nendobj\n".utf8)
        }
        let table = data.count
        data += Data("xref\n0 \(objects.count + 1)\n0000000000 65535 f \n".utf8)
        for offset in offsets {
            data += Data((String(repeating: "0", count: 10 - "\(offset)".count) + "\(offset) 00000 n \n").utf8)
        }
        data += Data(
            "trailer\n<< /Size \(objects.count + 1) /Root 1 0 R \(trailer) >>\nstartxref\n\(hasTable ? table : 7)\n%%EOF\n"
                .utf8)
        return data
    }

    /// The file in the form of PDF 1.5: all objects but streams packed into one object stream, and a packed table of
    /// objects.
    ///
    /// - Parameter objectStream: What to pack instead of the objects, for streams that are not what they claim.
    public func buildPacked(objectStream: Data? = nil) -> Data {
        let isStream = objects.map { $0.range(of: Data("\nstream\n".utf8)) != nil }
        let packedNumbers = objects.indices.filter { !isStream[$0] }.map { $0 + 1 }
        var header = ""
        var bodies = Data()
        for number in packedNumbers {
            header += "\(number) \(bodies.count) "
            bodies += objects[number - 1] + Data(" ".utf8)
        }
        let container = objects.count + 1
        var file = self
        let content = objectStream ?? Data(header.utf8) + bodies
        file.add(
            stream: Deflate.packZlib(content),
            "/Type /ObjStm /Filter /FlateDecode /N \(packedNumbers.count) /First \(header.utf8.count)")
        var data = Data("%PDF-1.7\n".utf8)
        var rows = [[UInt8]](repeating: [0, 0, 0, 0, 0, 0, 0], count: container + 2)
        for (index, object) in file.objects.enumerated() where index >= isStream.count || isStream[index] {
            rows[index + 1] = Self.row(1, data.count, 0)
            data += Data("\(index + 1) 0 obj\n".utf8) + object + Data("\nendobj\n".utf8)
        }
        for (index, number) in packedNumbers.enumerated() { rows[number] = Self.row(2, container, index) }
        let table = data.count
        rows[container + 1] = Self.row(1, table, 0)
        let packed = Deflate.packZlib(Self.predicted(rows))
        let entries = "/Type /XRef /Size \(rows.count) /W [1 4 2] /Root 1 0 R /Filter /FlateDecode"
        let parameters = "/DecodeParms << /Predictor 12 /Columns 7 >> \(trailer) /Length \(packed.count)"
        data +=
            Data("\(container + 1) 0 obj\n<< \(entries) \(parameters) >>\nstream\n".utf8) + packed
            + Data("\nendstream\nendobj\n".utf8)
        return data + Data("startxref\n\(table)\n%%EOF\n".utf8)
    }

    private static func row(_ kind: UInt8, _ location: Int, _ index: Int) -> [UInt8] {
        [kind] + withUnsafeBytes(of: UInt32(location).bigEndian) { Array($0) }
            + withUnsafeBytes(of: UInt16(index).bigEndian) { Array($0) }
    }

    /// Rows as differences from the row above (PNG's filter 2).
    private static func predicted(_ rows: [[UInt8]]) -> Data {
        var data = Data()
        var above = [UInt8](repeating: 0, count: 7)
        for row in rows {
            data += [2] + zip(row, above).map { $0 &- $1 }
            above = row
        }
        return data
    }
}

extension PDFBuilder {
    /// Some pages below one node, each with a picture's worth of bytes of its own, and `entries` in the catalog.
    ///
    /// The catalog is object 1, the node 2, the pages follow in pairs of page and content: 3, 5, 7 and so on.
    public static func pages(_ count: Int, bytesEach: Int = 16, catalog entries: String = "", node: String = "")
        -> PDFBuilder
    {
        var file = PDFBuilder()
        var numbers = SeededNumbers(seed: 7)
        file.add("<< /Type /Catalog /Pages 2 0 R \(entries) >>")
        let kids = (0..<count).map { "\(3 + 2 * $0) 0 R" }.joined(separator: " ")
        file.add("<< /Type /Pages /Count \(count) /Kids [\(kids)] /MediaBox [0 0 595.276 841.89] \(node) >>")
        for index in 0..<count {
            file.add("<< /Type /Page /Parent 2 0 R /Contents \(4 + 2 * index) 0 R >>")
            file.add(stream: numbers.bytes(bytesEach))
        }
        return file
    }

    /// A text in UTF-16BE with a byte order mark, as a string in hexadecimal digits (ISO 32000-1, section 7.9.2.2).
    public static func utf16(_ text: String) -> String {
        let digits = text.utf16.map { unit in
            let hexadecimal = String(unit, radix: 16)
            return String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
        }
        return "<feff\(digits.joined())>"
    }
}
