public import FileProviderCore
public import Foundation
import ReaderMessages

/// What an application does with the books of its commands.
///
/// Each step of a command happens together with the note that it happened, or not at all, so that a command whose
/// application died goes on where it was: a library writes both in one transaction. Steps are called one after the
/// other, never two at once.
public protocol BookLibrary: Sendable {
    /// Begins a command, or goes on with it.
    /// - Returns: What came of the steps that are done already, by their number.
    func begin(_ command: CommandIdentity) async throws -> [Int: StepResult]

    /// Takes the document into the library (an upload). Which book it replaces, if any, the library decides by the uuid
    /// in it, else by title and authors; the old file stays until the new one is proven good.
    /// - Throws: What says that nothing more can be done at all, such as a full disk; what is wrong with this book
    ///   alone is a ``StepResult``.
    func add(_ book: UploadedBook, from document: StagedDocument, overwrite: Bool, step: CommandStep) async throws
        -> StepResult

    /// Removes a book; one that is not there is a warning.
    func delete(_ book: BookReference, step: CommandStep) async throws -> StepResult

    /// Changes what is known of a book.
    func update(_ book: UpdatedBook, step: CommandStep) async throws -> StepResult

    /// Puts a book into these collections and no others.
    func setCollections(_ book: CollectedBook, step: CommandStep) async throws -> StepResult

    /// Removes collections that no book is in.
    func cleanUpCollections(step: CommandStep) async throws -> StepResult

    /// Carries out an action by name, without its books being staged anywhere; what it does not know is a rejection.
    func perform(_ action: ReaderAction, step: CommandStep) async throws -> StepResult

    /// Notes what came of a step that never reached the library, such as a document that is missing.
    func note(_ result: StepResult, step: CommandStep) async throws

    /// The commands that were begun and not ended, with what is known of them: at most one, unless the application was
    /// moved.
    func unfinished() async throws -> [CommandIdentity]

    /// Forgets the steps of a command, which is over.
    func end(_ command: CommandIdentity) async throws

    /// The book that `reference` means; nil where there is none or more than one could be meant.
    func book(_ reference: BookReference) async throws -> LibraryBook?

    /// Opens the file of a book for reading.
    func open(_ book: LibraryBook) async throws -> any FileReader

    /// Writes a consistent copy of what is known of all books, for the driver to read.
    /// - Returns: The local file, which the caller removes.
    func snapshot() async throws -> URL
}

/// Which command it is: the same bytes in the same file are the same command.
public struct CommandIdentity: Hashable, Sendable, Codable {
    /// The kind.
    public var kind: ReaderCommand.Kind
    /// SHA-256 of its bytes, in hexadecimal digits.
    public var digest: String
    /// The timestamp as the command wrote it, which goes into the status; nil where it has none.
    public var timestamp: String?

    /// A command.
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
    /// Its place in the command, from 0 on.
    public var number: Int

    /// A step.
    public init(_ command: CommandIdentity, number: Int) {
        self.command = command
        self.number = number
    }
}

/// What came of a step.
public struct StepResult: Hashable, Sendable, Codable {
    /// Whether the step did what it was asked.
    public var isApplied: Bool
    /// What the user is to be told, one sentence each.
    public var warnings: [String]

    /// What came of a step.
    public init(isApplied: Bool, warnings: [String]) {
        self.isApplied = isApplied
        self.warnings = warnings
    }

    /// Done, perhaps with warnings.
    public static func applied(_ warnings: [String] = []) -> StepResult {
        StepResult(isApplied: true, warnings: warnings)
    }
    /// Not done, for the reason in the sentence.
    public static func rejected(_ sentence: String) -> StepResult { StepResult(isApplied: false, warnings: [sentence]) }
}

/// A document in the document staging folder, proven to be there under a harmless name.
public struct StagedDocument: Sendable {
    /// The storage that it lies on.
    public let provider: any FileProvider
    /// Its path there.
    public let path: ProviderPath
    /// Its size in bytes when it was looked at.
    public let size: Int64

    /// A document.
    public init(provider: any FileProvider, path: ProviderPath, size: Int64) {
        self.provider = provider
        self.path = path
        self.size = size
    }
}
