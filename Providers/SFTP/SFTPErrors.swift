public import FileProviderCore
public import Foundation
import SFTPEngine

/// A refusal by an SFTP server, with its status. Conditions that Foundation has a code for carry it as their underlying
/// error.
public struct SFTPStatusError: FileProviderSFTPError, LocalizedError, CustomNSError, Sendable {
    /// The code of the status.
    public let code: FileProviderSFTPErrorCode
    /// The path relative to the provider's root. Names that are not UTF-8 are escaped.
    public let path: String
    /// The server's message: at most 200 characters, on one line.
    public let serverDescription: String?

    init(_ status: SFTPStatus, path: ProviderPath) {
        code = FileProviderSFTPErrorCode(rawValue: status.code)
        self.path = path.string
        let clean = status.message.unicodeScalars.filter { !CharacterSet.controlCharacters.contains($0) }
        serverDescription = clean.isEmpty ? nil : String(String(String.UnicodeScalarView(clean)).prefix(200))
    }

    /// The domain of the bridged `NSError`.
    public static let errorDomain = "SFTP"
    /// The status code as a number.
    public var errorCode: Int { Int(code.rawValue) }
    /// Only the description, which is ``errorDescription``.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? code.description] }
    /// One sentence with path, code and the server's message; never nil.
    public var errorDescription: String? {
        "The server answered for “\(path)” with status \(code)" + (serverDescription.map { ": \($0)" } ?? ".")
    }
}

/// The Foundation error that a status means. Most servers use "failure" for nearly everything, so callers check what
/// exists first if that can decide.
struct SFTPCondition {
    let status: SFTPStatus
    let path: ProviderPath
    let url: URL
    var isWriting = false

    /// The condition as a Foundation error with the status beneath it; the status itself if Foundation has no code for
    /// it.
    var error: any Error {
        let statusError = SFTPStatusError(status, path: path)
        // Codes from 10 on are those of the later drafts (draft-ietf-secsh-filexfer-13, section 9.1).
        switch status.code {
        case SFTPStatus.Code.noSuchFile, 10: return made(isWriting ? .fileNoSuchFile : .fileReadNoSuchFile, statusError)
        case SFTPStatus.Code.permissionDenied:
            return made(isWriting ? .fileWriteNoPermission : .fileReadNoPermission, statusError)
        case SFTPStatus.Code.unsupported:
            let sentence = "The server does not support the request that “\(path)” needs."
            return FileError.make(
                .featureUnsupported, path: path, url: url, sentence: sentence, underlying: statusError)
        case 11: return made(.fileWriteFileExists, statusError)
        case 12: return made(.fileWriteVolumeReadOnly, statusError)
        case 14, 15: return made(.fileWriteOutOfSpace, statusError)
        case 18: return FileError.make(errno: ENOTEMPTY, path: path, url: url, writing: true)
        case 19: return FileError.notADirectory(path, url: url, writing: isWriting)
        case 20: return made(.fileWriteInvalidFileName, statusError)
        case 24: return FileError.isADirectory(path, url: url, writing: isWriting)
        default: return says() ?? statusError
        }
    }

    /// The condition that the server's message names, if the code doesn't.
    private func says() -> (any Error)? {
        let statusError = SFTPStatusError(status, path: path)
        let text = status.message.lowercased()
        func has(_ words: String...) -> Bool { words.contains { text.contains($0) } }
        if has("no space", "disk full", "disk space", "quota", "out of space") {
            return made(.fileWriteOutOfSpace, statusError)
        }
        if has("read-only file system") { return made(.fileWriteVolumeReadOnly, statusError) }
        if has("not empty") { return FileError.make(errno: ENOTEMPTY, path: path, url: url, writing: true) }
        if has("file exists", "already exists") { return made(.fileWriteFileExists, statusError) }
        if has("not a directory") { return FileError.notADirectory(path, url: url, writing: isWriting) }
        if has("is a directory") { return FileError.isADirectory(path, url: url, writing: isWriting) }
        if has("name too long") { return FileError.make(errno: ENAMETOOLONG, path: path, url: url, writing: isWriting) }
        if has("no such file", "not found", "does not exist") {
            return made(isWriting ? .fileNoSuchFile : .fileReadNoSuchFile, statusError)
        }
        if has("permission denied", "not permitted") {
            return made(isWriting ? .fileWriteNoPermission : .fileReadNoPermission, statusError)
        }
        return nil
    }

    private func made(_ code: CocoaError.Code, _ statusError: SFTPStatusError) -> CocoaError {
        FileError.make(code, path: path.string, url: url, underlying: statusError)
    }
}
