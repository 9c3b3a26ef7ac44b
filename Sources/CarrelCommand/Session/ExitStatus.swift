import ArgumentParser
import Carrel
import Foundation
import LCP
import OPDSClient

/// The exit codes that scripts rely on.
enum ExitStatus: Int32 {
    case done = 0
    case failed = 1
    case usage = 2
    case notFound = 3
    case refused = 4
    case exists = 5
    case unreachable = 6
    case partlyDone = 7
    case badFile = 8
    case interrupted = 130
    case closedPipe = 141

    /// Returns the exit code for an error. This is the only such table of the command line.
    init(_ error: any Error) {
        switch error {
        case let error as LocatedError: self = error.status ?? ExitStatus(error.cause)
        case let error as CommandFailure: self = error.status
        case is ValidationError: self = .usage
        case let error where error.missingTrait != nil: self = .usage
        case let error where error.isCancellation: self = .interrupted
        case let error as DriverError: self = Self.of(error)
        case let error as LCPProblem: self = ExitStatus(error.underlying)
        case is LoginRequired: self = .refused
        case let error as PlainFolderError: self = error.kind == .notFound ? .notFound : .failed
        case let error as URLError: self = Self.of(error.code)
        case let error where !error.itemErrors.isEmpty: self = .partlyDone
        case let error as CocoaError: self = Self.of(error)
        case let error as any FileProviderHTTPError
        where [408, 425, 429, 502, 503, 504, 509].contains(error.code.rawValue):
            self = .unreachable
        case let error as any FileProviderFTPError where [421, 425, 426].contains(error.code.rawValue):
            self = .unreachable
        default: self = .failed
        }
    }

    /// Returns the code for items that all failed: the code that all have in common, or 1.
    static func common(_ failures: [ExitStatus]) -> ExitStatus {
        guard let first = failures.first, failures.allSatisfy({ $0 == first }) else { return .failed }
        return first
    }

    private static func of(_ code: URLError.Code) -> ExitStatus {
        switch code {
        case .userAuthenticationRequired, .userCancelledAuthentication, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot,
            .serverCertificateHasBadDate, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired,
            .secureConnectionFailed, .noPermissionsToReadFile, .appTransportSecurityRequiresSecureConnection:
            .refused
        case .cannotFindHost, .cannotConnectToHost, .timedOut, .networkConnectionLost, .dnsLookupFailed,
            .notConnectedToInternet:
            .unreachable
        case .badURL, .unsupportedURL: .usage
        default: .failed
        }
    }

    private static func of(_ error: DriverError) -> ExitStatus {
        switch error.kind {
        case .notConnected, .offline, .notAcknowledged, .stalled, .connectionLost: .unreachable
        case .damagedLibrary, .unreadableStatus: .badFile
        case .pathRejected: .refused
        case .cancelled: .interrupted
        case .busy, .commandFailed, .incompatiblePeer, .noSpace, .ejected: .failed
        }
    }

    private static func of(_ error: CocoaError) -> ExitStatus {
        // The name is well-formed, but this storage can't store it.
        if error.underlying as? POSIXError == POSIXError(.ENAMETOOLONG) { return .failed }
        // The file may be fine: the server sent something else.
        if error.underlying is UnexpectedFile { return .failed }
        return switch error.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: .notFound
        case .fileReadNoPermission, .fileWriteNoPermission, .fileWriteVolumeReadOnly: .refused
        case .fileWriteFileExists: .exists
        case .fileReadCorruptFile, .fileReadTooLarge, .fileReadInapplicableStringEncoding, .propertyListReadCorrupt:
            .badFile
        case .fileReadInvalidFileName, .fileWriteInvalidFileName: .usage
        default: .failed
        }
    }
}
