import CurlTransport
public import FileProviderCore
import Foundation

/// The sentences for a write that the server answered with success and that is not there.
public enum HTTPWriteProof {
    /// Nothing has the name.
    public static func missing(_ path: ProviderPath, underlying: (any Error)? = nil, over connection: HTTPConnection)
        -> any Error
    {
        error(path, "and the file is not there", underlying, connection)
    }

    /// The file has `size` bytes, and others were sent.
    public static func wrongSize(_ size: Int64, of file: FileObject, over connection: HTTPConnection) -> any Error {
        error(file.path, "and the file there has \(size) bytes instead of \(file.size ?? 0)", nil, connection)
    }

    /// What was to be replaced still has the name.
    public static func unchanged(_ path: ProviderPath, over connection: HTTPConnection) -> any Error {
        error(path, "and the old file is still there", nil, connection)
    }

    /// The answer has nothing of the service in it, and the file cannot be looked at.
    public static func foreign(_ path: ProviderPath, over connection: HTTPConnection) -> any Error {
        error(path, "but not in the service's own words, and lets nobody look at the file", nil, connection)
    }

    private static func error(_ path: ProviderPath, _ what: String, _ cause: (any Error)?, _ connection: HTTPConnection)
        -> any Error
    {
        FileError.make(
            .fileWriteUnknown, path: path, url: connection.url(of: path),
            sentence:
                "The server answered the upload of “\(path)” with success, \(what). A proxy or a login page may be in the way.",
            underlying: cause)
    }
}
