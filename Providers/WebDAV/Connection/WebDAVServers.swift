public import Foundation
import CurlTransport
import FileProviderCore
import HTTPFileProvider

/// A memory of WebDAV servers' behaviour, by scheme, host, port and folder. All providers of one server share it.
/// Different folders of one host may be different servers.
///
/// Safe to use from any thread. It is kept as long as the process runs; ``WebDAVConfiguration/quirks`` keeps a value longer.
public final class WebDAVServers: Sendable {
    /// The memory of this process.
    public static let shared = WebDAVServers()

    private let known = LockedValue<[Origin: [ProviderPath: WebDAVQuirks]]>([:])
    private let destinations = LockedValue<[Origin: DestinationForm]>([:])

    /// Creates an empty memory, separate from ``shared``.
    public init() {}

    /// The behaviour of the server of `url`, from the nearest folder at or above it that was asked; nil if none was.
    /// Setting it corrects the value for all providers there and below; setting nil makes them ask again.
    public subscript(url: URL) -> WebDAVQuirks? {
        get {
            Location(url).flatMap { location in
                known.value[location.origin].flatMap { rows in location.nearest(in: rows).flatMap { rows[$0] } }
            }
        }
        set {
            guard let location = Location(url) else { return }
            known.update { known in
                var rows = known[location.origin] ?? [:]
                if newValue == nil, let nearest = location.nearest(in: rows) { rows[nearest] = nil }
                rows = rows.filter { !$0.key.isBelow(location.path) }
                rows[location.path] = newValue
                known[location.origin] = rows
            }
        }
    }

    /// Enters what the folder at `url` has answered, and leaves what is known of others.
    func learn(_ url: URL, _ quirks: WebDAVQuirks) {
        guard let location = Location(url) else { return }
        known.update { $0[location.origin, default: [:]][location.path] = quirks }
    }

    /// Corrects what is known of the server of `url`, if anything is.
    func correct(_ url: URL, _ change: (inout WebDAVQuirks) -> Void) {
        guard let location = Location(url) else { return }
        known.update { known in
            guard let rows = known[location.origin], let nearest = location.nearest(in: rows),
                var quirks = rows[nearest]
            else { return }
            change(&quirks)
            known[location.origin]?[nearest] = quirks
        }
    }

    /// The form of `Destination` that has worked for the host of `url`.
    func destination(_ url: URL) -> DestinationForm? { Location(url).flatMap { destinations.value[$0.origin] } }

    /// Remembers `form` for the host of `url`.
    func learn(_ url: URL, destination form: DestinationForm) {
        guard let location = Location(url) else { return }
        destinations.update { $0[location.origin] = form }
    }

    /// A folder of a server.
    private struct Location {
        let origin: Origin
        let path: ProviderPath

        init?(_ url: URL) {
            let url = WebDAVConfiguration.httpURL(url)
            guard let host = url.host(), let scheme = url.scheme?.lowercased(),
                let path = try? ProviderPath(percentEncoded: url.path(percentEncoded: true))
            else { return nil }
            origin = Origin(scheme: scheme, host: host.lowercased(), port: url.port ?? (scheme == "https" ? 443 : 80))
            self.path = path
        }

        /// The folder at or above this one of which something is known.
        func nearest(in rows: [ProviderPath: WebDAVQuirks]) -> ProviderPath? {
            var path: ProviderPath? = path
            while let next = path, rows[next] == nil { path = next.parent }
            return path
        }
    }
}

/// The known behaviour of one provider's server: first the user's settings, then the server's answers, then the vendor's
/// row.
final class KnownQuirks: Sendable {
    private let servers: WebDAVServers
    private let url: URL
    private let settings: [String: String]
    private let vendor: WebDAVQuirks.Vendor?
    private let given: LockedValue<WebDAVQuirks?>
    private let asking = LockedValue<Task<WebDAVQuirks, any Error>?>(nil)

