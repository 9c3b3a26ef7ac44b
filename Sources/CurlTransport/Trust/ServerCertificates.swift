import CCurl
import FileProviderCore
import Foundation

/// Looks at the certificates of the servers that one event loop connects to: decides by pins, and remembers what was
/// shown for the errors.
///
/// Lives as long as the loop's connections do, which may look at a certificate again after the transfer that made them.
final class ServerCertificates: @unchecked Sendable {
    // Unchecked: touched on the event loop's thread only, which debug builds check.
    private let owner = OwningThread()
    private let pins: [ServerPin]
    private var servers: [String: Server] = [:]

    init(pins: [ServerPin]) {
        self.pins = pins
    }

    /// What one server has shown last.
    private final class Server {
        let pins: [ServerPin]
        var shown: ServerHashes?

        init(pins: [ServerPin]) {
            self.pins = pins
        }

        /// 1 if the certificate in `store` is trusted.
        func verify(_ store: UnsafeMutableRawPointer?) -> Int32 {
            guard let library = TLSLibrary.shared else { return 0 }
            shown = library.hashes(in: store)
            if pins.isEmpty { return library.isTrusted(store) ? 1 : 0 }
            let isAccepted = shown?.match(pins) == true
            library.note(isAccepted: isAccepted, in: store)
            return isAccepted ? 1 : 0
        }
    }

    /// Prepares the TLS of a new connection to the server of `url`. Source: CURLOPT_SSL_CTX_FUNCTION(3).
    ///
    /// - Parameter tls: An `SSL_CTX`, or what another TLS library has.
    func prepare(_ tls: UnsafeMutableRawPointer?, for url: URL) -> CURLcode {
        owner.assertIsCurrent()
        // Without OpenSSL, libcurl itself compares the keys.
        guard let library = TLSLibrary.shared else { return CURLE_OK }
        library.install(
            { store, context in
                context.map { Unmanaged<Server>.fromOpaque($0).takeUnretainedValue().verify(store) } ?? 0
            }, in: tls, context: Unmanaged.passUnretained(server(of: url)).toOpaque())
        return CURLE_OK
    }

    /// The last certificate of the server of `url`; nil if it has shown none, or if this TLS library cannot tell.
    func shown(by url: URL) -> ServerHashes? { servers[Self.name(url)]?.shown }

    private func server(of url: URL) -> Server {
        let name = Self.name(url)
        if let known = servers[name] { return known }
        let server = Server(pins: pins)
        servers[name] = server
        return server
    }

    private static func name(_ url: URL) -> String {
        "\(url.scheme ?? "")://\(url.host()?.lowercased() ?? ""):\(url.port ?? 0)"
    }
}
