import FileProviderCore
import Foundation

extension Behaviour {
    /// Vetoes by a delegate, for each operation: it ends once, and nothing has changed.
    static let vetoes: [Behaviour] =
        HandledOperation.all.map { operation in
            HandledOperation.neverAsked.contains(operation.name)
                ? Behaviour(
                    "\(operation.name) with a handler is not the delegate's to forbid", operation.needs
                ) {
                    try await $0.succeed(operation, delegate: Veto(forbids: true), questions: 0)
                }
                : Behaviour(
                    "\(operation.name) with a handler, forbidden by the delegate, ends once and changes nothing",
                    operation.needs
                ) {
                    try await $0.forbid(operation)
                }
        } + [
            Behaviour(
                "A delegate that agrees is asked once, and the operation is done", .ability(.writing)
            ) { trial in
                for operation in HandledOperation.all
                where operation.name == "Writing" || operation.name == "Removing" {
                    try await trial.succeed(operation, delegate: Veto(forbids: false), questions: 1)
                }
            },
            Behaviour("A delegate that is gone has no say", .ability(.writing)) { trial in
                for operation in HandledOperation.all where operation.name == "Writing" {
                    // Only the provider holds the delegate, and it does so weakly.
                    trial.provider.fileOperationDelegate = Veto(forbids: true)
                    try await trial.succeed(operation)
                }
            },
        ]
}

/// Allows or forbids everything, and records the questions.
private final class Veto: FileOperationDelegate {
    private let forbids: Bool
    let questions = CollectedValues<FileOperationType>()

    init(forbids: Bool) {
        self.forbids = forbids
    }

    func fileProvider(
        _ fileProvider: any FileProviderBasic, shouldDoOperation operation: FileOperationType
    ) -> Bool {
        questions.append(operation)
        return !forbids
    }
}

extension HandledOperation {
    /// Operations that change nothing anywhere.
    fileprivate static let neverAsked = ["Listing", "Looking", "Reading"]
}

extension Trial {
    /// Runs `body` while the provider has this delegate, then restores its own.
    private func with(_ delegate: Veto, _ body: () async throws -> Void) async throws {
        let own = provider.fileOperationDelegate
        provider.fileOperationDelegate = delegate
        defer { provider.fileOperationDelegate = own }
        try await body()
    }

    fileprivate func forbid(_ operation: HandledOperation) async throws {
        let veto = Veto(forbids: true)
        try await withContents(operation.before) { folder, local in
            try await with(veto) {
                try await expectFailure("\(operation.name), which the delegate forbids", .userCancelled) {
                    try await finish(operation.name) { operation.start(provider, folder.string, local, $0) }
                }
            }
            try await expectContents(
                operation.before, in: folder, "After \(operation.name.lowercased()), which was forbidden")
            let down = local.appendingPathComponent("down").path
            try expect(
                !FileManager.default.fileExists(atPath: down),
                "Expected no file on this machine after a veto, but there is one.")
        }
        let asked = veto.questions.values.count
        try expect(
            asked == 1,
            "\(operation.name): expected the delegate to be asked once, but it was asked \(asked) times.")
    }

    fileprivate func succeed(_ operation: HandledOperation, delegate: Veto, questions: Int)
        async throws
    {
        try await with(delegate) { try await succeed(operation) }
        let asked = delegate.questions.values
        try expect(
            asked.count == questions,
            "\(operation.name): expected \(questions) questions to the delegate, but there were \(asked.count): \(asked)."
        )
        let source = try at("in").string
        try expect(
            asked.allSatisfy { $0.source.hasPrefix(source) },
            "\(operation.name): expected a question about an item in \(source), but it was about \(asked)."
        )
    }

    fileprivate func succeed(_ operation: HandledOperation) async throws {
        let folder = try at("in")
        try await withContents(operation.before) { _, local in
            try await finish(operation.name) { operation.start(provider, folder.string, local, $0) }
            try await expectContents(operation.after, in: folder, "After \(operation.name.lowercased())")
        }
        try await removeTree(folder)
    }
}