    /// - Throws: `CocoaError(.featureUnsupported)` for a setting that makes no sense.
    init(of url: URL, given: WebDAVQuirks?, settings: [String: String], servers: WebDAVServers) throws {
        vendor = try WebDAVQuirks.vendor(in: settings)
        var trial = WebDAVQuirks(.other)
        try trial.apply(settings)
        self.url = url
        self.settings = settings
        self.servers = servers
        self.given = LockedValue(vendor.map { WebDAVQuirks($0) } ?? given)
    }

    /// Nil until the server was asked or the user has set it.
    var value: WebDAVQuirks? { (given.value ?? servers[url]).map { overruled($0) } }

    /// The form of `Destination` that has worked for this host, in this provider or another.
    var destination: DestinationForm? {
        get { servers.destination(url) }
        set { if let newValue { servers.learn(url, destination: newValue) } }
    }

    private func overruled(_ quirks: WebDAVQuirks) -> WebDAVQuirks {
        var quirks = quirks
        // Never throws: `init` has already applied them.
        try? quirks.apply(settings)
        return quirks
    }

    /// Returns the known behaviour, or asks the server with `ask`; concurrent callers wait for one answer.
    ///
    /// - Parameter ask: Gives the answer, and the folder that gave it.
    func value(asking ask: @escaping @Sendable () async throws -> (ResponseHead, URL)) async throws -> WebDAVQuirks {
        if let value { return value }
        let task = asking.update { asking in
            asking.orStart {
                defer { self.asking.update { $0 = nil } }
                let (head, location) = try await ask()
                let quirks = WebDAVQuirks(head)
                if head.isSuccess {
                    self.servers.learn(location, quirks)
                } else if ![401, 403, 404, 407].contains(head.status) {
                    // A server that refuses the question refuses it the next time, too; others may ask it better.
                    self.given.update { $0 = quirks }
                }
                return quirks
            }
        }
        return overruled(try await task.sharedValue())
    }

    /// Corrects what this provider knows, and no other.
    func correctHere(_ change: (inout WebDAVQuirks) -> Void) {
        given.update { given in
            guard var quirks = given ?? servers[url] else { return }
            change(&quirks)
            given = quirks
        }
    }

    /// Corrects what is known.
    func correct(_ change: (inout WebDAVQuirks) -> Void) {
        given.update { given in
            if var quirks = given {
                change(&quirks)
                given = quirks
            }
        }
        servers.correct(url, change)
    }
}

extension WebDAVFileProvider {
    /// Returns the behaviour of this server where servers differ.
    ///
    /// - Complexity: One `OPTIONS` for each server and process, after a look where to send it; none if the
    ///   configuration or its settings say the vendor.
    public func quirks() async throws -> WebDAVQuirks {
        try await known.value {
            guard let location = try await self.whereToAsk() else {
                return (ResponseHead(status: 404), self.url(of: self.home))
            }
            let head = try await self.connection.send(
                HTTPRequest("OPTIONS", path: location, isFolder: true, accepts: Self.refusals))
            return (head, self.url(of: location))
        }
    }

    /// The statuses that say that a server does not answer this question, rather than that it will later.
    private static let refusals = Set(400..<500).union([501]).subtracting([408, 423, 425, 429])

    /// The folder nearest to ``home`` that exists, or that the server refuses to show; nil if there is none.
    /// lighttpd never answers an `OPTIONS` about a name that doesn't exist.
    private func whereToAsk() async throws -> ProviderPath? {
        var current: ProviderPath? = home
        while let next = current {
            do {
                if try await itemIfAny(next)?.isDirectory == true { return next }
            } catch let error where !error.isCancellation && !error.isTransient {
                // It answers, if not this question.
                return next
            }
            current = next.parent
        }
        return nil
    }

    /// The configuration of this provider, with what it has learnt about the server so far; meant to be saved.
    public var configuration: WebDAVConfiguration {
        WebDAVConfiguration(baseURL: connection.baseURL, quirks: known.value)
    }
}
