public import Foundation

/// An address under which anybody reads an item.
public struct PublicLink: Sendable, Hashable {
    /// Holds whatever secret the link needs: treat it as one.
    public var url: URL
    /// When it stops working; nil where it does not, or where the server does not say.
    public var expiration: Date?

    /// A link that works for ever unless `expiration` says otherwise.
    public init(url: URL, expiration: Date? = nil) {
        self.url = url
        self.expiration = expiration
    }
}

/// Sharing items with people who have no access of their own.
///
/// Only for storage that makes such links itself. A provider that conforms may still be unable to on this server: see
/// ``Capabilities/Ability/publicLinks``.
public protocol FileProviderSharing: FileProviderBasic {
    /// A link to the item at `path`: the one that is there already, else a new one.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)` where this server makes none; `CocoaError(.fileReadNoSuchFile)`;
    ///   `CocoaError(.fileReadNoPermission)`.
    func publicLink(to path: ProviderPath) async throws -> PublicLink
}
