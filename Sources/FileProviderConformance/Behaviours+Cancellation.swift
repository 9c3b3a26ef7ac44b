import FileProviderCore
import Foundation

extension Behaviour {
    /// How each operation with a completion handler may end: one behaviour for each operation and ending.
    static let cancellation: [Behaviour] = HandledOperation.all.flatMap { operation in
        [
            Behaviour("\(operation.name) with a handler ends once, done", operation.needs) {
                try await $0.succeed(operation)
            },
            Behaviour(
                "\(operation.name) with a handler where nothing is ends once, with the reason",
                // An operation that starts without an item creates the folder if writing does.
                operation.needs + (operation.before.isEmpty ? [.makingParents(false)] : [])
            ) { try await $0.fail(operation) },
            Behaviour(
                "\(operation.name) with a handler, cancelled at random points, ends once, done or undone",
                operation.needs
            ) {
                try await $0.cancelAtRandom(operation)
            },
            Behaviour(
                "\(operation.name) with a handler goes on when its provider is released, and ends once",
                operation.needs + [.connection]
            ) { try await $0.release(operation) },
            Behaviour(
                "\(operation.name) with a handler, invalidated at random points, ends once, done or undone",
                operation.needs + [.connection]
            ) { try await $0.invalidate(operation) },
        ]
    }
}

extension Trial {
    fileprivate func succeed(_ operation: HandledOperation) async throws {
        try await withContents(operation.before) { folder, local in
            try await finish(operation.name) { operation.start(provider, folder.string, local, $0) }
            try await expectContents(operation.after, in: folder, "After \(operation.name.lowercased())")
        }
    }

    /// Starts the operation in a folder that is missing.
    fileprivate func fail(_ operation: HandledOperation) async throws {
        let missing = try at("missing")
        try await withLocalFolder { local in
            try HandledOperation.bytes.write(to: local.appendingPathComponent("up"))
            try await expectFailure("\(operation.name) in a missing folder", .noSuchFile) {
                try await finish(operation.name) { operation.start(provider, missing.string, local, $0) }
            }
        }
        try await expectNames([], when: "After \(operation.name.lowercased()) in a missing folder")
    }

    fileprivate func cancelAtRandom(_ operation: HandledOperation) async throws {
        try await endAtRandom(
            operation, how: "cancelled", through: { provider }, end: { progress, _ in progress?.cancel() }
        ) {
            try await expectContents(oneOf: $0, in: $1, $2)
        }
    }

    fileprivate func invalidate(_ operation: HandledOperation) async throws {
        guard let connect else { return }
        try await endAtRandom(operation, how: "invalidated", through: connect, end: { $1.invalidate() }) {
            allowed, folder, when in
            // Without a connection the part cannot be removed: it may stay, under a temporary name.
            try await expectContents(oneOf: allowed, in: folder, when, isSwept: true)
        }
    }

    /// Measures the operation, then ends it at random points of that time.
    private func endAtRandom(
        _ operation: HandledOperation, how: String, through connect: Conformance.Connect,
        end: (Progress?, any FileProvider) -> Void,
        expectState: (_ oneOf: [Contents], _ folder: ProviderPath, _ when: String) async throws -> Void
    ) async throws {
        let clock = ContinuousClock()
        var duration = Duration.zero
        var ended: [CompletionRecorder<(any Error)?>] = []
        let rounds = 6
        for round in 0..<rounds {
            try await withContents(operation.before, in: "round \(round)") { folder, local in
                let provider = try await connect()
                let handled = CompletionRecorder<(any Error)?>()
                let start = clock.now
                let progress = handled.start { operation.start(provider, folder.string, local, $0) }
                // From the very start to half the time beyond the end, a random point in each part of it.
                let pause = duration * (Double(round - 1) + Double.random(in: 0..<1)) / Double(rounds - 1) * 1.5
                if round > 0 {
                    await handled.first(within: pause)
                    end(progress, provider)
                }
                let error = await handled.firstValue()
                if round == 0 { duration = clock.now - start }
                ended.append(handled)
                let what = "\(operation.name), \(how) after \(pause)"
                try await expectState(try statesAllowed(after: operation, error: error, what: what), folder, what)
            }
        }
        try await CompletionRecorder.expectOne(ended, what: operation.name)
    }

    /// Releases the provider as soon as the operation has begun.
    fileprivate func release(_ operation: HandledOperation) async throws {
        guard let connect else { return }
        try await withContents(operation.before) { folder, local in
            let handled = CompletionRecorder<(any Error)?>()
            try await start(operation, through: connect, in: folder, local, handled)
            if let error = try await handled.value(operation.name) { throw error }
            try await expectContents(
                operation.after, in: folder, "After \(operation.name.lowercased()) through a provider that was let go")
        }
    }

    private func start(
        _ operation: HandledOperation, through connect: Conformance.Connect, in folder: ProviderPath, _ local: URL,
        _ handled: CompletionRecorder<(any Error)?>
    ) async throws {
        let provider = try await connect()
        _ = handled.start { operation.start(provider, folder.string, local, $0) }
    }

    /// Returns the allowed contents of a folder: after success the complete result, after a cancellation either the old
    /// state or the complete result.
    private func statesAllowed(after operation: HandledOperation, error: (any Error)?, what: String) throws
        -> [Contents]
    {
        guard let error else { return [operation.after] }
        if let unmet = error as? Unmet { throw unmet }
        try expect(
            Refusal.userCancelled.matches(error),
            "\(what): expected CocoaError.userCancelled, but it was \(describe(error))")
        // A move that is a copy and a removal may be left in between.
        let between = capabilities[.moving] == .native ? [] : [operation.before.merging(operation.after) { $1 }]
        return [operation.before, operation.after] + between
    }
}
