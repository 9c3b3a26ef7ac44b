/// The repetition of an operation that runs in the current task, for its line in a log. Nothing is bound during a first
/// try, so it costs nothing while all goes well.
package struct RepeatedTry: Sendable {
    /// Nil in a first try.
    @TaskLocal package static var current: RepeatedTry?

    /// 1 for the second try.
    package let number: Int
    /// Why the try before failed.
    package let cause: any Error

    package init(number: Int, cause: any Error) {
        self.number = number
        self.cause = cause
    }

    /// Runs `body`, as the repetition `again` if that is not nil.
    package static func run<Value>(_ again: RepeatedTry?, _ body: () async throws -> Value) async rethrows -> Value {
        guard let again else { return try await body() }
        return try await $current.withValue(again) { try await body() }
    }
}
