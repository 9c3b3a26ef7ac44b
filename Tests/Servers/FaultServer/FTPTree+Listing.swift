import Foundation

extension FTPTree {
    /// The lines of `LIST`.
    static func list(_ entries: [(name: [UInt8], node: Node)], as listing: FTPDouble.Settings.Listing) -> Data {
        if case .raw(let data) = listing { return data }
        var text = Data()
        for (name, node) in entries {
            if case .dos = listing { text += Data(dosLine(node).utf8) } else { text += Data(unixLine(node).utf8) }
            text += name + Array("\r\n".utf8)
        }
        return text
    }

    private static func unixLine(_ node: Node) -> String {
        var mode = node.isFolder ? "d" : "-"
        for bit in (0..<9).reversed() { mode += node.mode >> bit & 1 == 0 ? "-" : ["x", "w", "r"][bit % 3] }
        // Half a year, as `ls` has it.
        let isOld = abs(node.modified.timeIntervalSinceNow) > 182 * 86_400
        let date = FTPDate.text(node.modified, isOld ? "%b %e  %Y" : "%b %e %H:%M")
        let size =
            String(repeating: " ", count: max(0, 12 - "\(node.data?.count ?? 4_096)".count))
            + "\(node.data?.count ?? 4_096)"
        return "\(mode)   \(node.isFolder ? 2 : 1) ftp      ftp \(size) \(date) "
    }

    private static func dosLine(_ node: Node) -> String {
        let size = node.data.map { String(repeating: " ", count: max(0, 20 - "\($0.count)".count)) + "\($0.count)" }
        return FTPDate.text(node.modified, "%m-%d-%y  %I:%M%p") + " " + (size ?? "      <DIR>         ") + " "
    }

    /// All that are known, in lower case.
    static let facts: Set<String> = ["type", "size", "modify", "perm", "unix.mode"]

    /// The line of `MLST` and `MLSD` (RFC 3659, section 7) with those facts that were asked for.
    static func facts(_ name: [UInt8], _ node: Node, type: String? = nil, of wanted: Set<String>) -> Data {
        let all = [
            ("type", type ?? (node.isFolder ? "dir" : "file")),
            ("size", node.data.map { String($0.count) }),
            ("modify", FTPDate.text(node.modified)),
            ("perm", node.isFolder ? "cdeflmp" : "adfrw"),
            ("unix.mode", "0" + String(node.mode, radix: 8)),
        ]
        var line = ""
        for case (let fact, let value?) in all where wanted.contains(fact) { line += "\(fact)=\(value);" }
        return Data(line.utf8) + Data(" ".utf8) + Data(name)
    }
}

/// Times of RFC 3659, section 2.3, in UTC.
enum FTPDate {
    static func text(_ date: Date, _ format: String = "%Y%m%d%H%M%S") -> String {
        var seconds = time_t(date.timeIntervalSince1970.rounded(.down))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, format, &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Of 14 digits, with or without a fraction, or of 12 without seconds.
    static func date(_ text: String) -> Date? {
        let whole = text.prefix { $0 != "." }
        guard whole.count == 14 || whole.count == 12, whole.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            return nil
        }
        func number(_ start: Int, _ count: Int) -> Int32 { Int32(whole.dropFirst(start).prefix(count)) ?? 0 }
        var parts = tm()
        parts.tm_year = number(0, 4) - 1_900
        parts.tm_mon = number(4, 2) - 1
        parts.tm_mday = number(6, 2)
        parts.tm_hour = number(8, 2)
        parts.tm_min = number(10, 2)
        parts.tm_sec = number(12, 2)
        let fraction = Double("0" + text.dropFirst(whole.count)) ?? 0
        return Date(timeIntervalSince1970: Double(timegm(&parts)) + fraction)
    }
}
