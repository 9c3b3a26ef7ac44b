import CurlTransport
public import FileProviderCore
public import Foundation

/// A server's refusal in its own words. The conditions that Foundation has a code for stand above it.
public struct FTPReplyError: FileProviderFTPError, LocalizedError, CustomNSError, Sendable {
    /// The reply's.
    public let code: FileProviderFTPErrorCode
    /// Counted from the provider's root; names that are not UTF-8 are escaped.
    public let path: String
    /// At most 200 characters, on one line, without secrets.
    public let serverDescription: String?
    /// The command's, in capitals.
    public let verb: String

    init(_ reply: FTPReply, path: ProviderPath) {
        code = FileProviderFTPErrorCode(rawValue: reply.code)
        self.path = path.string
        verb = reply.verb
        let clean = reply.text.unicodeScalars.filter { !CharacterSet.controlCharacters.contains($0) }
        let words = Secrets.removed(from: String(String.UnicodeScalarView(clean)))
        serverDescription = words.isEmpty ? nil : String(words.prefix(200))
    }

    /// The domain of the `NSError` that Foundation makes of it.
    public static let errorDomain = "FTP"
    /// The code as a number.
    public var errorCode: Int { code.rawValue }
    /// ``errorDescription`` as the description, and nothing else.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? code.description] }
    /// Command, path, code and what the server said, in one sentence; never nil.
    public var errorDescription: String? {
        "The server answered \(verb.isEmpty ? "the connection" : verb) for “\(path)” with \(code)"
            + (serverDescription.map { ": \($0)" } ?? ".")
    }
}

/// The conditions that a reply may mean. Servers have 550 for nearly everything, and words of their own for the rest;
/// where looking can decide, that is done first.
struct FTPCondition {
    let reply: FTPReply
    let path: ProviderPath
    let url: URL
    var isWriting = false

    /// The condition in Foundation's words, the reply below it; the reply itself where Foundation has none.
    var error: any Error {
        let replyError = FTPReplyError(reply, path: path)
        switch reply.code {
        case 530, 332, 532, 331:
            return FileError.make(
                .userAuthenticationRequired, url: url, sentence: replyError.sentence, underlying: replyError)
        case 500, 502, 504:
            let sentence =
                "The server does not know \(reply.verb.isEmpty ? "what it was sent" : reply.verb), which “\(path)” takes."
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
