/// Secrets that an app asks for: with a prompt, or from its own store such as a keychain.
///
/// All requests, also of several providers with this source, wait for one answer for each origin and user. The answer
/// is kept until a server refuses it. An error is not kept: the next request asks again.
public final class AskedCredentials: CredentialSource {
    /// Finds a secret; nil if there is none and access is tried without.
    public typealias Ask = @Sendable (_ origin: Origin, _ user: String?) async throws -> Credential?

    private struct Key: Hashable {
        let origin: Origin
        let user: String?
    }

    private final class Question: Sendable {
        let answer = LockedValue<Credential?>(nil)
        let task = LockedValue<Task<Credential?, any Error>?>(nil)
    }

    private let ask: Ask
    private let questions = LockedValue<[Key: Question]>([:])

    /// Calls `ask` when a secret is first needed. An answer of nil is kept, too, and never refused: no server sees it.
    public init(_ ask: @escaping Ask) {
        self.ask = ask
    }

    /// - Throws: The error of the app's function; `CancellationError` for a caller that is cancelled, while the others
    ///   go on waiting.
    public func credential(for origin: Origin, user: String?) async throws -> Credential? {
        let key = Key(origin: origin, user: user)
        let task = questions.update { questions in
            if let task = questions[key]?.task.value { return task }
            let question = Question()
            let task = Task { try await self.answer(question, key) }
            question.task.update { $0 = task }
            questions[key] = question
            return task
        }
        return try await task.sharedValue()
    }

    /// Makes the next request ask again, unless there is another answer by now.
    public func refused(_ credential: Credential, for origin: Origin, user: String?) {
        forget(Key(origin: origin, user: user)) { $0.answer.value == credential }
    }

    private func answer(_ question: Question, _ key: Key) async throws -> Credential? {
        do {
            let credential = try await ask(key.origin, key.user)
            question.answer.update { $0 = credential }
            return credential
        } catch {
            forget(key) { $0 === question }
            throw error
        }
    }

    private func forget(_ key: Key, if isThis: (Question) -> Bool) {
        questions.update { questions in
            if let question = questions[key], isThis(question) { questions[key] = nil }
        }
    }
}
