public import Foundation

/// An address under which anybody can read an item.
public struct PublicLink: Sendable, Hashable {
    /// The URL, with any secret that the link needs: treat it as one.
    public var url: URL
    /// When the link stops working; nil if it does not, or the server does not say.
    public var expiration: Date?

    /// A link that works for ever unless `expiration` says otherwise.
    public init(url: URL, expiration: Date? = nil) {
        self.url = url
        self.expiration = expiration
    }
}

/// Sharing items with people who have no account.
///
/// Only for storages that make such links themselves. A provider that conforms may still be unable to on this server:
/// see ``Capabilities/Ability/publicLinks``.
public protocol FileProviderSharing: FileProviderBasic {
    /// Returns a link to the item at `path`: the existing one, else a new one.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)` if this server makes none; `CocoaError(.fileReadNoSuchFile)`;
    ///   `CocoaError(.fileReadNoPermission)`.
    func publicLink(to path: ProviderPath) async throws -> PublicLink
}
