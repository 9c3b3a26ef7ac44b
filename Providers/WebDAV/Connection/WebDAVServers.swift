public import Foundation
import CurlTransport
import FileProviderCore
import HTTPFileProvider

/// What was learnt of WebDAV servers, by scheme, host, port and the folder that was asked: the providers of one server
/// share it. Behind one host different folders may be different servers.
///
/// Safe to use from any thread. It lives as long as the process; ``WebDAVConfiguration/quirks`` keeps a value longer.
public final class WebDAVServers: Sendable {
    /// The process's memory.
    public static let shared = WebDAVServers()

    private let known = LockedValue<[Origin: [ProviderPath: WebDAVQuirks]]>([:])
    private let destinations = LockedValue<[Origin: DestinationForm]>([:])

    /// A memory that knows nothing, apart from ``shared``.
    public init() {}

    /// What is known of the server of `url`, by the nearest folder at or above it that was asked; nil where none was.
    /// Setting it corrects what was learnt, for all providers there and below; nil has them ask again.
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

/// What one provider knows of its server: what the user said first, then what was learnt, then the vendor's row.
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

    /// Nil while nobody has said or asked.
    var value: WebDAVQuirks? { (given.value ?? servers[url]).map { overruled($0) } }

    /// The form of `Destination` that has worked for this host, in this provider or another.
    var destination: DestinationForm? {
        get { servers.destination(url) }
        set { if let newValue { servers.learn(url, destination: newValue) } }
    }

    private func overruled(_ quirks: WebDAVQuirks) -> WebDAVQuirks {
        var quirks = quirks
        // Never throws: `init` has tried them.
        try? quirks.apply(settings)
        return quirks
    }

    /// What is known, or what `ask` tells; many callers at once wait for one answer.
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
    /// What this server does in its own way, as far as it matters here.
    ///
    /// - Complexity: One `OPTIONS` for each server in the life of the process, after a look where to send it; none
    ///   where the configuration or its settings tell.
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

    /// The folder that is there, nearest to ``home``, or one of which nobody can tell; nil where there is none.
    /// lighttpd never answers an `OPTIONS` about a name that is not there.
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

    /// How to reach this server, with what is known of it by now: a value to be kept.
    public var configuration: WebDAVConfiguration {
        WebDAVConfiguration(baseURL: connection.baseURL, quirks: known.value)
    }
}
