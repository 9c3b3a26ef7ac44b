import FileProviderCore
import Foundation

/// An address and a port, as connect(2) takes them.
struct SSHAddress {
    let family: Int32
    /// A `sockaddr` of the family.
    let bytes: [UInt8]

    /// The resolver knows no such host.
    struct Unknown: Error {
        /// As gai_strerror(3) says it.
        let reason: String
    }

    /// Looks up the addresses of a host, in the order to try. Waits for the resolver, which cannot be interrupted.
    static func all(of host: String, port: Int) throws(Unknown) -> [SSHAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, "\(port)", &hints, &first)
        guard code == 0 else { throw Unknown(reason: String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(first) }
        var all: [SSHAddress] = []
        var next = first
        while let entry = next?.pointee {
            let bytes = UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen))
            all.append(SSHAddress(family: entry.ai_family, bytes: Array(bytes)))
            next = entry.ai_next
        }
        return all
    }

    /// The address alone: 4 or 16 bytes; nil for another family. Source: ip(7), ipv6(7).
    var host: [UInt8]? {
        switch family {
        case AF_INET where bytes.count >= 8: Array(bytes[4..<8])
        case AF_INET6 where bytes.count >= 24: Array(bytes[8..<24])
        default: nil
        }
    }

    /// The bytes of an address that is written as a number; nil for a name.
    static func numeric(_ text: String) -> [UInt8]? {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: &four) { Array($0) } }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        return withUnsafeBytes(of: &six) { Array($0) }
    }
}

extension SSHServer {
    func notFound(_ cause: SSHAddress.Unknown) -> URLError {
        FileError.make(
            .cannotFindHost, url: url, sentence: "The host “\(host)” cannot be found: \(cause.reason).")
    }
}
