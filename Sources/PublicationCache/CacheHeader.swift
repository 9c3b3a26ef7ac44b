import Archives
import Foundation
import Publication

/// The start of a cache file: the resource, and the version of its bytes, that the file holds.
///
/// Numbers are little-endian: mark (8 bytes), digest of the href (32), digest of the version's tag (32), nonce (8),
/// length of the resource (8), bytes in a block (4), 1 if there is a tag (4), CRC-32 of all these (4). After ``size``
/// bytes follow eight for each block, then, at the next multiple of ``page``, the blocks; missing blocks are holes.
struct CacheHeader: Hashable, Sendable {
    /// Bytes before the table of blocks.
    static let size: Int64 = 128
    /// The alignment of blocks. Header and table of a resource of less than 124 MiB fit into the first page.
    static let page: Int64 = 4096
    /// The block size of new files, 256 KiB: the smallest request to the medium, and the unit of checksums.
    static let usualBlock: Int64 = 256 << 10
    /// The longest resource that has a file, 1 TiB. Longer ones are read past the cache, because their table alone
    /// would take long.
    static let maxLength: Int64 = 1 << 40
    private static let mark = Array("CARRELC1".utf8)
    private static let count = 100

    /// The digest of the resource's href.
    let resource: [UInt8]
    /// The digest of the version's tag; zeros if it has none.
    let tag: [UInt8]
    let hasTag: Bool
    /// Distinguishes this file from all others, also from earlier ones under the same name.
    let nonce: UInt64
    let length: Int64
    let block: Int64

    init(_ version: ResourceValidator, of resource: [UInt8]) {
        self.resource = resource
        tag = version.tagDigest
        hasTag = version.tag != nil
        nonce = UInt64.random(in: .min ... .max)
        length = version.length
        block = Self.usualBlock
    }

    /// Reads a header; nil unless it is complete and valid.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.count, bytes.starts(with: Self.mark) else { return nil }
        func number(_ offset: Int, _ count: Int) -> UInt64 {
            bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        guard number(96, 4) == UInt64(Self.checksum(bytes[..<96])) else { return nil }
        resource = Array(bytes[8..<40])
        tag = Array(bytes[40..<72])
        nonce = number(72, 8)
        length = Int64(bitPattern: number(80, 8))
        block = Int64(number(88, 4))
        hasTag = number(92, 4) == 1
        guard (0...Self.maxLength).contains(length), (4096...16 << 20).contains(block) else { return nil }
    }

    var bytes: [UInt8] {
        var result = Self.mark + resource + tag
        func add(_ number: UInt64, _ count: Int) {
            for index in 0..<count { result.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))) }
        }
        add(nonce, 8)
        add(UInt64(bitPattern: length), 8)
        add(UInt64(block), 4)
        add(hasTag ? 1 : 0, 4)
        add(UInt64(Self.checksum(result[...])), 4)
        return result
    }

    /// Whether the file holds bytes of `version`, as far as the two can be compared.
    func holds(_ version: ResourceValidator) -> Bool {
        length == version.length && hasTag == (version.tag != nil) && tag == version.tagDigest
    }

    /// The number of blocks of the resource.
    var blocks: Int { Int((length + block - 1) / block) }

    /// Returns the blocks that overlap `range` of the resource.
    func blocks(of range: Range<Int64>) -> Range<Int> {
        range.isEmpty ? 0..<0 : Int(range.lowerBound / block)..<Int((range.upperBound - 1) / block) + 1
    }

    /// Returns the bytes of the resource in block `index`.
    func extent(of index: Int) -> Range<Int64> { Int64(index) * block..<min(length, (Int64(index) + 1) * block) }

    /// Returns the offset in the file of a byte of the resource.
    func location(of offset: Int64) -> Int64 {
        let table = Self.size + 8 * Int64(blocks)
        return (table + Self.page - 1) / Self.page * Self.page + offset
    }

    /// Returns the offset in the file of the table's entry for a block.
    func slot(of index: Int) -> Int64 { Self.size + 8 * Int64(index) }

    /// Returns the table's entry for a block whose bytes have this CRC-32: the checksum, and above it one that binds it
    /// to the block and to this file. Any other value, including zeros, means that the block is missing.
    func entry(of index: Int, checksum: UInt32) -> UInt64 {
        let numbers = [nonce, UInt64(index), UInt64(extent(of: index).count), UInt64(checksum)]
        var seal = CRC32()
        numbers.withUnsafeBytes { seal.update($0) }
        return UInt64(seal.value) << 32 | UInt64(checksum)
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var sum = CRC32()
        bytes.withUnsafeBytes { sum.update($0) }
        return sum.value
    }
}

extension ResourceValidator {
    /// Of fixed length, and reveals nothing about the tag.
    fileprivate var tagDigest: [UInt8] { tag.map { NameDigest($0).bytes } ?? [UInt8](repeating: 0, count: 32) }
}
