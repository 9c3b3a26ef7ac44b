public import FileProviderCore
public import Foundation
import SFTPEngine

/// A server's refusal in its own words. The conditions that Foundation has a code for stand above it.
public struct SFTPStatusError: FileProviderSFTPError, LocalizedError, CustomNSError, Sendable {
    /// The status.
    public let code: FileProviderSFTPErrorCode
    /// Counted from the provider's root; names that are not UTF-8 are escaped.
    public let path: String
    /// At most 200 characters, on one line.
    public let serverDescription: String?

    init(_ status: SFTPStatus, path: ProviderPath) {
        code = FileProviderSFTPErrorCode(rawValue: status.code)
        self.path = path.string
        let clean = status.message.unicodeScalars.filter { !CharacterSet.controlCharacters.contains($0) }
        serverDescription = clean.isEmpty ? nil : String(String(String.UnicodeScalarView(clean)).prefix(200))
    }

    /// The domain of the `NSError` that Foundation makes of it.
    public static let errorDomain = "SFTP"
    /// The code as a number.
    public var errorCode: Int { Int(code.rawValue) }
    /// ``errorDescription`` as the description, and nothing else.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? code.description] }
    /// Path, code and what the server said, in one sentence; never nil.
    public var errorDescription: String? {
        "The server answered for “\(path)” with status \(code)" + (serverDescription.map { ": \($0)" } ?? ".")
    }
}

/// The conditions that a status may mean. Most servers have "failure" for nearly everything; where looking can decide,
/// that is done first.
struct SFTPCondition {
    let status: SFTPStatus
    let path: ProviderPath
    let url: URL
    var isWriting = false

    /// The condition in Foundation's words, the status below it; the status itself where Foundation has none.
    var error: any Error {
        let statusError = SFTPStatusError(status, path: path)
        // From 10 on as the later drafts have them (draft-ietf-secsh-filexfer-13, section 9.1).
        switch status.code {
        case SFTPStatus.Code.noSuchFile, 10: return made(isWriting ? .fileNoSuchFile : .fileReadNoSuchFile, statusError)
        case SFTPStatus.Code.permissionDenied:
            return made(isWriting ? .fileWriteNoPermission : .fileReadNoPermission, statusError)
        case SFTPStatus.Code.unsupported:
            let sentence = "The server does not do what “\(path)” takes."
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

    /// What the words tell where the code does not.
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
