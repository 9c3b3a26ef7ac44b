import Foundation

/// One flat object. Only ``ProviderConfiguration/url`` is required; missing keys have their defaults, and defaults are
/// not written.
///
/// An unknown key is refused rather than lost: it may be a newer version's setting for trust, a typing error, or a
/// secret.
extension ProviderConfiguration: Codable {
    /// The keys of the document; those that are flags of `carrel` too have the same spelling.
    enum Key: String, CodingKey, CaseIterable {
        case url, user, cacert, clientCert, clientKey, insecure, pins, allowClearPassword
        case identity, knownHosts, acceptNewHostKey, hostKey
        case timeout, connectTimeout, wholeTimeout, leastPerMinute, retries, firstPause, longestPause
        case connectionsPerHost, maxRangesAtOnce, bandwidth, requestsPerSecond
        case cacheLifetime, cacheItems, cacheFolder, cacheCapacity, cacheLargestFile, cacheValidates, settings
        case proxy, noProxy, proxyTunnel, redirectsInOrigin
    }

    /// - Throws: `DecodingError` with a sentence in it, which repeats no value.
    public init(from decoder: any Decoder) throws {
        let values = Values(container: try decoder.container(ofKnown: Key.self, in: "a connection"))
        let text = try values.container.decode(String.self, forKey: .url)
        do { try self.init(url: Self.url(text), user: values.optional(.user)) } catch let error as URLError {
            throw values.error(.url, error.sentence)
        }
        trust = TrustPolicy(
            authorities: try values.optional(.cacert), clientCertificate: try values.optional(.clientCert),
            clientKey: try values.optional(.clientKey), isInsecure: try values.optional(.insecure) ?? false,
            identities: try values.optional(.identity) ?? [], knownHosts: try values.optional(.knownHosts),
            hostKeys: try values.hostKeys(), pins: try values.pins())
        timeouts.connect = try values.number(.connectTimeout, 0.001...86_400) ?? timeouts.connect
        timeouts.idle = try values.number(.timeout, 0.001...86_400) ?? timeouts.idle
        timeouts.whole = try values.number(.wholeTimeout, 0.001...31_536_000)
        timeouts.leastPerMinute = try values.number(.leastPerMinute, 0...Int64.max)
        retries.retries = try values.number(.retries, 0...100) ?? retries.retries
        retries.firstPause = try values.number(.firstPause, 0...86_400) ?? retries.firstPause
        retries.longestPause = try values.number(.longestPause, 0...86_400) ?? retries.longestPause
        connectionsPerHost = try values.number(.connectionsPerHost, 1...256) ?? connectionsPerHost
        maxRangesAtOnce = try values.number(.maxRangesAtOnce, 1...64) ?? maxRangesAtOnce
        bandwidth = try values.number(.bandwidth, 1...Int64.max)
        requestsPerSecond = try values.number(.requestsPerSecond, 0.001...1_000_000)
        cache.lifetime = try values.number(.cacheLifetime, 0...31_536_000) ?? cache.lifetime
        cache.maxItems = try values.number(.cacheItems, 0...10_000_000) ?? cache.maxItems
        cache.folder = try values.optional(.cacheFolder)
        cache.capacity = try values.number(.cacheCapacity, 0...Int64.max) ?? cache.capacity
        cache.largestFile = try values.number(.cacheLargestFile, 0...(64 << 20)) ?? cache.largestFile
        cache.validates = try values.optional(.cacheValidates) ?? cache.validates
        allowsClearPassword = try values.optional(.allowClearPassword) ?? false
        keepsRedirectsInOrigin = try values.optional(.redirectsInOrigin)
        settings = try values.optional(.settings) ?? [:]
        proxy = try values.proxy()
    }

