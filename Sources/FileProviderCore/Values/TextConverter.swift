import Foundation

/// A conversion from one character encoding to another, opened once for many texts. Source: iconv(3).
package final class TextConverter {
    private let descriptor: iconv_t

    /// Nil if this system does not know one of the two.
    package init?(from source: TextEncoding, to target: TextEncoding) {
        // (iconv_t) −1 for an error.
        guard let opened = iconv_open(target.name, source.name), Int(bitPattern: opened) != -1 else { return nil }
        descriptor = opened
    }

    deinit { iconv_close(descriptor) }

    /// Returns the text in the other encoding.
    ///
    /// - Returns: Nil if a character has no counterpart there, or is incomplete. The next conversion starts afresh.
    package func convert(_ bytes: [UInt8]) -> [UInt8]? {
        var input = bytes.map { CChar(bitPattern: $0) }
        // No encoding has characters of more bytes, and none becomes more than four in UTF-8 by itself.
        var output = [CChar](repeating: 0, count: bytes.count * 8 + 16)
        let count: Int? = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                var (start, left) = (input.baseAddress, input.count)
                var (end, room) = (output.baseAddress, output.count)
                // Starts from the initial state, and at the end flushes what was held back in case an accent followed.
                iconv(descriptor, nil, nil, nil, nil)
                guard iconv(descriptor, &start, &left, &end, &room) == 0, iconv(descriptor, nil, nil, &end, &room) == 0
                else { return nil }
                return output.count - room
            }
        }
        return count.map { output.prefix($0).map { UInt8(bitPattern: $0) } }
    }
}
