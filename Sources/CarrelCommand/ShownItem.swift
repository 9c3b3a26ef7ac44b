import Carrel
import Foundation

/// An item in the contract's JSON.
struct ShownItem: Encodable {
    var path: String
    var name: String
    var type: String
    var size: Int64?
    var modified: String?
    var etag: String?
    var mimeType: String?
    var permissions: String?
    var linkTarget: String?
    var nameBytes: String?

    init(_ item: FileObject) {
        path = item.path.string
        name = item.name
        type = item.type.rawValue
        size = item.size
        modified = item.modifiedDate.map { $0.formatted(Date.ISO8601FormatStyle()) }
        etag = item.entryTag
        mimeType = item.mimeType
        permissions = item.permissions.map { String(format: "%04o", Int($0)) }
        linkTarget = item.linkTarget.map { String(decoding: $0, as: UTF8.self) }
        if String(validating: item.path.nameBytes, as: UTF8.self) == nil { nameBytes = Data(item.path.nameBytes).base64EncodedString() }
    }
}

extension FileObject {
    /// One line of a long listing: kind and permissions, bytes, time, name.
    var longLine: String {
        let kind =
            switch type {
            case .regular: "-"
            case .directory: "d"
            case .symbolicLink: "l"
            case .other: "?"
            }
        // In bytes: a folder may have very many items.
        var line: [UInt8] = []
        line.reserveCapacity(64 + name.utf8.count)
        line += kind.utf8
        line += (permissions.map { Self.rights[Int($0 & 0o777)] } ?? "         ").utf8
        line.append(UInt8(ascii: " "))
        let bytes = size.map(String.init) ?? "-"
        line += repeatElement(UInt8(ascii: " "), count: max(0, 12 - bytes.utf8.count))
        line += bytes.utf8
        line.append(UInt8(ascii: " "))
        if let modifiedDate { modifiedDate.put(into: &line) } else { line += "                   -".utf8 }
        line.append(UInt8(ascii: " "))
        line += name.utf8
        if let linkTarget {
            line += " -> ".utf8
            line += linkTarget
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// What stands for each of the lowest nine bits, made once: a folder may have very many items.
    private static let rights = (0..<512).map { bits in
        String(zip(0..<9, "rwxrwxrwx").map { bits & (0o400 >> $0) != 0 ? $1 : "-" })
    }
}

extension Date {
    /// As RFC 3339, in UTC, whole seconds.
    fileprivate func put(into line: inout [UInt8]) {
        var (seconds, parts) = (time_t(timeIntervalSince1970.rounded(.down).clamped(to: -1...253_402_300_800)), tm())
        guard (0..<253_402_300_800).contains(seconds), gmtime_r(&seconds, &parts) != nil else {
            line += formatted(Date.ISO8601FormatStyle()).utf8
            return
        }
        func put(_ number: Int32, _ digits: Int, _ end: Unicode.Scalar) {
            var unit: Int32 = digits == 4 ? 1000 : 10
            while unit > 0 {
                line.append(UInt8(ascii: "0") + UInt8(number / unit % 10))
                unit /= 10
            }
            line.append(UInt8(ascii: end))
        }
        put(parts.tm_year + 1900, 4, "-")
        put(parts.tm_mon + 1, 2, "-")
        put(parts.tm_mday, 2, "T")
        put(parts.tm_hour, 2, ":")
        put(parts.tm_min, 2, ":")
        put(parts.tm_sec, 2, "Z")
    }
}

extension Double {
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double { Swift.min(Swift.max(self, range.lowerBound), range.upperBound) }
}
