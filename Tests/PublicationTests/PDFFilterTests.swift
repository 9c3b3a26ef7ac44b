import Foundation
import SampleBooks
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

/// The decoders that stand in for qpdf's own, tried on the metadata stream.
@Suite(.enabled(if: PDFDocument.isSupported)) struct PDFFilterTests {
    /// A title of 5,000 letters in few different words, so that it packs well; the packed words of LZW get 12 bits
    /// long.
    private static let title = (0..<1_000).map { "w\(($0 * $0) % 997)" }.joined(separator: " ")
    private static let xmp = Data(
        """
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/">
        <rdf:Description><dc:title>\(title)</dc:title></rdf:Description></rdf:RDF>
        """.utf8)

    private func title(of stream: Data, _ dictionary: String) async throws -> String? {
        var file = PDFBuilder.pages(1, catalog: "/Metadata 5 0 R")
        file.add(stream: stream, dictionary)
        return try await PDFDocument.open(file.build()).details.title?.string
    }

    @Test(arguments: [0, 1])
    func `LZW is unpacked, its codes growing early or late`(early: Int) async throws {
        let packed = Self.lzw(Self.xmp, early: early)
        #expect(
            try await title(of: packed, "/Filter /LZWDecode /DecodeParms << /EarlyChange \(early) >>") == Self.title)
    }

    @Test func `LZW that is none is left out`() async throws {
        #expect(try await title(of: Data([0x80, 0x3F, 0xFF, 0xFF, 0xFF, 0xFF]), "/Filter /LZWDecode") == nil)
    }

    @Test func `run lengths are unpacked`() async throws {
        var packed = Data()
        for start in stride(from: 0, to: Self.xmp.count, by: 128) {
            let part = Self.xmp.dropFirst(start).prefix(128)
            packed += [UInt8(part.count - 1)] + part
        }
        // A run of blanks, then the end.
        #expect(try await title(of: packed + [0x81, 0x20, 0x80], "/Filter [/RunLengthDecode]") == Self.title)
    }

    @Test(arguments: [1, 3])
    func `rows are restored from all differences that PNG has`(colors: Int) async throws {
        let packed = Self.rows(Self.xmp, length: 30, distance: colors)
        let parameters = "/DecodeParms << /Predictor 15 /Columns \(30 / colors) /Colors \(colors) >>"
        var file = PDFBuilder.pages(1, catalog: "/Metadata 5 0 R")
        file.add(packed: packed, parameters)
        #expect(try await PDFDocument.open(file.build()).details.title?.string == Self.title)
    }

    @Test(arguments: [1, 2, 4, 8, 16])
    func `rows are restored from the differences that TIFF has`(bits: Int) async throws {
        let length = 32
        let padded = Self.xmp + Data(repeating: 0x20, count: length - Self.xmp.count % length)
        var packed = Data()
        for start in stride(from: 0, to: padded.count, by: length) {
            packed += Self.differences(Array(padded[start..<start + length]), bits: bits)
        }
        var file = PDFBuilder.pages(1, catalog: "/Metadata 5 0 R")
        file.add(
            packed: packed, "/DecodeParms << /Predictor 2 /Columns \(length * 8 / bits) /BitsPerComponent \(bits) >>")
        #expect(try await PDFDocument.open(file.build()).details.title?.string == Self.title)
    }

    // MARK: Packing

    private static func lzw(_ data: Data, early: Int) -> Data {
        var bits: [UInt8] = []
        func emit(_ code: Int, _ length: Int) {
            for bit in (0..<length).reversed() { bits.append(UInt8(code >> bit & 1)) }
        }
        var words: [[UInt8]: Int] = [:]
        var next = 258
        func clear() {
            words = Dictionary(uniqueKeysWithValues: (0..<256).map { ([UInt8($0)], $0) })
            next = 258
        }
        clear()
        emit(256, 9)
        var length = 9
        var word: [UInt8] = []
        for byte in data {
            if words[word + [byte]] != nil {
                word.append(byte)
                continue
            }
            emit(words[word] ?? 0, length)
            words[word + [byte]] = next
            // The table of whoever unpacks is one word behind.
            length = next + early >= 2048 ? 12 : next + early >= 1024 ? 11 : next + early >= 512 ? 10 : 9
            next += 1
            if next == 4095 {
                emit(256, length)
                clear()
                length = 9
            }
            word = [byte]
        }
        emit(words[word] ?? 0, length)
        length = next + early >= 2048 ? 12 : next + early >= 1024 ? 11 : next + early >= 512 ? 10 : 9
        emit(257, length)
        bits += [UInt8](repeating: 0, count: (8 - bits.count % 8) % 8)
        return Data(
            stride(from: 0, to: bits.count, by: 8).map { start in bits[start..<start + 8].reduce(0) { $0 << 1 | $1 } })
    }

    /// Rows as PNG's filters 0 to 4 in turn make them (PNG, section 9).
    private static func rows(_ data: Data, length: Int, distance: Int) -> Data {
        let padded = Array(data) + [UInt8](repeating: 0x20, count: length - data.count % length)
        var above = [UInt8](repeating: 0, count: length)
        var result = Data()
        for (number, start) in stride(from: 0, to: padded.count, by: length).enumerated() {
            let row = Array(padded[start..<start + length])
            result.append(UInt8(number % 5))
            for index in row.indices {
                let left = index >= distance ? Int(row[index - distance]) : 0
                let corner = index >= distance ? Int(above[index - distance]) : 0
                let up = Int(above[index])
                let estimate = left + up - corner
                let nearest = [left, up, corner].enumerated().min {
                    abs($0.element - estimate) < abs($1.element - estimate)
                }?.element
                let guess = [0, left, up, (left + up) / 2, nearest ?? 0][number % 5]
                result.append(UInt8(truncatingIfNeeded: Int(row[index]) - guess))
            }
            above = row
        }
        return result
    }

    /// Each sample of one color as its difference from the one before.
    private static func differences(_ row: [UInt8], bits: Int) -> [UInt8] {
        let all = row.flatMap { byte in (0..<8).map { Int(byte) >> (7 - $0) & 1 } }
        let samples = stride(from: 0, to: all.count, by: bits).map { start in
            all[start..<start + bits].reduce(0) { $0 << 1 | $1 }
        }
        let changed = samples.indices.map { ($0 == 0 ? samples[0] : samples[$0] - samples[$0 - 1]) & ((1 << bits) - 1) }
        let bitsAgain = changed.flatMap { sample in (0..<bits).map { sample >> (bits - 1 - $0) & 1 } }
        return stride(from: 0, to: bitsAgain.count, by: 8).map { start in
            UInt8(bitsAgain[start..<start + 8].reduce(0) { $0 << 1 | $1 })
        }
    }
}
