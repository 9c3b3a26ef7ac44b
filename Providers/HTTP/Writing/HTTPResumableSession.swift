import FileProviderCore

/// An upload in parts that a later write of the same source can continue, also in another process.
///
/// While such an upload runs, the provider keeps ``token`` in a small file beside the target, under the name that
/// ``/FileProviderCore/TemporaryName/make(beside:for:)`` makes of ``/FileProviderCore/WriteOptions/resumption``. So a
/// token is found only by a write of the same version of the same source to the same path. The file is removed with the
/// upload's end; one that a killed process left is swept like any part (``/FileProviderCore/PartSweep``).
///
/// A service with such sessions declares ``/FileProviderCore/Capabilities/Ability/resumingWrites``.
public protocol HTTPResumableSession: HTTPUploadSession {
    /// The server's identifier of the upload, 4096 bytes of UTF-8 at most; nil if it cannot be found again. Read once,
    /// after ``HTTPUploadSession/begin(with:over:)``.
    var token: String? { get }

    /// Continues the upload that `token` names, instead of ``HTTPUploadSession/begin(with:over:)``.
    ///
    /// The token says whose parts they are, not what is in them: ``HTTPUploadSession/has(_:asPart:)`` compares each
    /// with the source. The file it comes from may have been changed by others who write into the folder.
    ///
    /// - Returns: False if the server doesn't know the upload any more, or another write of this process uses it: a
    ///   new one is begun then.
    /// - Throws: The passing failure for which the server cannot be asked. Any other failure counts as false.
    func resume(_ token: String, over connection: HTTPConnection) async throws -> Bool
}
