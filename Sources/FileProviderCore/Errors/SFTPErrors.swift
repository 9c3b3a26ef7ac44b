/// A server's own words for a failure, over SFTP (draft-ietf-secsh-filexfer-02, section 7).
public protocol FileProviderSFTPError: Error {
    /// The status.
    var code: FileProviderSFTPErrorCode { get }
    /// The item that the request was about, counted from the provider's root.
    var path: String { get }
    /// The server's message, shortened to a sentence; nil if it sent nothing readable.
    var serverDescription: String? { get }
}

/// The code of an SFTP status (draft-ietf-secsh-filexfer-02, section 7; later drafts have more).
public struct FileProviderSFTPErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// 0 or more.
    public let rawValue: UInt32

    /// Accepts any number: some servers send those of later drafts.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// No item at the path.
    public static let noSuchFile = Self(rawValue: 2)
    /// The account lacks the permission.
    public static let permissionDenied = Self(rawValue: 3)
    /// Any other failure; most servers say no more.
    public static let failure = Self(rawValue: 4)
    /// The server does not know the request.
    public static let unsupported = Self(rawValue: 8)

    /// Whether the same request may succeed later, because the server has lost its own storage.
    public var isTransient: Bool { rawValue == 6 || rawValue == 7 }

    /// The number.
    public var description: String { "\(rawValue)" }
}
