import Carrel

/// Work on several items. A failure is reported at once, and the others go on.
final class ItemWork: Sendable {
    private let verb: String
    private let noun: String
    private let fatal: Set<ExitStatus>
    private let done = CollectedValues<ExitStatus>()

    /// - Parameters:
    ///   - noun: What the items are, for the sentence at the end.
    ///   - fatal: Failures that the other items would have, too: they end the work.
    init(verb: String, noun: String = "item", fatal: Set<ExitStatus> = []) {
        self.verb = verb
        self.noun = noun
        self.fatal = fatal.union([.closedPipe])
    }

    /// Calls `body`. If there are several items, an error is reported and kept for the exit code.
    ///
    /// - Parameter name: The location, or the name, that the error is reported with.
    /// - Throws: A cancellation, a fatal failure, or any error of the only item.
    func run(_ name: String, isAlone: Bool, _ body: () async throws -> Void) async throws {
        do {
            try await body()
            done.append(.done)
        } catch {
            let located = error.at(name)
            if isAlone || error.isCancellation || fatal.contains(ExitStatus(error)) { throw located }
            done.append(ExitStatus(located))
            Session.say(located, verb: verb, location: nil)
        }
    }

    /// Calls `body` for each of `operands`, with as much concurrency as their providers support. Returns the results in
    /// the order of `operands`, without those that failed.
    ///
    /// - Throws: As ``run(_:isAlone:_:)``.
    func each<Value: Sendable>(of operands: [Operand], _ body: @escaping @Sendable (Operand) async throws -> Value)
        async throws -> [Value]
    {
        var maxCount = operands.count
        var asked: [any FileProvider] = []
        for operand in operands where operands.count > 1 && !asked.contains(where: { $0 === operand.provider }) {
            asked.append(operand.provider)
            do {
                // Single requests may be more numerous than file transfers.
                if let transfers = try await operand.provider.capabilities().concurrentTransfers {
                    maxCount = min(maxCount, 4 * transfers)
                }
            } catch {
                // A refused login is not tried again for each location; other problems show for each.
                if ExitStatus(error) == .refused { throw error.at(operand.shown) }
                maxCount = 1
            }
        }
        var values: [Int: Value] = [:]
        try await withThrowingTaskGroup(of: (Int, Value?).self) { group in
            for (index, operand) in operands.enumerated() {
                if index >= maxCount, let (done, value) = try await group.next() { values[done] = value }
                group.addTask {
                    let value = LockedValue<Value?>(nil)
                    try await self.run(operand.shown, isAlone: operands.count == 1) {
                        let made = try await body(operand)
                        value.update { $0 = made }
                    }
                    return (index, value.value)
                }
            }
            for try await (index, value) in group { values[index] = value }
        }
        return values.sorted { $0.key < $1.key }.map(\.value)
    }

    /// - Throws: A failure with exit code 7 if some succeeded, else with the code that all have in common, or 1.
    func finish(_ what: String, hasDocument: Bool = false) throws {
        let failed = done.values.filter { $0 != .done }
        if failed.isEmpty { return }
        let isPartly = done.values.count > failed.count
        let status = isPartly ? .partlyDone : ExitStatus.common(failed)
        throw CommandFailure(
            status: status,
            sentence: failed.count == 1 ? "1 \(noun) was \(what)." : "\(failed.count) \(noun)s were \(what).",
            isSaid: true, hasDocument: hasDocument)
    }
}
