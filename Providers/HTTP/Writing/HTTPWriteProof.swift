import CurlTransport
public import FileProviderCore
import Foundation

/// Errors for a write that the server answered with success, although the file is not there.
public enum HTTPWriteProof {
    /// Returns the error for a file that doesn't exist.
    public static func missing(_ path: ProviderPath, underlying: (any Error)? = nil, over connection: HTTPConnection)
        -> any Error
    {
        error(path, "and the file is not there", underlying, connection)
    }

    /// Returns the error for a file that has `size` bytes, and not as many as were sent.
    public static func wrongSize(_ size: Int64, of file: FileObject, over connection: HTTPConnection) -> any Error {
        error(file.path, "and the file there has \(size) bytes instead of \(file.size ?? 0)", nil, connection)
    }

    /// Returns the error for a name that still has the old file.
    public static func unchanged(_ path: ProviderPath, over connection: HTTPConnection) -> any Error {
        error(path, "and the old file is still there", nil, connection)
    }

    /// Returns the error for an answer that is not the service's, if the server also refuses to show the file.
    public static func foreign(_ path: ProviderPath, over connection: HTTPConnection) -> any Error {
        error(path, "but not in the service's own words, and does not show the file", nil, connection)
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