    /// Writes the URL, and every other value that differs from its default.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        func put<Value: Encodable & Equatable>(_ key: Key, _ value: Value, unless usual: Value) throws {
            if value != usual { try container.encode(value, forKey: key) }
        }
        let (time, tries, memory) = (Timeouts(), RetryPolicy(), CachePolicy())
        try container.encode(url.absoluteString, forKey: .url)
        try put(.user, user, unless: nil)
        try put(.cacert, trust.authorities, unless: nil)
        try put(.clientCert, trust.clientCertificate, unless: nil)
        try put(.clientKey, trust.clientKey, unless: nil)
        try put(.insecure, trust.isInsecure, unless: false)
        try put(.pins, trust.pins, unless: [])
        try put(.identity, trust.identities, unless: [])
        try put(.knownHosts, trust.knownHosts, unless: nil)
        switch trust.hostKeys {
        case .known: break
        case .acceptNew: try container.encode(true, forKey: .acceptNewHostKey)
        case .pinned(let fingerprints): try container.encode(fingerprints, forKey: .hostKey)
        }
        try put(.allowClearPassword, allowsClearPassword, unless: false)
        try put(.timeout, timeouts.idle, unless: time.idle)
        try put(.connectTimeout, timeouts.connect, unless: time.connect)
        try put(.wholeTimeout, timeouts.whole, unless: nil)
        try put(.leastPerMinute, timeouts.leastPerMinute, unless: nil)
        try put(.retries, retries.retries, unless: tries.retries)
        try put(.firstPause, retries.firstPause, unless: tries.firstPause)
        try put(.longestPause, retries.longestPause, unless: tries.longestPause)
        try put(.connectionsPerHost, connectionsPerHost, unless: Self.usualConnections)
        try put(.maxRangesAtOnce, maxRangesAtOnce, unless: Self.usualRanges)
        try put(.bandwidth, bandwidth, unless: nil)
        try put(.requestsPerSecond, requestsPerSecond, unless: nil)
        try put(.cacheLifetime, cache.lifetime, unless: memory.lifetime)
        try put(.cacheItems, cache.maxItems, unless: memory.maxItems)
        try put(.cacheFolder, cache.folder, unless: nil)
        try put(.cacheCapacity, cache.capacity, unless: memory.capacity)
        try put(.cacheLargestFile, cache.largestFile, unless: memory.largestFile)
        try put(.cacheValidates, cache.validates, unless: memory.validates)
        try put(.redirectsInOrigin, keepsRedirectsInOrigin, unless: nil)
        try put(.settings, settings, unless: [:])
        switch proxy {
        case .environment: break
        case .none: try container.encode("none", forKey: .proxy)
        case .server(let server):
            try container.encode(server.urlWithUser.absoluteString, forKey: .proxy)
            try put(.noProxy, server.exceptions, unless: nil)
            try put(.proxyTunnel, server.tunnelsAll, unless: false)
        }
    }

    /// Reads a URL; an absolute path becomes a `file` URL.
    private static func url(_ text: String) throws -> URL {
        if text.hasPrefix("/"), let path = try? ProviderPath(text),
            let url = URL(string: "file:///" + path.percentEncoded)
        {
            return url
        }
        guard PercentEncoding.isWellFormed(Array(text.utf8)),
            let url = URL(string: text, encodingInvalidCharacters: true)
        else {
            throw FileError.make(.badURL, url: nil, sentence: "“url” of a connection is not a URL (RFC 3986).")
        }
        return url
    }

    private struct Values {
        let container: KeyedDecodingContainer<Key>

        func optional<Value: Decodable>(_ key: Key) throws -> Value? {
            try container.decodeIfPresent(Value.self, forKey: key)
        }

        func number<Value: Decodable & Comparable>(_ key: Key, _ range: ClosedRange<Value>) throws -> Value? {
            guard let value: Value = try optional(key) else { return nil }
            guard range.contains(value) else {
                throw error(key, "“\(key.rawValue)” has to be between \(range.lowerBound) and \(range.upperBound).")
            }
            return value
        }

        /// Reads a word or a URL, and the keys that are valid only with a URL.
        func proxy() throws -> ProxyPolicy {
            let (exceptions, tunnelsAll): ([String]?, Bool?) = (try optional(.noProxy), try optional(.proxyTunnel))
            let text: String? = try optional(.proxy)
            if let text, text != "none", text != "environment" {
                guard let url = URL(string: text) else { throw error(.proxy, "“proxy” is not a URL (RFC 3986).") }
                do {
                    return .server(try ProxyServer(url: url, exceptions: exceptions, tunnelsAll: tunnelsAll ?? false))
                } catch {
                    throw self.error(.proxy, error.sentence)
                }
            }
            guard exceptions == nil, tunnelsAll == nil else {
                throw error(.proxy, "“noProxy” and “proxyTunnel” need a URL in “proxy”.")
            }
            return text == "none" ? .none : .environment
        }

        /// An empty list would trust no server, so it is refused as a mistake.
        func pins() throws -> [ServerPin] {
            guard let texts: [String] = try optional(.pins) else { return [] }
            guard !texts.isEmpty else { throw error(.pins, "“pins” needs at least one fingerprint.") }
            return try texts.map { text in
                do { return try ServerPin(checking: text) } catch {
                    throw self.error(
                        .pins, "“pins” takes sha256//… of keys, and SHA-256 fingerprints of certificates.")
                }
            }
        }

        func hostKeys() throws -> TrustPolicy.HostKeys {
            let (acceptsNew, pinned): (Bool?, [String]?) = (try optional(.acceptNewHostKey), try optional(.hostKey))
            guard let pinned else { return acceptsNew == true ? .acceptNew : .known }
            guard acceptsNew != true, !pinned.isEmpty else {
                throw error(.hostKey, "“hostKey” needs at least one fingerprint, and excludes “acceptNewHostKey”.")
            }
            return .pinned(pinned)
        }

        func error(_ key: Key, _ sentence: String) -> DecodingError {
            DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: sentence)
        }
    }
}
