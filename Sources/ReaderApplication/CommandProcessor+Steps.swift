import FileProviderCore
import Foundation
import ReaderMessages

extension CommandProcessor {
    /// Carries out the remaining steps of a command, and records how it ended.
    func ending(of found: FoundCommand, reporter: StatusReporter) async throws -> Ending {
        guard case .command(let command, let notes) = found.content, let identity = found.identity else {
            guard case .unusable(let sentence) = found.content else { return Ending(code: .failure, messages: []) }
            return Ending(code: .failure, messages: [StatusMessage(sentence, about: found.fileName)])
        }
        let known: [Int: StepResult]
        do { known = try await persistence.run(for: Self.patience) { try await library.begin(identity) } } catch let
            error
            where !Task.isCancelled
        {
            let sentence = "The library cannot be used: \(error.sentence)"
            return Ending(code: .failure, messages: [StatusMessage(sentence, about: found.fileName)])
        }
        if let ending = known[Self.ending] { return Self.ending(from: ending) }
        let steps = CommandPlan.steps(of: command, capabilities: options.capabilities)
        var run = StepsRun(notes: notes.warnings.map { StatusMessage($0, about: found.fileName) })
        do { try await carryOut(steps, of: found, identity, known, &run, reporter) } catch let error
            where !Task.isCancelled
        {
            report(error)
            run.failure = error
            for step in steps { try await discardDocument(of: step) }
        }
        try Task.checkCancellation()
        let owes = try await publishSnapshotOrOwe(found, run: &run, isResumed: !known.isEmpty)
        var ending = run.ending(of: found.fileName, steps: steps.count)
        ending.owesSnapshot = owes
        do {
            try await persistence.run(for: Self.patience) {
                try await library.note(Self.result(from: ending), step: CommandStep(identity, number: Self.ending))
            }
        } catch let error where !Task.isCancelled {
            // The driver still gets the result. If this process dies first, the recorded steps contain most of it.
            report(error)
        }
        return ending
    }

    private func carryOut(
        _ steps: [CommandPlan.Step], of found: FoundCommand, _ identity: CommandIdentity, _ known: [Int: StepResult],
        _ run: inout StepsRun,
        _ reporter: StatusReporter
    ) async throws {
        for (number, step) in steps.enumerated() {
            if run.stop != nil {
                try await discardDocument(of: step)
                continue
            }
            let result: StepResult
            if let done = known[number] {
                result = done
            } else {
                result = try await self.result(of: step, CommandStep(identity, number: number))
            }
            try await discardDocument(of: step)
            run.add(result, of: step, in: found.fileName)
            await reporter.advance(to: Double(number + 1) / Double(steps.count))
            guard number + 1 < steps.count else { continue }
            if control.isOffline { await reporter.tell() }
            let waited = try await control.pass()
            run.stop = try await stop(of: found, after: waited)
        }
    }

    /// Whether the driver requested a stop, or withdrew the command while the application was offline.
    private func stop(of found: FoundCommand, after waited: Bool) async throws -> StepsRun.Stop? {
        do {
            if try await control.isCancelled(in: folder) { return .asked }
            guard waited else { return nil }
            return try await isThere(found) ? nil : .takenBack
        } catch {
            try Task.checkCancellation()
            // Checked again before the next step.
            report(error)
            return nil
        }
    }

    private func result(of step: CommandPlan.Step, _ number: CommandStep) async throws -> StepResult {
        switch step {
        case .add(let book, let overwrite): try await add(book, overwrite: overwrite, number)
        case .delete(let book): try await library.delete(book, step: number)
        case .update(let book): try await library.update(book, step: number)
        case .collect(let book): try await library.setCollections(book, step: number)
        case .cleanUpCollections: try await library.cleanUpCollections(step: number)
        case .perform(let action): try await library.perform(action, step: number)
        case .export(let book, let name):
            try await patiently(number) { try await noted(number) { try await export(book, as: name) } }
        case .refuse(let sentence, _): try await noted(number) { .rejected(sentence) }
        }
    }

    private func noted(_ step: CommandStep, _ body: () async throws -> StepResult) async throws -> StepResult {
        let result = try await body()
        try await library.note(result, step: step)
        return result
    }

    private func add(_ book: UploadedBook, overwrite: Bool, _ step: CommandStep) async throws -> StepResult {
        try await patiently(step) {
            switch try await lookUp(book.filename) {
            case .missing(let sentence): try await noted(step) { .rejected(sentence) }
            case .found(let document): try await library.add(book, from: document, overwrite: overwrite, step: step)
            }
        }
    }

    /// Returns the document of a book. A document that the storage refuses to show counts as missing.
    private func lookUp(_ name: String) async throws -> StagedDocuments.Lookup {
        do { return try await documents.find(name) } catch let error as CocoaError
            where !error.isTransient && !error.isCancellation
        {
            return .missing("It cannot be read: \(error.sentence)")
        }
    }

    /// Retries if the storage fails temporarily. After a while, a document that alone can't be read is rejected.
    private func patiently(_ step: CommandStep, _ body: () async throws -> StepResult) async throws -> StepResult {
        do { return try await persistence.run(for: Self.patience, while: Self.mayPass, body) } catch let error
            where Self.mayPass(error) && !Task.isCancelled
        {
            return try await noted(step) { .rejected("It could not be read: \(error.sentence)") }
        }
    }

    private static func mayPass(_ error: any Error) -> Bool { error.isTransient || error is URLError }

    private func export(_ reference: BookReference, as name: String) async throws -> StepResult {
        do { try StagedName.checkDocument(name) } catch { return .rejected(error.sentence) }
        guard let book = try await library.book(reference) else { return .rejected("It is not in the library.") }
        let reader: any FileReader
        do { reader = try await library.open(book) } catch let error where error.isNoSuchFile {
            return .rejected("Its file is missing.")
        }
        do {
            try await documents.put(reader.writeSource(), as: name)
            await reader.close()
            return .applied()
        } catch {
            await reader.close()
            throw error
        }
    }

    /// A document that can't be removed is removed later, when it is old (``StagingHousekeeping``).
    private func discardDocument(of step: CommandPlan.Step) async throws {
        do {
            try await persistence.run(for: Self.patience, while: Self.mayPass) { try await documents.discard(step) }
        } catch let error
            where !Task.isCancelled
        {
            report(error)
        }
    }

    /// - Parameter isResumed: Whether steps were done in an earlier run, whose changes are unknown here.
    /// - Returns: Whether the list of books must still be published.
    private func publishSnapshotOrOwe(_ found: FoundCommand, run: inout StepsRun, isResumed: Bool) async throws -> Bool
    {
        guard run.changesLibrary || isResumed else { return false }
        do {
            try await publishSnapshot()
            return false
        } catch let error where !Task.isCancelled {
            report(error)
            run.warn("The list of books could not be renewed yet: \(error.sentence)", about: found.fileName)
            return true
        }
    }

    /// Publishes a copy of the library's metadata for the driver.
    func publishSnapshot() async throws {
        let file = try await library.snapshot()
        let path = try folder.path.appending(options.snapshot)
        let result: Result<Void, any Error>
        do {
            _ = try await persistence.run(for: Self.patience) {
                try await folder.provider.writeContents(
                    path: path, from: FileSource(file), options: WriteOptions(overwrite: true))
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        // A remaining copy is in this machine's temporary folder and does no harm.
        try? await withCancellationShield {
            try await BlockingThreads.shared.run { try FileManager.default.removeItem(at: file) }
        }
        try result.get()
    }
}
