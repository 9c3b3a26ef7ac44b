import Foundation

/// An address of IPv4 or IPv6, as connections and proxies have it.
///
/// Source: inet_pton(3).
struct PeerAddress: Hashable, Sendable {
    /// 4 or 16. IPv4 in the form of IPv6 has 4 (RFC 4291, section 2.5.5.2).
    let bytes: [UInt8]

    /// Nil for what is no address. Brackets, a port behind them or behind IPv4, and a zone are left out.
    init?(_ text: some StringProtocol) {
        var text = String(text)
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            text = String(text[text.index(after: text.startIndex)..<end])
        } else if text.contains("."), text.filter({ $0 == ":" }).count == 1, let colon = text.firstIndex(of: ":") {
            text = String(text[..<colon])
        }
        text = String(text.prefix { $0 != "%" })
        var four = [UInt8](repeating: 0, count: 4)
        var six = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = four
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            let isMapped = six.prefix(10).allSatisfy { $0 == 0 } && six[10] == 255 && six[11] == 255
            bytes = isMapped ? Array(six.suffix(4)) : six
        } else {
            return nil
        }
    }

    /// The usual form.
    var text: String {
        if bytes.count == 4 { return bytes.map { String($0) }.joined(separator: ".") }
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let isWritten = inet_ntop(AF_INET6, bytes, &buffer, socklen_t(buffer.count)) != nil
        let length = buffer.firstIndex(of: 0) ?? 0
        return isWritten ? String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
    }

    /// Whether it is this machine.
    var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    /// Whether `host` is this machine: a name or an address.
    static func isLoopback(_ host: String) -> Bool {
        host.lowercased() == "localhost" || PeerAddress(host)?.isLoopback == true
    }
}

/// An address, or a network of addresses (RFC 4632, section 3.1).
struct AddressRange: Hashable, Sendable {
    private let address: PeerAddress
    private let bits: Int

    /// Nil for another form than `10.0.0.1`, `10.0.0.0/8` or `fd00::/8`.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = PeerAddress(parts[0]) else { return nil }
        let all = 8 * address.bytes.count
        let bits = parts.count == 2 ? Int(parts[1]) ?? -1 : all
        guard (0...all).contains(bits) else { return nil }
        self.address = address
        self.bits = bits
    }

    func contains(_ other: PeerAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        return (0..<bits).allSatisfy { bit in
            let mask = UInt8(0x80) >> UInt8(bit % 8)
            return address.bytes[bit / 8] & mask == other.bytes[bit / 8] & mask
        }
    }
}
