import Foundation

/// The names by which clients may call the server. A page of the Web that makes its own name lead to this machine (DNS
/// rebinding) sends its own name.
package struct HostCheck: Sendable {
    /// Names and addresses, each as ``host(of:)`` writes it.
    private let names: Set<String>
    private let allowsAddresses: Bool

    /// - Parameters:
    ///   - boundHost: The address that the server listens on.
    ///   - allowed: Further names, in any case.
    package init(boundHost: String, allowed: [String]) {
        let bound = Self.name(boundHost)
        var names = Set((allowed + ["localhost", "127.0.0.1", "::1"]).map(Self.name))
        names.insert(bound)
        let isAny = ["0.0.0.0", "::"].map(Self.name).contains(bound)
        // Every interface: this machine's own name, too, and all addresses: DNS rebinding needs a name.
        if isAny { names.insert(Self.name(ProcessInfo.processInfo.hostName)) }
        allowsAddresses = isAny
        self.names = names
    }

    /// Whether `header`, the value of `Host`, is one of the names, with any port.
    ///
    /// Several fields `Host` count as one with a comma in it, which is no name.
    package func allows(_ header: String?) -> Bool {
        guard let header, let host = Self.host(of: header) else { return false }
        return names.contains(host) || allowsAddresses && (host.contains(":") || Self.isIPv4(host))
    }

    // MARK: Names

    /// The name of a setting, which may lack the brackets of an address or have its zone.
    private static func name(_ setting: String) -> String {
        host(of: setting) ?? ipv6(setting.prefix { $0 != "%" }) ?? setting.lowercased()
    }

    /// The name or address without its port; nil for what is none (RFC 3986, section 3.2). Names are in lower case and
    /// without the dot of the root.
    private static func host(of header: String) -> String? {
        if header.hasPrefix("[") {
            guard let end = header.firstIndex(of: "]"), isPort(header[header.index(after: end)...]) else { return nil }
            return ipv6(header[header.index(after: header.startIndex)..<end])
        }
        let name = header.prefix { $0 != ":" }
        guard !name.isEmpty, name.utf8.allSatisfy(isNameByte), isPort(header[name.endIndex...]) else { return nil }
        return String(name.hasSuffix(".") ? name.dropLast() : name).lowercased()
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Whether `text` is empty, or a colon and digits.
    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty || text.first == ":" && text.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    // MARK: Addresses

    /// Source: inet_pton(3).
    private static func isIPv4(_ text: String) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4)
        return inet_pton(AF_INET, text, &buffer) == 1
    }

    /// The one spelling in which addresses are compared; nil for what is no address of IPv6. It has colons, which names
    /// never have.
    ///
    /// Source: inet_pton(3).
    private static func ipv6(_ text: Substring) -> String? {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, String(text), &bytes) == 1 else { return nil }
        return bytes.map { String($0, radix: 16) }.joined(separator: ":")
    }
}
