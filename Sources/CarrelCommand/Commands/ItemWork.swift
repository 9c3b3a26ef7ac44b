import Carrel

/// Work on several locations. A failure is reported at once, and the others go on.
final class ItemWork: Sendable {
    private let verb: String
    private let done = CollectedValues<ExitStatus>()

    init(verb: String) {
        self.verb = verb
    }

    /// Calls `body`. If there are several locations, an error is reported and kept for the exit code.
    ///
    /// - Throws: A cancellation, a closed pipe, or any error of the only location.
    func run(_ operand: Operand, isAlone: Bool, _ body: () async throws -> Void) async throws {
        do {
            try await body()
            done.append(.done)
        } catch {
            let located = error.at(operand.shown)
            if isAlone || error.isCancellation || ExitStatus(error) == .closedPipe { throw located }
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
                    try await self.run(operand, isAlone: operands.count == 1) {
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
    func finish(_ what: String, hasDocument: Bool) throws {
        let failed = done.values.filter { $0 != .done }
        if failed.isEmpty { return }
        let isPartly = done.values.count > failed.count
        let status = isPartly ? .partlyDone : ExitStatus.common(failed)
        throw CommandFailure(
            status: status, sentence: failed.count == 1 ? "1 item was \(what)." : "\(failed.count) items were \(what).",
            isSaid: true,
            hasDocument: hasDocument)
    }
}
