import FileProviderCore

/// An upload in parts with which a later write of the same source goes on, in another process even.
///
/// While such an upload runs, the provider keeps ``token`` in a small file beside the target, under the name that
/// ``TemporaryName/make(beside:for:)`` makes of ``WriteOptions/resumption``. So a token is found only by a write of the
/// same version of the same source to the same path. The file is removed with the upload's end; one that a killed
/// process left is swept like any part (``PartSweep``).
///
/// A service whose sessions are of this kind says ``Capabilities/Ability/resumingWrites``.
public protocol HTTPResumableSession: HTTPUploadSession {
    /// What names the upload to the server, such as its identifier; 4096 bytes of UTF-8 at most. Asked for once, after
    /// ``HTTPUploadSession/begin(with:over:)``; nil for an upload that cannot be found again.
    var token: String? { get }

    /// Goes on with the upload that `token` names, in the place of ``HTTPUploadSession/begin(with:over:)``.
    ///
    /// The token says whose parts they are, not what is in them: ``HTTPUploadSession/has(_:asPart:)`` compares each
    /// with the source. The file it comes from may have been changed by others who write into the folder.
    ///
    /// - Returns: False if the server doesn't know the upload any more, or another write of this process uses it: a
    ///   new one is begun then.
    /// - Throws: Why the server cannot be asked. What does not pass counts as false.
    func resume(_ token: String, over connection: HTTPConnection) async throws -> Bool
}
