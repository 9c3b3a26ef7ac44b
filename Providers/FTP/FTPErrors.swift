import CurlTransport
public import FileProviderCore
public import Foundation

/// A refusal by an FTP server, with its reply. Conditions that Foundation has a code for carry it as their underlying
/// error.
public struct FTPReplyError: FileProviderFTPError, LocalizedError, CustomNSError, Sendable {
    /// The code of the reply.
    public let code: FileProviderFTPErrorCode
    /// The path relative to the provider's root. Names that are not UTF-8 are escaped.
    public let path: String
    /// The text of the reply: at most 200 characters, on one line, without secrets.
    public let serverDescription: String?
    /// The refused command, in capitals; empty for a refused connection.
    public let verb: String

    init(_ reply: FTPReply, path: ProviderPath) {
        code = FileProviderFTPErrorCode(rawValue: reply.code)
        self.path = path.string
        verb = reply.verb
        let clean = reply.text.unicodeScalars.filter { !CharacterSet.controlCharacters.contains($0) }
        let words = Secrets.removed(from: String(String.UnicodeScalarView(clean)))
        serverDescription = words.isEmpty ? nil : String(words.prefix(200))
    }

    /// The domain of the bridged `NSError`.
    public static let errorDomain = "FTP"
    /// The reply's code as a number.
    public var errorCode: Int { code.rawValue }
    /// Only the description, which is ``errorDescription``.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? code.description] }
    /// One sentence with command, path, code and the server's text; never nil.
    public var errorDescription: String? {
        "The server answered \(verb.isEmpty ? "the connection" : verb) for “\(path)” with \(code)"
            + (serverDescription.map { ": \($0)" } ?? ".")
    }
}

/// The Foundation error that a reply means. Servers use 550 for nearly everything, and the text differs between
/// servers, so callers check what exists first if that can decide.
struct FTPCondition {
    let reply: FTPReply
    let path: ProviderPath
    let url: URL
    var isWriting = false

    /// The condition as a Foundation error with the reply beneath it; the reply itself if Foundation has no code for
    /// it.
    var error: any Error {
        let replyError = FTPReplyError(reply, path: path)
        switch reply.code {
        case 530, 332, 532, 331:
            return FileError.make(
                .userAuthenticationRequired, url: url, sentence: replyError.sentence, underlying: replyError)
        case 500, 502, 504:
            let sentence =
                "The server does not know \(reply.verb.isEmpty ? "the command" : reply.verb), which “\(path)” needs."
            return FileError.make(.featureUnsupported, path: path, url: url, sentence: sentence, underlying: replyError)
        case 452, 552: return made(.fileWriteOutOfSpace, replyError)
        case 550, 553, 450, 451:
            if says("no space", "disk full", "quota", "out of space") { return made(.fileWriteOutOfSpace, replyError) }
            if says("no such", "not found", "doesn't exist", "does not exist", "not exist", "cannot find") {
                return made(isWriting ? .fileNoSuchFile : .fileReadNoSuchFile, replyError)
            }
            if says(
                "permission", "privilege", "denied", "not permitted", "not allowed", "read-only", "forbidden",
                "prohibited")
            {
                return made(isWriting ? .fileWriteNoPermission : .fileReadNoPermission, replyError)
            }
            return replyError
        default: return replyError
        }
    }

    private func made(_ code: CocoaError.Code, _ replyError: FTPReplyError) -> CocoaError {
        FileError.make(code, path: path.string, url: url, underlying: replyError)
    }

    private func says(_ words: String...) -> Bool {
        let text = reply.text.lowercased()
        return words.contains { text.contains($0) }
    }
}
