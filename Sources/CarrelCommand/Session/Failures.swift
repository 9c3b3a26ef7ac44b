import Carrel
import Foundation

/// A failure of the command line itself.
struct CommandFailure: LocalizedError, CustomNSError {
    static let errorDomain = "carrel"

    let status: ExitStatus
    let sentence: String
    /// Whether the failure is already reported on standard error.
    var isSaid = false
    /// Whether the JSON document is already on standard output.
    var hasDocument = false

    var errorDescription: String? { sentence }
    var errorCode: Int { Int(status.rawValue) }
    // With a custom error domain, Foundation takes the sentence only from here.
    var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: sentence] }

    static func usage(_ sentence: String) -> CommandFailure { CommandFailure(status: .usage, sentence: sentence) }
}

/// An error and the location that it is about, as given by the user, without secrets.
struct LocatedError: Error {
    let location: String
    let cause: any Error
    /// The exit code, if the cause alone doesn't determine it.
    var status: ExitStatus?
}

extension Error {
    /// The error without the location that the command line added.
    var innermost: any Error { (self as? LocatedError)?.cause.innermost ?? self }

    /// Returns this error of a write to `path` with a sentence that names the missing folder instead of the new item.
    func naming(missingParentOf path: ProviderPath) -> any Error {
        guard let error = self as? CocoaError, error.code == .fileNoSuchFile,
            error.userInfo[NSFilePathErrorKey] as? String == path.string
        else { return self }
        return FileError.make(
            .fileNoSuchFile, path: path, sentence: "There is no folder “\((path.parent ?? .root).string)”.",
            underlying: error.underlying)
    }

    /// Returns this error with a location; an error that already has one keeps it.
    func at(_ location: String, status: ExitStatus? = nil) -> any Error {
        self is LocatedError ? self : LocatedError(location: location, cause: self, status: status)
    }
}

extension DriverError {
    /// The code of a driver's error in `--json`, one for each kind. Scripts rely on them.
    var shownCode: Int {
        switch kind {
        case .notConnected: 1
        case .offline: 2
        case .busy: 3
        case .notAcknowledged: 4
        case .stalled: 5
        case .commandFailed: 6
        case .unreadableStatus: 7
        case .incompatiblePeer: 8
        case .damagedLibrary: 9
        case .noSpace: 10
        case .pathRejected: 11
        case .cancelled: 12
        case .connectionLost: 13
        case .ejected: 14
        }
    }
}

extension String {
    /// The text on one line, without characters that control a terminal: control characters and direction changes.
    var onOneLine: String {
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
        guard unicodeScalars.contains(where: \.steersTerminals) else { return self }
        var shown = UnicodeScalarView()
        for scalar in unicodeScalars { shown.append(scalar.steersTerminals ? "?" : scalar) }
        return String(shown)
    }
}

extension String {
    /// The text as one word of a shell's command line, in quotes if it needs them.
    var shellWord: String {
        if !isEmpty, allSatisfy({ $0.isLetter || $0.isNumber || "/.-_:@%+=,".contains($0) }) { return self }
        return "'" + replacing("'", with: #"'\''"#) + "'"
    }
}

extension Unicode.Scalar {
    /// C0 and C1 controls, line and paragraph separators, and the controls of the bidirectional algorithm (UAX #9).
    fileprivate var steersTerminals: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
