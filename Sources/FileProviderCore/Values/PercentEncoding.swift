/// Percent-encoding: a byte is written as `%` and two hexadecimal digits (RFC 3986, section 2.1).
package enum PercentEncoding {
    private static let percent = UInt8(ascii: "%")
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Whether `byte` is a letter or a digit of ASCII.
    @inlinable package static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    /// Whether `byte` means the same encoded or not (RFC 3986, section 2.3).
    @inlinable package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: isAlphanumeric(byte)
        }
    }

    /// Returns `bytes` with every byte encoded that `stays` does not keep.
    @inlinable package static func encoded(_ bytes: some Sequence<UInt8>, keeping stays: (UInt8) -> Bool = isUnreserved)
        -> String
    {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.underestimatedCount + 16)
        for byte in bytes { if stays(byte) { result.append(byte) } else { append(byte, to: &result) } }
        return String(decoding: result, as: UTF8.self)
    }

    /// Adds `byte` as an escape.
    package static func append(_ byte: UInt8, to result: inout [UInt8]) {
        result.append(percent)
        result.append(digits[Int(byte >> 4)])
        result.append(digits[Int(byte & 15)])
    }

    /// Returns the byte of the escape at the start of `bytes`; nil if there is none.
    package static func escape(_ bytes: ArraySlice<UInt8>) -> UInt8? {
        bytes.first == percent ? Hexadecimal.byte(bytes.dropFirst().prefix(2)) : nil
    }

    /// Whether each percent sign in `bytes` begins an escape.
    package static func isWellFormed(_ bytes: [UInt8]) -> Bool {
        bytes.indices.allSatisfy { bytes[$0] != percent || escape(bytes[$0...]) != nil }
    }

    /// Returns `bytes` decoded once. A percent sign that begins no escape stays as it is.
    package static func decoded(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.first {
            let value = escape(rest)
            result.append(value ?? byte)
            rest = rest.dropFirst(value == nil ? 1 : 3)
        }
        return result
    }
}
