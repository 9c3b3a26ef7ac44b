import Foundation

/// Gates: the names under which the runs of several pairs are counted and held back together.
extension FleetPair {
    /// The gates of this pair: its owner's and those of its hosts, in byte order, in which the database locks them.
    public var gates: [String] {
        let hosts = [source, destination].compactMap(Self.hostGate(of:))
        return Set([Self.ownerGate(owner)] + hosts).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Returns the gate of an owner's pairs.
    public static func ownerGate(_ owner: String) -> String { "owner:" + owner }

    /// Returns the gate of the host in a location, such as `host:nas.example:5005`: in lower case, with the port unless
    /// it is a usual one of any scheme. Of `s3:` it is the bucket.
    ///
    /// Returns nil for files of this machine, `mem:`, and a location without a host.
    public static func hostGate(of location: String) -> String? {
        guard let url = URL(string: location, encodingInvalidCharacters: true), let scheme = url.scheme?.lowercased(),
            !["file", "mem"].contains(scheme), let host = url.host(percentEncoded: false), !host.isEmpty
        else { return nil }
        return hostGate(host, port: url.port)
    }

    /// Returns the gate of a host as people write it: `nas.example`, `nas.example:5005`, `[::1]:2222`.
    public static func hostGate(named name: String) -> String {
        guard let colon = name.lastIndex(of: ":"), let port = Int(name[name.index(after: colon)...]),
            // An address of IPv6 without a port is full of colons, too.
            name.hasPrefix("[") || name.firstIndex(of: ":") == colon
        else { return hostGate(name, port: nil) }
        return hostGate(String(name[..<colon]), port: port)
    }

    private static func hostGate(_ host: String, port: Int?) -> String {
        var name = host.lowercased()
        if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        if name.hasSuffix("."), name.count > 1 { name.removeLast() }
        if name.contains(":") { name = "[\(name)]" }
        return "host:" + name + (port.map { usualPorts.contains($0) ? "" : ":\($0)" } ?? "")
    }

    private static let usualPorts: Set = [21, 22, 80, 443, 990]
}
