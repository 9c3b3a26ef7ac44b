import FileProviderCore
import Foundation
import HTTPFileProvider

/// The connections of a client: one for each origin, with the login that was made there.
final class CatalogConnections: Sendable {
    private struct Place: Sendable {
        var connection: HTTPConnection
        /// The user in the address that the connection was first made for.
        var user: String?
        /// That user's password, if the address has one, or a password that the app asked for.
        var own: (any CredentialSource)?
    }

    private let options: ConnectionOptions
    private let places = LockedValue<[Origin: Place]>([:])
    /// The first origin: that of the catalogue, whose links may lead to others.
    private let home = LockedValue<Origin?>(nil)

    init(options: ConnectionOptions) {
        self.options = options
    }

    /// Returns the connection to the origin of `url`. A user in `url` is used from now on for all of that origin.
    ///
    /// - Throws: `URLError(.badURL)` if `url` has no host or is not of a web server.
    func connection(to url: URL) throws -> HTTPConnection {
        let user = url.user(percentEncoded: false)
        if let origin = Origin(ofServer: url), let place = places.value[origin], user == nil || user == place.user {
            return place.connection
        }
        let own = Origin(ofServer: url).flatMap { origin in
            url.password(percentEncoded: false).map { password in
                FixedCredential(.password(user: user ?? "", password: password), for: origin)
            }
        }
        let connection = try HTTPConnection(url: Self.root(of: url), options: connectionOptions(for: url))
        return keep(Place(connection: connection, user: user, own: own), url)
    }

    /// Logs in with `credentials` at the origin of `url` from now on, and there alone.
    ///
    /// - Parameter areOwn: Whether they are the origin's password, and not a token for it.
    func use(_ credentials: any CredentialSource, areOwn: Bool = false, at url: URL) throws {
        var options = connectionOptions(for: url)
        options.credentials = credentials
        var place = Place(connection: try HTTPConnection(url: Self.root(of: url.withoutUser), options: options))
        if let known = known(url) { (place.user, place.own) = (known.user, known.own) }
        if areOwn { place.own = credentials }
        _ = keep(place, url, isNew: true)
    }

    /// Sends the user and password for the origin of `url` by Basic with each request there from now on.
    func useBasic(at url: URL) throws {
        let known = known(url)
        var options = connectionOptions(for: url)
        options.credentials = known?.own ?? options.credentials
        var parts = URLComponents(url: Self.root(of: url.withoutUser), resolvingAgainstBaseURL: true)
        parts?.user = known?.user
        let connection = try HTTPConnection(
            url: parts?.url ?? Self.root(of: url), options: options, signer: BasicSigner())
        _ = keep(Place(connection: connection, user: known?.user, own: known?.own), url, isNew: true)
    }

    private func known(_ url: URL) -> Place? { Origin(ofServer: url).flatMap { places.value[$0] } }

    /// Returns the secret for `origin`: that of an address with a user and password, else that of the options.
    func credential(for origin: Origin) async throws -> Credential? {
        let place = places.value[origin]
        return try await (place?.own ?? options.credentials).credential(for: origin, user: place?.user)
    }

    /// Reports that the server refused `credential`, so that a source that asks the user asks again.
    func refused(_ credential: Credential, for origin: Origin) {
        options.credentials.refused(credential, for: origin, user: places.value[origin]?.user)
    }

    func cancelAll() {
        for place in places.value.values { place.connection.cancelAll() }
    }

    /// Of two connections made at once, the first is kept, unless `isNew`.
    private func keep(_ place: Place, _ url: URL, isNew: Bool = false) -> HTTPConnection {
        guard let origin = Origin(ofServer: url) else { return place.connection }
        return places.update { places in
            if !isNew, let kept = places[origin], kept.user == place.user { return kept.connection }
            places[origin] = place
            return place.connection
        }
    }

    /// The options without the client certificate, unless they are for the first origin.
    private func connectionOptions(for url: URL) -> ConnectionOptions {
        var options = self.options
        let origin = Origin(ofServer: url)
        let first = home.update { home in
            home = home ?? origin
            return home
        }
        if origin != first { (options.trust.clientCertificate, options.trust.clientKey) = (nil, nil) }
        return options
    }

    /// The options for a server that the catalogue at `catalog` names, such as the one that gives tokens.
    func connectionOptions(for address: URL, namedAt catalog: URL) -> ConnectionOptions {
        // The catalogue's own origin comes first.
        _ = connectionOptions(for: catalog)
        return connectionOptions(for: address)
    }

    private static func root(of url: URL) -> URL {
        var parts = URLComponents(url: url.serverRoot, resolvingAgainstBaseURL: true) ?? URLComponents()
        // It would go with every request.
        parts.query = nil
        return parts.url ?? url
    }
}

extension Origin {
    /// The origin of an address on a web server; nil for any other address.
    init?(ofServer url: URL) {
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme), let host = url.host(),
            !host.isEmpty
        else { return nil }
        self.init(scheme: scheme, host: host, port: url.port ?? (scheme == "https" ? 443 : 80))
    }
}

extension URL {
    /// The address without user, password and fragment, and with its query.
    var withoutUser: URL {
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
        parts.user = nil
        parts.password = nil
        parts.fragment = nil
        return parts.url ?? self
    }
}
