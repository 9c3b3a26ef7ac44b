import Foundation

/// Addresses that only this machine or its own network can reach. A server on the internet must not redirect to one.
///
/// Source: RFC 6890; RFC 6598; RFC 4193; RFC 4291, section 2.5; RFC 6052, section 2.1; RFC 3056.
package enum LocalAddress {
    /// Whether `text`, a numeric address as `getnameinfo` writes it, is loopback, link-local, private or unspecified.
    package static func holds(_ text: String) -> Bool {
        let bare = String(text.prefix { $0 != "%" })
        var four = in_addr()
        if inet_pton(AF_INET, bare, &four) == 1 { return isLocal(UInt32(bigEndian: four.s_addr)) }
        var six = in6_addr()
        guard inet_pton(AF_INET6, bare, &six) == 1 else { return false }
        return isLocal(withUnsafeBytes(of: &six) { Array($0) })
    }

    /// Whether the host of a URL names such an address without a lookup: as a number in any form that libcurl reads, or
    /// as `localhost`.
    package static func names(host: String) -> Bool {
        let host = host.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]."))
        if host == "localhost" || host.hasSuffix(".localhost") || holds(host) { return true }
        var address = in_addr()
        // 2130706433, 0x7f.1 and 127.1 are 127.0.0.1, too.
        return inet_aton(host, &address) != 0 && isLocal(UInt32(bigEndian: address.s_addr))
    }

    private static func isLocal(_ address: UInt32) -> Bool {
        let networks: [(UInt32, UInt32)] = [
            (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
            (0xAC10_0000, 12),
            (0xC000_0000, 24), (0xC0A8_0000, 16), (0xC612_0000, 15),
        ]
        return address == .max || networks.contains { address >> (32 - $1) == $0 >> (32 - $1) }
    }

    private static func isLocal(_ bytes: [UInt8]) -> Bool {
        func four(_ start: Int) -> UInt32 { bytes[start..<(start + 4)].reduce(0) { $0 << 8 | UInt32($1) } }
        let isZero = bytes[..<10].allSatisfy { $0 == 0 }
        // IPv4 inside: ::a.b.c.d (with :: and ::1), ::ffff:a.b.c.d, 64:ff9b::a.b.c.d and 2002:abcd::.
        if isZero, bytes[10...11].allSatisfy({ $0 == 0 }) { return true }
        if isZero, bytes[10...11].allSatisfy({ $0 == 0xFF }) { return isLocal(four(12)) }
        if bytes[..<4].elementsEqual([0, 0x64, 0xFF, 0x9B]) { return isLocal(four(12)) }
        if bytes[..<2].elementsEqual([0x20, 0x02]) { return isLocal(four(2)) }
        // fc00::/7, then fe80::/10 with the fec0::/10 of old.
        return bytes[0] & 0xFE == 0xFC || (bytes[0] == 0xFE && bytes[1] & 0x80 != 0)
    }
}
