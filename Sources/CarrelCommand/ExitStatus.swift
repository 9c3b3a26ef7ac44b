import ArgumentParser
import Carrel
import Foundation

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

    /// The code for an error: the one table of the command line.
    init(_ error: any Error) {
        switch error {
        case let error as CommandFailure: self = error.status
        case is ValidationError: self = .usage
        case let error as ResourceError: self.init(error.cause)
        case let error where error.isCancellation: self = .interrupted
        case let error as URLError: self = Self.of(error.code)
        case let error as CocoaError: self = Self.of(error)
        default: self = .failed
        }
    }

    private static func of(_ code: URLError.Code) -> ExitStatus {
        switch code {
        case .userAuthenticationRequired, .userCancelledAuthentication, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .serverCertificateHasBadDate, .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired,
            .secureConnectionFailed, .noPermissionsToReadFile, .appTransportSecurityRequiresSecureConnection:
            .refused
        case .cannotFindHost, .cannotConnectToHost, .timedOut, .networkConnectionLost, .dnsLookupFailed, .notConnectedToInternet:
            .unreachable
        case .badURL, .unsupportedURL: .usage
        default: .failed
        }
    }

    private static func of(_ error: CocoaError) -> ExitStatus {
        switch error.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: .notFound
        case .fileReadNoPermission, .fileWriteNoPermission, .fileWriteVolumeReadOnly: .refused
        case .fileWriteFileExists: .exists
        case .fileReadCorruptFile, .fileReadTooLarge, .fileReadInapplicableStringEncoding, .propertyListReadCorrupt: .badFile
        case .fileReadInvalidFileName, .fileWriteInvalidFileName: .usage
        default: .failed
        }
    }
}

/// A failure that only the command line knows.
struct CommandFailure: LocalizedError {
    let status: ExitStatus
    let sentence: String
    /// Whether all there is to say was said already.
    var isSilent = false

    var errorDescription: String? { sentence }
}
