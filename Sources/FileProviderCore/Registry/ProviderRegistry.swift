public import Foundation
public import Logging
import Synchronization

/// An item: a provider, and the path in it.
public struct ProviderLocation: Sendable {
    /// The provider, which the location keeps alive.
    public let provider: any FileProvider
    /// The path from the provider's root; the item need not exist.
    public let path: ProviderPath

    /// Creates a location without looking at the item.
    public init(provider: any FileProvider, path: ProviderPath) {
        self.provider = provider
        self.path = path
    }
}

/// The entry of a provider in a ``ProviderRegistry``: its schemes, and how to connect to a URL.
public struct ProviderRegistration: Sendable {
    /// Makes the provider of `url`'s root, and the path of `url` in it.
    public typealias Connect = @Sendable (_ url: URL, _ options: ConnectionOptions) async throws -> ProviderLocation

    /// The provider's type, as ``FileProviderBasic/type`` gives it.
    public let type: String
    /// In lower case.
    public let schemes: [String]
    /// The names of the settings that only this provider knows; their values are in ``ConnectionOptions/settings``.
    public let settings: Set<String>
    /// Whether a URL has to name a host, as in `sftp://host/folder`. If false, the provider also accepts URLs such as
    /// `git:///srv/books` and `git:/srv/books`.
    public let needsHost: Bool
    let connect: Connect

    /// Creates a registration for these schemes, in any case. `connect` is called only for URLs with one of them, with
    /// a host if one is needed, and with no other settings than these.
    public init(
        type: String, schemes: [String], settings: Set<String> = [], needsHost: Bool = true, connect: @escaping Connect
    ) {
        self.type = type
        self.schemes = schemes.map { $0.lowercased() }
        self.settings = settings
        self.needsHost = needsHost
        self.connect = connect
    }
}

/// The providers that an app knows, by URL scheme: a separate registry or ``shared``. Safe to use from any thread.
public final class ProviderRegistry: Sendable {
    /// The process's registry; `Carrel` enters the built-in providers.
    public static let shared = ProviderRegistry()

    private let registrations = Mutex<[ProviderRegistration]>([])

    /// A registry without providers, apart from ``shared``.
    public init() {}

    /// Enters a provider.
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)` naming both providers if one of the schemes is taken.
    public func register(_ registration: ProviderRegistration) throws {
        try registrations.withLock { all in
            for scheme in registration.schemes {
                guard let holder = all.first(where: { $0.schemes.contains(scheme) }) else { continue }
                throw FileError.make(
                    .fileWriteFileExists, path: scheme,
                    sentence:
                        "The scheme “\(scheme)” is already registered for \(holder.type); \(registration.type) needs another."
                )
            }
            all.append(registration)
        }
    }

    /// All registrations, in the order of their entry.
    public var all: [ProviderRegistration] { registrations.withLock { $0 } }

    /// Whether a provider has entered `scheme`, in any case.
    public func hasScheme(_ scheme: some StringProtocol) -> Bool { registration(for: scheme) != nil }

    /// Returns the registration of `scheme`, in any case; nil if there is none.
    public func registration(for scheme: some StringProtocol) -> ProviderRegistration? {
        holder(of: scheme.lowercased())
    }

    /// Returns the provider and path that `configuration` names, with the secrets of `credentials`, counters and a log.
    ///
    /// - Throws: As ``location(of:options:)``.
    public func location(
        of configuration: ProviderConfiguration, credentials: any CredentialSource = FixedCredential(nil),
        counters: TransferCounters = TransferCounters(), logger: Logger? = nil
    ) async throws -> ProviderLocation {
        var options = ConnectionOptions(configuration, credentials: credentials, counters: counters)
        options.logger = logger
        return try await location(of: configuration.urlWithUser, options: options)
    }

    /// Returns the provider and path that `url` names. Sends nothing yet, unless the scheme alone does not decide the
    /// protocol.
    ///
    /// A password in `url` is used, and shown in no message.
    ///
    /// - Throws: As ``check(_:settings:)``, and an error of the provider's.
    public func location(of url: URL, options: ConnectionOptions = ConnectionOptions()) async throws -> ProviderLocation
    {
        try await check(url, settings: options.settings).connect(url, options)
    }

    /// Checks that a provider has the scheme of `url`, accepts it without a host if it has none, and knows the
    /// settings. Sends nothing.
    ///
    /// - Throws: `URLError(.unsupportedURL)` if no provider has the scheme; `URLError(.badURL)` if the provider needs a
    ///   host and there is none; `CocoaError(.featureUnsupported)` naming an unknown setting.
    @discardableResult
    public func check(_ url: URL, settings: [String: String] = [:]) throws -> ProviderRegistration {
        let scheme = url.scheme?.lowercased() ?? "file"
        guard let holder = holder(of: scheme) else {
            let known = all.flatMap(\.schemes).joined(separator: ", ")
            throw FileError.make(
                .unsupportedURL, url: url,
                sentence: "No provider is registered for the scheme “\(scheme)”. Registered schemes: \(known).")
        }
        if holder.needsHost, url.host()?.isEmpty != false {
            throw FileError.make(
                .badURL, url: url,
                sentence: "“\(url.withoutSecrets)” names no host; \(holder.type) needs one: \(scheme)://host/folder.")
        }
        if let unknown = settings.keys.filter({ !holder.settings.contains($0) }).min() {
            let known =
                holder.settings.isEmpty
                ? "it has none" : "it has: \(holder.settings.sorted().joined(separator: ", "))"
            throw FileError.make(
                .featureUnsupported, path: unknown, url: url,
                sentence: "\(holder.type) has no setting “\(unknown)”; \(known).")
        }
        return holder
    }

    private func holder(of scheme: String) -> ProviderRegistration? { all.first { $0.schemes.contains(scheme) } }
}
