import FileProviderCore
import Foundation

/// An index as bytes, to be kept by a ``CheckpointStore``. All numbers are little-endian.
///
/// `CRLCKPT`, version (1 byte), length of the key (4), key, compressed and unpacked size of the entry (8 each), spacing
/// (8), count of points (4); each point: its two offsets (8 each), pending bits (1) and their value (1), length and
/// CRC-32 of the approach (4 each), length of the window (4), window. At the end the CRC-32 of all that (4).
extension CheckpointIndex {
    private static let mark = Array("CRLCKPT".utf8) + [2]
    /// The upper bound of an encoded index: ``ArchiveCheckpoints/capacity``, with room for the fields around the
    /// windows.
    static let maxEncodedSize = 20 << 20

    /// Encodes the index of `entry`, with its key.
    package func encoded(key: String, entry: ZIPEntry) -> Data {
        var data = Data(capacity: cost + 256)
        data.append(contentsOf: Self.mark)
        data.append(UInt32(key.utf8.count))
        data.append(contentsOf: key.utf8)
        for number in [entry.compressedSize, entry.uncompressedSize, spacing] {
            data.append(UInt64(bitPattern: number))
        }
        data.append(UInt32(points.count))
        for point in points {
            data.append(UInt64(bitPattern: point.compressed))
            data.append(UInt64(bitPattern: point.uncompressed))
            data.append(contentsOf: [point.pendingBits, point.pending])
            data.append(UInt32(point.approach.length))
            data.append(point.approach.checksum)
            data.append(UInt32(point.window.count))
            data.append(point.window)
        }
        data.append(Self.checksum(of: data))
        return data
    }

    /// Decodes the result of ``encoded(key:entry:)``; nil for damaged data, another version, or another entry.
    ///
    /// - Complexity: One pass over the bytes. Windows are unpacked when they are used.
    init?(_ data: Data, key: String, entry: ZIPEntry) {
        guard data.count <= Self.maxEncodedSize, data.count > 4 else { return nil }
        var reader = NumberReader(data.dropLast(4))
        var end = NumberReader(data.suffix(4))
        guard end.number(as: UInt32.self) == Self.checksum(of: data.dropLast(4)) else { return nil }
        guard reader.bytes(Self.mark.count).map({ [UInt8]($0) }) == Self.mark else { return nil }
        guard let length = reader.number(as: UInt32.self), let written = reader.bytes(Int(length)),
            written.elementsEqual(key.utf8),
            reader.number(as: Int64.self) == entry.compressedSize,
            reader.number(as: Int64.self) == entry.uncompressedSize,
            let spacing = reader.number(as: Int64.self), spacing >= Self.usualSpacing,
            spacing <= Self.usualSpacing << 20,
            let count = reader.number(as: UInt32.self)
        else { return nil }
        self.init(spacing: spacing)
        for _ in 0..<count {
            guard let point = Checkpoint(&reader, of: entry, after: points.last) else { return nil }
            append(point)
        }
        guard reader.isAtEnd else { return nil }
    }

    private static func checksum(of data: Data) -> UInt32 {
        var checksum = CRC32()
        data.withUnsafeBytes { checksum.update($0) }
        return checksum.value
    }
}

extension Checkpoint {
    /// Reads the next checkpoint; nil if it cannot be one of `entry` behind `last`.
    fileprivate init?(_ reader: inout NumberReader, of entry: ZIPEntry, after last: Checkpoint?) {
        guard let compressed = reader.number(as: Int64.self), let uncompressed = reader.number(as: Int64.self),
            let bits = reader.number(as: UInt8.self), let pending = reader.number(as: UInt8.self),
            let approach = reader.number(as: UInt32.self), approach <= CheckpointApproach.maxLength,
            approach <= compressed,
            let checksum = reader.number(as: UInt32.self), let length = reader.number(as: UInt32.self),
            length <= CheckpointWindow.maxPackedSize,
            let window = reader.bytes(Int(length))
        else { return nil }
        guard compressed > last?.compressed ?? 0, compressed < entry.compressedSize,
            uncompressed > last?.uncompressed ?? 0,
            uncompressed < entry.uncompressedSize, bits < 8, pending >> bits == 0
        else { return nil }
        self.init(
            compressed: compressed, uncompressed: uncompressed, pendingBits: bits, pending: pending,
            window: Data(window),
            approach: CheckpointApproach(length: Int(approach), checksum: checksum))
    }
}

/// Reads little-endian numbers from bytes that may end anywhere.
private struct NumberReader {
    private var rest: Data

    init(_ data: Data) {
        rest = data
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func bytes(_ count: Int) -> Data? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func number<Number: FixedWidthInteger>(as type: Number.Type) -> Number? {
        bytes(MemoryLayout<Number>.size)?.reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }
}

extension Data {
    fileprivate mutating func append(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
