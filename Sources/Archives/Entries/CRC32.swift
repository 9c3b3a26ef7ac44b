import CDeflate

/// The checksum of ZIP entries (APPNOTE.TXT, section 4.4.7).
///
/// By libdeflate: it multiplies without carries, several times as fast as zlib.
package struct CRC32 {
    package private(set) var value: UInt32 = 0

    package init() {}

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        // libdeflate takes a null pointer as a request for the initial value.
        guard let start = bytes.baseAddress else { return }
        value = libdeflate_crc32(value, start, bytes.count)
    }
}
