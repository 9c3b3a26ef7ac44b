import Carrel
import LCP

/// Text that a verb takes out of a protected book, counted as copied if the book's licence limits copies. Nothing may be
/// written before ``count()``.
struct CopiedText {
    private let rights: LicenseRightsService
    private let left: Int
    private var characters = 0

    /// - Returns: Nil for a book whose text may be copied without a limit.
    init?(_ book: Publication) async throws {
        guard let rights = book.service(.licenseRights), let left = try await rights.remaining(.copy) else {
            return nil
        }
        self.rights = rights
        self.left = left
    }

    /// Adds a piece of the text.
    ///
    /// - Throws: A refusal as soon as the text is longer than the licence allows.
    mutating func add(_ text: String) throws {
        characters += text.count
        if characters > left { throw refusal }
    }

    /// Counts all of it as copied, in one step.
    ///
    /// - Throws: A refusal if the licence does not allow that much; errors of the store.
    func count() async throws {
        guard try await rights.copy(characters: characters) else { throw refusal }
    }

    private var refusal: LCPProblem {
        let sentence =
            left == 0
            ? "The licence does not allow more text to be copied. Nothing was written."
            : "The licence allows \(left) more characters to be copied, and the text has more. Nothing was written."
        return LCPProblem(.copyLimit, sentence: sentence)
    }
}
