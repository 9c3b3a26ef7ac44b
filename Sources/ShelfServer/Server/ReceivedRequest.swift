import WebServer

/// A request as the client sent it to the proxy in front of the server, or to the server itself.
struct ReceivedRequest: Sendable {
    /// Its target begins with the path that the client asked for, also if a trusted proxy removed a part of it.
    let request: ServerRequest
    let forwarded: ForwardedRequest
    /// The path in front of all addresses, as the client knows it; begins and ends with a slash.
    let base: String

    init(_ request: ServerRequest, trusting proxies: [AddressRange], _ configuration: ShelfServerConfiguration) {
        let forwarded = ForwardedRequest(request, trusting: proxies, fields: configuration.proxyFields)
        var request = request
        // Other forms than a path lead nowhere (RFC 9112, section 3.2).
        if request.target.isEmpty || request.target.hasPrefix("/") {
            request.target = forwarded.prefix + request.target
        }
        self.request = request
        self.forwarded = forwarded
        base = configuration.publicURL == nil ? forwarded.prefix + "/" : configuration.base
    }

    /// What the target leads to; nil for nothing.
    var route: ShelfRoute? {
        let path = request.path
        return path.hasPrefix(base) ? ShelfRoute(String(path.dropFirst(base.count))) : nil
    }
}
