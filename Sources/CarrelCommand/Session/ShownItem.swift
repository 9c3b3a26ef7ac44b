import Carrel
import Foundation

/// An item in the contract's JSON.
struct ShownItem {
    let item: FileObject

    init(_ item: FileObject) { self.item = item }

    /// Appends the object with the same bytes as Foundation's encoder with sorted keys, but without its temporary
    /// objects. A folder may have very many items.
    func put(into json: inout [UInt8]) {
        var isFirst = true
        func key(_ name: StaticString) {
            json.append(UInt8(ascii: isFirst ? "{" : ","))
            json.append(UInt8(ascii: "\""))
            name.withUTF8Buffer { json += $0 }
            json += [UInt8(ascii: "\""), UInt8(ascii: ":")]
            isFirst = false
        }
        func text(_ name: StaticString, _ value: String?) {
            guard let value else { return }
            key(name)
            json.put(json: value)
        }
        text("etag", item.entryTag)
        text("linkTarget", item.linkTarget.map { String(decoding: $0, as: UTF8.self) })
        text("mimeType", item.mimeType)
        if let date = item.modifiedDate {
            key("modified")
            json.append(UInt8(ascii: "\""))
            date.put(into: &json)
            json.append(UInt8(ascii: "\""))
        }
        text("name", item.name)
        if String(validating: item.path.nameBytes, as: UTF8.self) == nil {
            text("nameBytes", Data(item.path.nameBytes).base64EncodedString())
        }
        text("path", item.path.string)
        text("permissions", item.permissions.map(Self.octal))
        if let size = item.size {
            key("size")
            json += String(size).utf8
        }
        text("type", item.type.rawValue)
        json.append(UInt8(ascii: "}"))
    }

    /// Returns four octal digits.
    private static func octal(_ permissions: UInt16) -> String {
        let digits = String(permissions, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}

extension [UInt8] {
    /// Appends a JSON string (RFC 8259, section 7) with as few escapes as possible.
    mutating func put(json text: String) {
        append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            var start = bytes.startIndex
            for (index, byte) in bytes.enumerated()
            where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                self += bytes[start..<index]
                putEscaped(byte)
                start = index + 1
            }
            self += bytes[start...]
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func putEscaped(_ byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        case 0..<0x20: self += ((byte < 0x10 ? "u000" : "u00") + String(byte, radix: 16)).utf8
        default: append(byte)
        }
    }
}

extension FileObject {
    /// Returns one line of a long listing: kind and permissions, bytes, time, name.
    ///
    /// - Parameter isRounded: Whether to print readable sizes, such as 1.5 MiB.
    func longLine(isRounded: Bool = false) -> String {
        let kind =
            switch type {
            case .regular: "-"
            case .directory: "d"
            case .symbolicLink: "l"
            case .other: "?"
            }
        // Built from bytes for speed: a folder may have very many items.
        var line: [UInt8] = []
        line.reserveCapacity(64 + name.utf8.count)
        line += kind.utf8
        line += (permissions.map { Self.rights[Int($0 & 0o777)] } ?? "         ").utf8
        line.append(UInt8(ascii: " "))
        let bytes = size.map { isRounded ? ProgressBar.bytes($0) : String($0) } ?? "-"
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

    /// The text for each value of the lowest nine bits, computed once: a folder may have very many items.
    private static let rights = (0..<512).map { bits in
        String(zip(0..<9, "rwxrwxrwx").map { bits & (0o400 >> $0) != 0 ? $1 : "-" })
    }
}

extension Date {
    /// The date as RFC 3339, in UTC, in whole seconds.
    var shown: String {
        var text: [UInt8] = []
        put(into: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends ``shown``.
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
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
