import ArgumentParser

/// A verb: its options, and what it does with a session.
protocol Verb: AsyncParsableCommand {
    var common: CommonOptions { get }
    /// What the user wrote to get here, such as `book info`.
    static var verb: String { get }
    /// The location that a failure is about which does not know better.
    var blamed: String? { get }

    func perform(_ session: Session) async throws
}

extension Verb {
    static var verb: String { configuration.commandName ?? "" }

    func run() async throws { try await perform(Session(common)) }
}
