import Foundation

/// Hosts that only this machine and its network reach.
package enum PrivateHost {
    /// Whether `host` is this machine, or an address of a private network: RFC 1918, RFC 6598, link-local and unique local
    /// addresses. A public name that leads to such an address is not recognised.
    package static func contains(_ host: String) -> Bool {
        var name = host.lowercased()
        if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        while name.hasSuffix(".") { name.removeLast() }
        if name.isEmpty || name == "localhost" || name.hasSuffix(".localhost") || name.hasSuffix(".local") {
            return true
        }
        var four = in_addr()
        // Also the short and numeric forms that resolvers take (inet_aton(3)).
        if inet_aton(name, &four) != 0 { return isPrivate(UInt32(bigEndian: four.s_addr)) }
        var six = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, String(name.prefix { $0 != "%" }), &six) == 1 else { return !name.contains(".") }
        let isMapped =
            six.prefix(10).allSatisfy { $0 == 0 }
            && (six[10] == 0xff && six[11] == 0xff || six[10] == 0 && six[11] == 0)
        if isMapped { return isPrivate(six.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }) }
        return six[0] & 0xfe == 0xfc || six[0] == 0xfe && six[1] & 0xc0 == 0x80
    }

    private static func isPrivate(_ address: UInt32) -> Bool {
        let networks: [(UInt32, Int)] = [
            (0, 8), (0x0a00_0000, 8), (0x6440_0000, 10), (0x7f00_0000, 8), (0xa9fe_0000, 16), (0xac10_0000, 12),
            (0xc0a8_0000, 16),
        ]
        return networks.contains { network, bits in (address ^ network) >> UInt32(32 - bits) == 0 }
    }
}
