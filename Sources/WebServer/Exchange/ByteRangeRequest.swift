/// What the field `Range` asks for (RFC 9110, section 14.1.2).
package enum ByteRangeRequest: Equatable {
    case part(first: Int64, last: Int64?)
    case suffix(Int64)

    /// Nil, which means everything, for no range, several ones, another unit and a malformed field: a server may ignore
    /// it (RFC 9110, section 14.2).
    package init?(_ header: String?) {
        guard let header else { return nil }
        let parts = header.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].trimmed.lowercased() == "bytes" else { return nil }
        let ends = parts[1].trimmed.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        let (first, last) = (Self.number(ends[0].trimmed), Self.number(ends[1].trimmed))
        switch (ends[0].trimmed.isEmpty, ends[1].trimmed.isEmpty) {
        case (true, false):
            guard let last else { return nil }
            self = .suffix(last)
        case (false, true):
            guard let first else { return nil }
            self = .part(first: first, last: nil)
        case (false, false):
            guard let first, let last, first <= last else { return nil }
            self = .part(first: first, last: last)
        case (true, true): return nil
        }
    }

    /// Returns the part of `length` bytes; nil if it has none of them (416).
    package func range(in length: Int64) -> Range<Int64>? {
        switch self {
        case .part(let first, let last):
            guard first < length else { return nil }
            return first..<min(last ?? length - 1, length - 1) + 1
        case .suffix(let count):
            guard count > 0, length > 0 else { return nil }
            return max(0, length - count)..<length
        }
    }

    /// Digits alone; a number that has no room counts as the largest.
    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int64(text) ?? .max
    }
}

extension Substring {
    /// Without spaces and tabs at both ends (RFC 9110, section 5.6.3).
    var trimmed: Substring {
        var text = self
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
