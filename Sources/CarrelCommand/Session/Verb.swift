import ArgumentParser

/// A verb with its options.
protocol Verb: AsyncParsableCommand {
    var common: CommonOptions { get }
    /// The words that select the verb, such as `book info`.
    static var verb: String { get }
    /// The location for failures that don't name one.
    var blamed: String? { get }

    func perform(_ session: Session) async throws
}

extension Verb {
    static var verb: String { configuration.commandName ?? "" }

    func run() async throws { try await perform(Session(common)) }
}
