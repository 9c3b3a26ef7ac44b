import FileProviderCore
public import Foundation

/// A question for the passphrase of a licence.
public struct PassphraseRequest: Sendable {
    /// The licence, whose ``LicenseDocument/hint`` helps its owner to remember.
    public let license: LicenseDocument
    /// The passphrases that were tried since the question was first asked, and did not fit.
    public let refused: Set<HashedPassphrase>

    /// A question; apps make one to test their own sources.
    public init(license: LicenseDocument, refused: Set<HashedPassphrase> = []) {
        self.license = license
        self.refused = refused
    }

    /// Whether the last answer did not fit.
    public var wasWrong: Bool { !refused.isEmpty }
    /// The words that help to remember the passphrase.
    public var hint: String { license.hint }
    /// The pages that say more about the hint, such as where to ask for a lost passphrase.
    public var hintLinks: [LicenseLink] { license.links("hint") }
    /// Where to ask the provider for help: pages, mail addresses, telephone numbers.
    public var supportLinks: [LicenseLink] { license.links("support") }
}

/// A source of passphrases: a prompt, the environment, a file, an app's own store.
public protocol PassphraseSource: Sendable {
    /// Returns the passphrase for `request`; nil if there is none, or no other than those that were refused.
    ///
    /// Called again with ``PassphraseRequest/wasWrong`` after an answer that does not fit.
    func passphrase(for request: PassphraseRequest) async throws -> HashedPassphrase?
}

/// The passphrase in an environment variable, hashed when the source is made.
public struct EnvironmentPassphrase: PassphraseSource {
    private let passphrase: HashedPassphrase?

    /// - Parameters:
    ///   - variable: The name of the variable; one that is empty counts as missing.
    ///   - environment: By default the process's own; read once.
    public init(
        variable: String = "CARREL_PASSPHRASE", environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        passphrase = environment[variable].flatMap { $0.isEmpty ? nil : HashedPassphrase($0) }
    }

    /// Returns the passphrase, for every licence; nil if it was refused. Never throws.
    public func passphrase(for request: PassphraseRequest) async throws -> HashedPassphrase? {
        passphrase.flatMap { request.refused.contains($0) ? nil : $0 }
    }
}

/// The passphrase in the first line of a file.
public struct FilePassphrase: PassphraseSource {
    private let file: String

    /// - Parameter file: A local path, also of a pipe. It is read whenever a passphrase is needed.
    public init(file: String) {
        self.file = file
    }

    /// Returns the first line without its line break, for every licence; nil if it was refused.
    ///
    /// - Throws: `CocoaError(.fileReadNoPermission)` for a file of this user that other users can read;
    ///   `CocoaError(.fileReadCorruptFile)` if the first line is empty; `CocoaError(.fileReadNoSuchFile)` and its like;
    ///   `CocoaError(.fileReadTooLarge)` over 64 KiB.
    public func passphrase(for request: PassphraseRequest) async throws -> HashedPassphrase? {
        let data = try await SmallFile.read(file, limit: 64 << 10, isSecret: true)
        var line = data.prefix { $0 != UInt8(ascii: "\n") }
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        guard !line.isEmpty else {
            throw FileError.make(
                .fileReadCorruptFile, path: file,
                sentence: "The first line of “\(file)” is empty; write the passphrase there.")
        }
        let passphrase = HashedPassphrase(utf8: line)
        return request.refused.contains(passphrase) ? nil : passphrase
    }
}

/// Passphrases that a person types, or that an app takes from its own store.
public struct PassphrasePrompt: PassphraseSource {
    /// Asks for a passphrase; nil if the person gives up.
    public typealias Ask = @Sendable (_ request: PassphraseRequest) async throws -> String?

    private let ask: Ask

    /// Calls `ask` for each passphrase, and again with ``PassphraseRequest/wasWrong`` if it does not fit.
    public init(_ ask: @escaping Ask) {
        self.ask = ask
    }

    /// - Throws: The error of the app's function.
    public func passphrase(for request: PassphraseRequest) async throws -> HashedPassphrase? {
        try await ask(request).map { HashedPassphrase($0) }
    }
}

/// Several sources, asked in order until one has a passphrase that was not refused yet.
public struct PassphraseChain: PassphraseSource {
    private let sources: [any PassphraseSource]

    /// Sources in the order in which they are asked; put a prompt last.
    public init(_ sources: [any PassphraseSource]) {
        self.sources = sources
    }

    /// Returns the first passphrase that a source has; later sources are not asked.
    ///
    /// - Throws: The error of a source; later sources are not asked then, either.
    public func passphrase(for request: PassphraseRequest) async throws -> HashedPassphrase? {
        for source in sources {
            if let passphrase = try await source.passphrase(for: request) { return passphrase }
        }
        return nil
    }
}
