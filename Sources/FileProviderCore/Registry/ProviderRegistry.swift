public import Foundation
public import Logging
import Synchronization

/// An item: a provider, and the path in it.
public struct ProviderLocation: Sendable {
    /// The provider, which the location keeps alive.
    public let provider: any FileProvider
    /// Counted from the provider's root; nothing has to be there.
    public let path: ProviderPath

    /// Nothing is looked at: whether there is an item shows when it is used.
    public init(provider: any FileProvider, path: ProviderPath) {
        self.provider = provider
        self.path = path
    }
}

/// What a provider enters into a ``ProviderRegistry``: its schemes, and how a URL becomes one of it.
public struct ProviderRegistration: Sendable {
    /// Makes the provider for `url`'s root and the path that `url` names in it.
    public typealias Connect = @Sendable (_ url: URL, _ options: ConnectionOptions) async throws -> ProviderLocation

    /// The provider's type, as ``FileProviderBasic/type`` gives it.
    public let type: String
    /// In lower case.
    public let schemes: [String]
    /// The names of the settings that this provider alone knows; their values come in ``ConnectionOptions/settings``.
    public let settings: Set<String>
    /// Whether a URL has to name a host, as in `sftp://host/folder`. Without, `git:///srv/books` and `git:/srv/books` are
    /// URLs of the provider, too.
    public let needsHost: Bool
    let connect: Connect

    /// A registration for these schemes, in any case; `connect` is called for URLs of theirs alone, with a host where
    /// one is needed, and with no settings but these.
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

/// The providers an app knows, by URL scheme. A value of its own or ``shared``; safe to use from any thread.
public final class ProviderRegistry: Sendable {
    /// The process's registry; `Carrel` enters the built-in providers.
    public static let shared = ProviderRegistry()

    private let registrations = Mutex<[ProviderRegistration]>([])

    /// A registry without providers, apart from ``shared``.
    public init() {}

    /// Enters a provider.
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)` naming both providers when one of the schemes is taken.
    public func register(_ registration: ProviderRegistration) throws {
        try registrations.withLock { all in
            for scheme in registration.schemes {
                guard let holder = all.first(where: { $0.schemes.contains(scheme) }) else { continue }
                throw FileError.make(
                    .fileWriteFileExists, path: scheme,
                    sentence:
                        "The scheme “\(scheme)” belongs to \(holder.type) already; \(registration.type) cannot have it too."
                )
            }
            all.append(registration)
        }
    }

    /// What is registered, in the order in which it came.
    public var all: [ProviderRegistration] { registrations.withLock { $0 } }

    /// Whether a provider has entered `scheme`, in any case.
    public func hasScheme(_ scheme: some StringProtocol) -> Bool { registration(for: scheme) != nil }

    /// What entered `scheme`, in any case; nil where nobody has.
    public func registration(for scheme: some StringProtocol) -> ProviderRegistration? {
        holder(of: scheme.lowercased())
    }

    /// The provider and path that `configuration` names, with the secrets of `credentials`, counters and a log.
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

    /// The provider and path that `url` names. Nothing is sent yet, except where the scheme alone does not tell the
    /// protocol.
    ///
    /// A password in `url` is used, and goes into no message.
    ///
    /// - Throws: As ``check(_:settings:)``, and an error of the provider's.
    public func location(of url: URL, options: ConnectionOptions = ConnectionOptions()) async throws -> ProviderLocation
    {
        try await check(url, settings: options.settings).connect(url, options)
    }

    /// Looks whether a provider has the scheme of `url`, takes it without a host if it has none, and knows the settings;
    /// nothing is sent.
    ///
    /// - Throws: `URLError(.unsupportedURL)` when no provider has the scheme; `URLError(.badURL)` without a host that
    ///   the provider needs; `CocoaError(.featureUnsupported)` naming an unknown setting.
    @discardableResult
    public func check(_ url: URL, settings: [String: String] = [:]) throws -> ProviderRegistration {
        let scheme = url.scheme?.lowercased() ?? "file"
        guard let holder = holder(of: scheme) else {
            let known = all.flatMap(\.schemes).joined(separator: ", ")
            throw FileError.make(
                .unsupportedURL, url: url,
                sentence: "No provider is registered for the scheme “\(scheme)”; there are: \(known).")
        }
        if holder.needsHost, url.host()?.isEmpty != false {
            throw FileError.make(
                .badURL, url: url,
                sentence: "“\(url.withoutSecrets)” names no host; \(holder.type) needs one: \(scheme)://host/folder.")
        }
        if let unknown = settings.keys.filter({ !holder.settings.contains($0) }).min() {
            let known =
                holder.settings.isEmpty
                ? "it has none" : "there are: \(holder.settings.sorted().joined(separator: ", "))"
            throw FileError.make(
                .featureUnsupported, path: unknown, url: url,
                sentence: "\(holder.type) has no setting “\(unknown)”; \(known).")
        }
        return holder
    }

    private func holder(of scheme: String) -> ProviderRegistration? { all.first { $0.schemes.contains(scheme) } }
}
