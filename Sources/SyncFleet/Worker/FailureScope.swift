import FileProviderCore
import Foundation

/// The extent of a failure: which other pairs would fail the same way now.
enum FailureScope: Hashable, Sendable {
    /// This pair alone.
    case pair
    /// The pairs with a folder on the same host, which is that of the URL if the error names one.
    case host(URL?)
    /// The pairs of the same owner: a login was refused, or there is no space left.
    case owner

    init(_ error: any Error) {
        if (error as? CocoaError)?.code == .fileWriteOutOfSpace
            || (error as? URLError)?.code == .userAuthenticationRequired
        {
            self = .owner
        } else if Self.isOfHost(error) {
            let info = (error as NSError).userInfo
            self = .host(info[NSURLErrorKey] as? URL ?? info[NSURLErrorFailingURLErrorKey] as? URL)
        } else {
            self = .pair
        }
    }

    private static func isOfHost(_ error: any Error) -> Bool {
        switch error {
        case let error as URLError: error.isTransient || [.cannotFindHost, .dnsLookupFailed].contains(error.code)
        // Other statuses that may pass, such as 423 and 500, are about single items.
        case let error as any FileProviderHTTPError:
            [429, 503].contains(error.code.rawValue) || (error as? any RetryAfterError)?.retryAfter != nil
        case let error as any FileProviderFTPError: error.code.isTransient
        case let error as any FileProviderSFTPError: error.code.isTransient
        default: false
        }
    }

    /// Returns the name of the gate to close for a while, or `nil` if only the pair waits: also if the error does not
    /// say which of two hosts it is about.
    ///
    /// - Parameter gates: The gates of the pair: `owner:NAME`, `host:NAME:PORT`.
    func gate(among gates: [String]) -> String? {
        switch self {
        case .pair: nil
        // Pairs without an owner have nothing in common.
        case .owner: gates.first { $0.hasPrefix("owner:") && $0 != "owner:" }
        case .host(let url): Self.only(gates.filter { Self.isHost($0, of: url) })
        }
    }

    private static func only(_ gates: [String]) -> String? { Set(gates).count == 1 ? gates[0] : nil }

    private static func isHost(_ gate: String, of url: URL?) -> Bool {
        guard gate.hasPrefix("host:") else { return false }
        guard let host = url?.host()?.lowercased(), !host.isEmpty else { return true }
        if let url, gate == FleetPair.hostGate(of: url.absoluteString) { return true }
        let name = "host:\(host)"
        guard let port = url?.port else { return gate == name || gate.hasPrefix(name + ":") }
        return gate == "\(name):\(port)" || gate == name
    }
}
