/// A server's own words for a failure, over FTP (RFC 959, section 4.2).
public protocol FileProviderFTPError: Error {
    /// The reply's code, 100–659.
    var code: FileProviderFTPErrorCode { get }
    /// The item that the command was about, counted from the provider's root.
    var path: String { get }
    /// The server's message, shortened to a sentence; nil if it sent nothing readable.
    var serverDescription: String? { get }
}

/// The code of an FTP reply (RFC 959, section 4.2.2; RFC 2228, section 5; RFC 3659).
public struct FileProviderFTPErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// 100–659.
    public let rawValue: Int

    /// Accepts any number: servers invent some.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Whether the same command may succeed later. 450 and 452 are 4xx too, but concern a file and a full disk, which
    /// waiting does not help.
    public var isTransient: Bool { [421, 425, 426, 430, 434, 451].contains(rawValue) }

    /// Whether the server does not know the command, or not in this form.
    public var isUnknownCommand: Bool { [500, 501, 502, 504].contains(rawValue) }

    /// The number.
    public var description: String { "\(rawValue)" }
}
