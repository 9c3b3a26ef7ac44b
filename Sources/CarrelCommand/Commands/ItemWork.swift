import Carrel

/// One piece of work on each of several locations: a failure is said at once and the others go on.
final class ItemWork: Sendable {
    private let verb: String
    private let done = CollectedValues<ExitStatus>()

    init(verb: String) {
        self.verb = verb
    }

    /// Does `body`; of a location that is not alone the error is said and kept for the exit code.
    ///
    /// - Throws: A cancellation, a closed pipe, and any error of a location that is alone.
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

    /// Does `body` for each of `operands`, as many at once as their providers take gladly; what it gives comes back in
    /// the order of the places, without those that failed.
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
                // Of single requests, more than of files with all that belongs to one.
                if let transfers = try await operand.provider.capabilities().concurrentTransfers {
                    maxCount = min(maxCount, 4 * transfers)
                }
            } catch {
                // A login that is refused is not tried again for each; what else is wrong shows for each.
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

    /// - Throws: Exit code 7 where some succeeded, else the code that all have in common, or 1.
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
