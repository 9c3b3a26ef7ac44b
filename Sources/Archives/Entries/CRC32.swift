import CZlib

/// The checksum of ZIP entries (APPNOTE.TXT, section 4.4.7).
package struct CRC32 {
    package private(set) var value: UInt32 = 0

    package init() {}

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        value = UInt32(truncatingIfNeeded: crc32_z(UInt(value), start, bytes.count))
    }
}
