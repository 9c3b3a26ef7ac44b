import CurlTransport
import FileProviderCore
import Foundation

/// The redirects of a request so far (RFC 9110, section 15.4), and the headers that may go along.
struct RedirectTrail: Sendable {
    private let first: URL
    /// The URL that the request goes to next.
    private(set) var url: URL
    private var hops = 0
    /// Whether the first server is in a private network itself, as far as is known.
    private var beganLocally = false

    init(_ first: URL) {
        self.first = first
        url = first
    }

    /// Goes on to `target`, which `head` redirects to.
    ///
    /// - Throws: `URLError(.redirectToNonExistentLocation)` where the options, or the address in it, do not let it.
    mutating func follow(_ target: URL, after head: ResponseHead, _ options: ConnectionOptions) throws {
        if hops == 0 {
            beganLocally =
                LocalAddress.names(host: first.host() ?? "") || head.serverAddress.map(LocalAddress.holds) == true
        }
        hops += 1
        if options.keepsRedirectsInOrigin, !target.hasOrigin(of: first) {
            throw refusal(target, "to another host, port or scheme, which the configuration does not allow")
        }
        // The transport checks the address that a name resolves to; through a proxy it is not known here.
        if !beganLocally, LocalAddress.names(host: target.host() ?? "") {
            throw refusal(target, "into a private network")
        }
        url = target
    }

    private func refusal(_ target: URL, _ reason: String) -> URLError {
        FileError.make(
            .redirectToNonExistentLocation, url: url,
            sentence: "“\(url.host() ?? "")” redirects to “\(target.withoutSecrets.absoluteString)”, \(reason).")
    }

    /// `request` as it goes to ``url``.
    func next(_ request: HTTPRequest) -> HTTPRequest {
        guard hops > 0 else { return request }
        var request = request
        request.refusesLocalAddresses = !beganLocally
        if !url.hasOrigin(of: first) {
            var hasBody = true
            if case .none = request.body { hasBody = false }
            request.headers.removeAll { !Self.mayTravel($0.name.lowercased(), hasBody: hasBody) }
        }
        request.receive = { [self, receive = request.receive] head in try receive(marked(head)) }
        return request
    }

    /// The headers that any server may see: a caller's other headers may hold a secret. `If` holds lock tokens.
    private static func mayTravel(_ name: String, hasBody: Bool) -> Bool {
        name == "accept" || name.hasPrefix("accept-") || name == "range" || name.hasPrefix("if-") || name == "depth"
            || (hasBody && name == "content-type")
    }

    /// `head` with the place that it is from, if that is another than was asked for.
    func marked(_ head: ResponseHead) -> ResponseHead {
        guard hops > 0, url.isElsewhere(than: first) else { return head }
        var head = head
        head.redirectedTo = url.withoutSecrets
        return head
    }
}

extension URL {
    /// Whether a redirect from `first` to this URL led to another path or host, and not just to the folder's form or to
    /// the encrypted form of the same place.
    fileprivate func isElsewhere(than first: URL) -> Bool {
        func names(_ url: URL) -> [String] {
            url.path(percentEncoded: true).split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
        }
        guard host()?.lowercased() == first.host()?.lowercased(), names(self) == names(first) else { return true }
        return scheme?.lowercased() == first.scheme?.lowercased() && usualPort != first.usualPort
    }

    /// Whether scheme, host and port are those of `other` (RFC 6454, section 5).
    fileprivate func hasOrigin(of other: URL) -> Bool {
        scheme?.lowercased() == other.scheme?.lowercased() && host()?.lowercased() == other.host()?.lowercased()
            && usualPort == other.usualPort
    }

    private var usualPort: Int { port ?? (scheme?.lowercased() == "https" ? 443 : 80) }
}
