public import Foundation
import CurlTransport
import FileProviderCore
import HTTPFileProvider

/// What was learnt of WebDAV servers, by scheme, host and port: the providers of one server share it.
///
/// Safe to use from any thread. It lives as long as the process; ``WebDAVConfiguration/quirks`` keeps a value longer.
public final class WebDAVServers: Sendable {
    /// The process's memory.
    public static let shared = WebDAVServers()

    private let known = Locked<[Origin: WebDAVQuirks]>([:])

    /// A memory that knows nothing, apart from ``shared``.
    public init() {}

    /// What is known of the server of `url`; nil where nothing is. Setting it corrects what was learnt, for all its providers.
    public subscript(url: URL) -> WebDAVQuirks? {
        get { Origin(ofServer: url).flatMap { known.value[$0] } }
        set { if let origin = Origin(ofServer: url) { known.update { $0[origin] = newValue } } }
    }

    /// Corrects what is known of the server of `url`, if anything is.
    func correct(_ url: URL, _ change: (inout WebDAVQuirks) -> Void) {
        guard let origin = Origin(ofServer: url) else { return }
        known.update { known in
            if var quirks = known[origin] {
                change(&quirks)
                known[origin] = quirks
            }
        }
    }
}

extension Origin {
    fileprivate init?(ofServer url: URL) {
        let url = WebDAVConfiguration.httpURL(url)
        guard let host = url.host(), let scheme = url.scheme?.lowercased() else { return nil }
        self.init(scheme: scheme, host: host.lowercased(), port: url.port ?? (scheme == "https" ? 443 : 80))
    }
}

/// What one provider knows of its server: what the user said first, then what was learnt, then the vendor's row.
final class KnownQuirks: Sendable {
    private let servers: WebDAVServers
    private let url: URL
    private let settings: [String: String]
    private let vendor: WebDAVQuirks.Vendor?
    private let given: Locked<WebDAVQuirks?>
    private let asking = Locked<Task<WebDAVQuirks, any Error>?>(nil)

    /// - Throws: `CocoaError(.featureUnsupported)` for a setting that makes no sense.
    init(of url: URL, given: WebDAVQuirks?, settings: [String: String], servers: WebDAVServers) throws {
        vendor = try WebDAVQuirks.vendor(in: settings)
        var trial = WebDAVQuirks(.other)
        try trial.apply(settings)
        self.url = url
        self.settings = settings
        self.servers = servers
        self.given = Locked(vendor.map { WebDAVQuirks($0) } ?? given)
    }

    /// Nil while nobody has said or asked.
    var value: WebDAVQuirks? { (given.value ?? servers[url]).map { overruled($0) } }

    private func overruled(_ quirks: WebDAVQuirks) -> WebDAVQuirks {
        var quirks = quirks
        // Never throws: `init` has tried them.
        try? quirks.apply(settings)
        return quirks
    }

    /// What is known, or what `ask` tells; many callers at once wait for one answer.
    func value(asking ask: @escaping @Sendable () async throws -> ResponseHead) async throws -> WebDAVQuirks {
        if let value { return value }
        let task = asking.update { asking in
            let task =
                asking
                ?? Task {
                    defer { self.asking.update { $0 = nil } }
                    let head = try await ask()
                    let quirks = WebDAVQuirks(head)
                    if head.isSuccess {
                        self.servers[self.url] = quirks
                    } else if ![401, 403, 404, 407].contains(head.status) {
                        // A server that refuses the question refuses it the next time, too; others may ask it better.
                        self.given.update { $0 = quirks }
                    }
                    return quirks
                }
            asking = task
            return task
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
    /// - Complexity: One `OPTIONS` for each server in the life of the process, after a look where to send it; none where the configuration
    ///   or its settings tell.
    public func quirks() async throws -> WebDAVQuirks {
        try await known.value {
            guard let place = try await self.whereToAsk() else { return ResponseHead(status: 404) }
            return try await self.connection.send(HTTPRequest("OPTIONS", place, isFolder: true, accepts: Self.refusals))
        }
    }

    /// The statuses that say that a server does not answer this question, rather than that it will later.
    private static let refusals = Set(400..<500).union([501]).subtracting([408, 423, 425, 429])

    /// The folder that is there, nearest to ``home``, or one of which nobody can tell; nil where there is none. lighttpd never answers an
    /// `OPTIONS` about a name that is not there.
    private func whereToAsk() async throws -> ProviderPath? {
        var place: ProviderPath? = home
        while let next = place {
            do {
                if try await itemIfAny(next)?.isDirectory == true { return next }
            } catch let error where !error.isCancellation && !error.isTransient {
                // It answers, if not this question.
                return next
            }
            place = next.parent
        }
        return nil
    }

    /// How to reach this server, with what is known of it by now: a value to be kept.
    public var configuration: WebDAVConfiguration { WebDAVConfiguration(baseURL: connection.baseURL, quirks: known.value) }
}
