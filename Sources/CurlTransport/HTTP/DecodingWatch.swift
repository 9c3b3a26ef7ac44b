import FileProviderCore
import Foundation

/// Watches a compressed body that libcurl decodes: it must be neither too large nor incomplete.
struct DecodingWatch {
    private var decoded: Int64 = 0
    private var packed: Int64 = 0
    private var raw: Int64 = 0
    private var lastBytes: [UInt8] = []

    /// - Parameter packed: Bytes of the body that have come so far.
    mutating func add(_ count: Int, packed: Int64) {
        decoded += Int64(count)
        self.packed = max(1, packed)
    }

    mutating func sawRaw(_ bytes: UnsafeRawBufferPointer) {
        raw += Int64(bytes.count)
        lastBytes = Array((lastBytes + bytes.suffix(4)).suffix(4))
    }

    /// Whether the body is over the limits of everything that is unpacked: 2 GiB, and 200 to 1 once over 1 MiB.
    var isTooLarge: Bool { decoded > 2 << 30 || (decoded > 1 << 20 && decoded / packed > 200) }

    func tooLarge(_ url: URL) -> CocoaError {
        FileError.make(
            .fileReadTooLarge, path: url.path(percentEncoded: false), url: url,
            sentence:
                "The compressed body from “\(url.host() ?? "")” is too large: \(decoded) bytes from \(packed) so far."
        )
    }

    /// Whether a gzip body lacks its end, which libcurl does not notice: the end has the length (RFC 1952, section
    /// 2.3.1). Within chunks its place is not known, and their own end has to do.
    func isCutShort(_ head: ResponseHead) -> Bool {
        let encoding = head.joined("Content-Encoding")?.lowercased()
        guard encoding == "gzip" || encoding == "x-gzip", head["Transfer-Encoding"] == nil, raw > 0 else {
            return false
        }
        let reportedSize = lastBytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return raw < 18 || reportedSize != UInt32(truncatingIfNeeded: decoded)
    }

    func cutShort(_ url: URL) -> URLError {
        FileError.make(
            .badServerResponse, url: url,
            sentence:
                "The compressed body from “\(url.host() ?? "")” is cut off after \(raw) bytes (\(decoded) decoded).")
    }
}
