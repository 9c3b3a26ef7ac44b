import Foundation

/// Hosts that are reached without a proxy, as in `NO_PROXY`.
///
/// An entry is `*` for all, a host or a domain with all that is in it, an address, or a network such as `10.0.0.0/8`.
/// Source: CURLOPT_NOPROXY(3).
struct ProxyExceptions {
    private let entries: [Substring]

    /// - Parameter texts: Entries; one text may hold several, separated by commas or blanks.
    init(_ texts: [String]) {
        entries = texts.flatMap { $0.split { ", \t".contains($0) } }
    }

    /// - Parameter host: A name or an address, one of IPv6 without brackets.
    func contains(_ host: String) -> Bool {
        if entries == ["*"] { return true }
        let address = Self.address(host)
        let name = Self.bare(host[...])
        return entries.contains { entry in
            if let address { return Self.network(entry).map { $0.holds(address) } ?? false }
            let domain = Self.bare(entry.drop { $0 == "." })
            return !domain.isEmpty && (name == domain || name.hasSuffix("." + domain))
        }
    }

    /// In lower case, without the dot that may end a name.
    private static func bare(_ name: Substring) -> String {
        let text = name.lowercased()
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// 4 or 16 bytes; nil for a name.
    private static func address(_ text: String) -> [UInt8]? {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: &four) { Array($0) } }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        return withUnsafeBytes(of: &six) { Array($0) }
    }

    private struct Network {
        let address: [UInt8]
        let bits: Int

        func holds(_ other: [UInt8]) -> Bool {
            guard other.count == address.count else { return false }
            let (whole, rest) = bits.quotientAndRemainder(dividingBy: 8)
            guard address.prefix(whole) == other.prefix(whole) else { return false }
            return rest == 0 || (address[whole] ^ other[whole]) >> (8 - rest) == 0
        }
    }

    private static func network(_ entry: Substring) -> Network? {
        let parts = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let text = parts[0].trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        guard let address = address(text) else { return nil }
        guard parts.count == 2 else { return Network(address: address, bits: address.count * 8) }
        guard let bits = Int(parts[1]), (0...(address.count * 8)).contains(bits) else { return nil }
        return Network(address: address, bits: bits)
    }
}
