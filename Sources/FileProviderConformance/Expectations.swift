import FileProviderCore
import Foundation

/// An expectation that did not hold.
struct Unmet: Error {
    /// What was expected and what happened.
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}

/// Ends a behaviour that does not apply after all.
struct SkippedBehaviour: Error {
    let reason: String
}

/// Ends a behaviour that holds because the storage refused a name that it may refuse.
struct RefusedName: Error {
    let error: any Error
}

/// The error that the kit's own sinks and sources throw, to check that it arrives.
struct DeliberateFailure: Error {}

func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) throws {
    if !condition { throw Unmet(sentence()) }
}

/// Expects `body` to fail with `refusal`. `what` starts the sentence of the violation.
func expectFailure(_ what: String, _ refusal: Refusal = .any, _ body: () async throws -> Void) async throws {
    do { try await body() } catch {
        if refusal.matches(error) { return }
        throw Unmet("\(what): expected \(refusal.name), but it failed with \(describe(error))")
    }
    throw Unmet("\(what): expected \(refusal.name), but it succeeded.")
}

/// A kind of error that a contract names.
struct Refusal: Sendable {
    let name: String
    let matches: @Sendable (any Error) -> Bool

    private init(_ name: String, _ matches: @escaping @Sendable (any Error) -> Bool) {
        self.name = name
        self.matches = matches
    }

    static let any = Refusal("an error") { _ in true }
    static let noSuchFile = Refusal("a no-such-file error") { $0.isNoSuchFile }
    static let fileExists = Refusal("a file-exists error (CocoaError.fileWriteFileExists)") { $0.isFileExists }
    static let cancelled = Refusal("a cancellation error") { $0.isCancellation }
    static let userCancelled = Refusal("CocoaError.userCancelled") { ($0 as? CocoaError)?.code == .userCancelled }
    static let deliberate = Refusal("the very error that was thrown") { $0 is DeliberateFailure }
    static let invalidName = Refusal("an invalid-file-name error") {
        [.fileReadInvalidFileName, .fileWriteInvalidFileName].contains(($0 as? CocoaError)?.code)
    }
    static let notAFolder = Refusal("CocoaError.fileReadUnknown with ENOTDIR below it") {
        ($0 as? CocoaError)?.code == .fileReadUnknown && posixCode(below: $0) == .ENOTDIR
    }
    static let isAFolder = Refusal("CocoaError.fileReadUnknown with EISDIR below it") {
        ($0 as? CocoaError)?.code == .fileReadUnknown && posixCode(below: $0) == .EISDIR
    }
    static let notEmpty = Refusal("CocoaError.fileWriteFileExists with ENOTEMPTY below it") {
        $0.isFileExists && posixCode(below: $0) == .ENOTEMPTY
    }
    static let versionChanged = Refusal("CocoaError.fileWriteUnknown") {
        ($0 as? CocoaError)?.code == .fileWriteUnknown
    }
}

/// Returns the errno anywhere below `error`.
private func posixCode(below error: any Error) -> POSIXErrorCode? {
    if let posix = error as? POSIXError { return posix.code }
    guard
        let underlying = (error as? CocoaError)?.underlying ?? (error as? URLError)?.userInfo[NSUnderlyingErrorKey]
            as? any Error
    else {
        return nil
    }
    return posixCode(below: underlying)
}

/// Returns an error's type, code and sentence.
func describe(_ error: any Error) -> String {
    switch error {
    case let error as Unmet: error.sentence
    case let error as CocoaError: "CocoaError \(error.code.rawValue): \(error.sentence)"
    case let error as URLError: "URLError \(error.code.rawValue): \(error.sentence)"
    case let error as any FileProviderHTTPError: "HTTP \(error.code): \(error.serverDescription ?? "no explanation")"
    default: "\(type(of: error)): \(error)"
    }
}

/// Returns where two byte strings start to differ, in words.
func difference(_ found: Data, from expected: Data) -> String {
    if found.count != expected.count { return "\(found.count) bytes arrived instead of \(expected.count)" }
    let offset = zip(found, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    return offset.map { "byte \($0) of \(expected.count) differs" } ?? "nothing differs"
}
