public import FileProviderCore
public import Foundation
import ReaderMessages

/// The library on which an application carries out its commands.
///
/// Each step of a command and the record that it happened are stored together or not at all, so that an interrupted
/// command can continue: a library writes both in one transaction. Steps are called one after the other, never
/// concurrently.
public protocol BookLibrary: Sendable {
    /// Begins or continues a command.
    /// - Returns: The results of the steps that are already done, by step number.
    func begin(_ command: CommandIdentity) async throws -> [Int: StepResult]

    /// Adds the document to the library (an upload). The library decides which book it replaces, if any: by the uuid in
    /// it, else by title and authors. The old file stays until the new one is verified.
    /// - Throws: An error that prevents all further work, such as a full disk. A problem with this book alone is a
    ///   ``StepResult``.
    func add(_ book: UploadedBook, from document: StagedDocument, overwrite: Bool, step: CommandStep) async throws
        -> StepResult

    /// Removes a book. A missing book is a warning.
    func delete(_ book: BookReference, step: CommandStep) async throws -> StepResult

    /// Updates the metadata of a book.
    func update(_ book: UpdatedBook, step: CommandStep) async throws -> StepResult

    /// Puts a book into exactly the given collections.
    func setCollections(_ book: CollectedBook, step: CommandStep) async throws -> StepResult

    /// Removes empty collections.
    func cleanUpCollections(step: CommandStep) async throws -> StepResult

    /// Carries out an action by name, without staging its books. An unknown action is rejected.
    func perform(_ action: ReaderAction, step: CommandStep) async throws -> StepResult

    /// Records the result of a step that never reached the library, such as a missing document.
    func note(_ result: StepResult, step: CommandStep) async throws

    /// Returns the commands that were begun and not ended: at most one, unless the application was moved.
    func unfinished() async throws -> [CommandIdentity]

    /// Deletes the records of a command that is over.
    func end(_ command: CommandIdentity) async throws

    /// Returns the book that `reference` identifies, or `nil` if there is none or it is ambiguous.
    func book(_ reference: BookReference) async throws -> LibraryBook?

    /// Opens the file of a book for reading.
    func open(_ book: LibraryBook) async throws -> any FileReader

    /// Writes a consistent copy of all books' metadata for the driver.
    /// - Returns: The local file, which the caller removes.
    func snapshot() async throws -> URL
}

/// The identity of a command: the same bytes in the same file are the same command.
public struct CommandIdentity: Hashable, Sendable, Codable {
    /// The kind of command.
    public var kind: ReaderCommand.Kind
    /// The SHA-256 of its bytes, in hexadecimal digits.
    public var digest: String
    /// The timestamp as written in the command, which is repeated in the status; `nil` if it has none.
    public var timestamp: String?

    /// Creates an identity.
    public init(kind: ReaderCommand.Kind, digest: String, timestamp: String?) {
        self.kind = kind
        self.digest = digest
        self.timestamp = timestamp
    }
}

/// One step of a command: usually one book.
public struct CommandStep: Hashable, Sendable {
    /// The command.
    public var command: CommandIdentity
    /// The index of the step in the command, from 0 on.
    public var number: Int

    /// Creates a step.
    public init(_ command: CommandIdentity, number: Int) {
        self.command = command
        self.number = number
    }
}

/// The result of a step.
public struct StepResult: Hashable, Sendable, Codable {
    /// Whether the step was carried out as requested.
    public var isApplied: Bool
    /// Warnings for the user, one sentence each.
    public var warnings: [String]

    /// Creates a result.
    public init(isApplied: Bool, warnings: [String]) {
        self.isApplied = isApplied
        self.warnings = warnings
    }

    /// Returns the result of a completed step, with optional warnings.
    public static func applied(_ warnings: [String] = []) -> StepResult {
        StepResult(isApplied: true, warnings: warnings)
    }
    /// Returns the result of a rejected step, with the reason in a sentence.
    public static func rejected(_ sentence: String) -> StepResult { StepResult(isApplied: false, warnings: [sentence]) }
}

/// A document in the document staging folder that was verified to exist under a safe name.
public struct StagedDocument: Sendable {
    /// The provider that stores it.
    public let provider: any FileProvider
    /// Its path there.
    public let path: ProviderPath
    /// Its size in bytes when it was checked.
    public let size: Int64

    /// Creates a document.
    public init(provider: any FileProvider, path: ProviderPath, size: Int64) {
        self.provider = provider
        self.path = path
        self.size = size
    }
}
