import FileProviderCore
import Foundation
import ReaderMessages

/// What is done before a command.
extension CommandExchange {
    /// Seconds for which a final report has to stand before it is nobody's: longer than any driver takes between two
    /// looks.
    private static let finalReportLimit = 3.0

    /// Sees the end of a command of ours that was not followed to its end.
    func settle() async throws {
        guard let sent = outstanding else { return }
        guard sent.writing.areOver else {
            throw FileError.make(
                .timedOut, url: nil,
                sentence: "The storage has not answered yet whether it took “\(sent.fileName)”. Try again later.")
        }
        await removeCancelFile()
        if try await folder.attributes(of: CommandStatus.fileName) == nil {
            // Never begun, or over and done with: a report would be there.
            _ = try await folder.remove(sent.fileName, holding: sent.data)
            outstanding = nil
            return
        }
        do {
            let ending = try await follow(sent, ignoring: nil) { _ in }
            await tidy(sent, ending: ending)
        } catch let error as DriverError where error.kind != .busy {
            trace.note("“\(sent.fileName)” is given up", error)
        }
        // Still there where the storage failed, which is an error now.
        if outstanding != nil { _ = try await folder.remove(sent.fileName, holding: sent.data) }
        outstanding = nil
    }

    /// Makes sure that nobody else is at work here, before anything is put there for a command.
    /// - Throws: ``DriverError`` (busy); what the storage throws.
    func prepare() async throws {
        try await settle()
        orphan = try await clearFolder()
    }

    /// Makes sure that nobody else is at work here, and removes what nobody waits for: a report, a wish to stop.
    ///
    /// - Returns: The report that was there, should it appear once more.
    /// - Throws: ``DriverError`` (busy).
    func clearFolder() async throws -> Data? {
        let names = try await namesWithoutCommands()
        var orphan: Data?
        if names.contains(CommandStatus.fileName) { orphan = try await clearStatus() }
        if names.contains(CommandStatus.cancelFileName) { try await folder.remove(CommandStatus.cancelFileName) }
        return orphan
    }

    /// The names of the files, in lower case.
    /// - Throws: ``DriverError`` (busy) where a command is among them.
    private func namesWithoutCommands() async throws -> [String] {
        let names = try await folder.names().map { $0.lowercased() }
        if let command = ReaderCommand.Kind.allCases.first(where: { names.contains($0.fileName) }) {
            throw DriverError(
                .busy,
                sentence:
                    "The command “\(command.fileName)” of another program waits in the folder. Try again when it is done."
            )
        }
        return names
    }

    private func clearStatus() async throws -> Data? {
        switch try await orphanedStatus() {
        case .missing, .failed: return nil
        case .tooLarge:
            // It says nothing to anybody.
            try await folder.remove(CommandStatus.fileName)
            return nil
        case .bytes(let data):
            // While it was watched another driver may have begun.
            _ = try await namesWithoutCommands()
            let isRemoved = try await folder.remove(CommandStatus.fileName, holding: data)
            if !isRemoved, try await folder.attributes(of: CommandStatus.fileName) != nil { throw DriverError(.busy) }
            return data
        }
    }

    /// The report that an earlier command left, once it is sure that nobody writes it or waits for it any more: nothing
    /// changes in it.
    private func orphanedStatus() async throws -> StatusWatch.Look {
        let poll = options.poll(isLocal: await isLocal())
        let start = time.elapsed
        var first: (look: StatusWatch.Look, since: Double)?
        while true {
            let (look, failure) = try await look()
            var isFinal = false
            switch look {
            case .missing: return .missing
            case .bytes(let data):
                // Half written or broken: nothing is known, so it is watched like one that is active.
                let status = try? coding.status(in: data)
                if status != nil, let first, first.look != look { throw DriverError(.busy) }
                isFinal = status?.isFinal == true
            case .tooLarge, .failed: break
            }
            if failure == nil, first == nil { first = (look, time.elapsed) }
            if isFinal, let first, time.elapsed - first.since > max(Self.finalReportLimit, 2 * poll) { return look }
            if time.elapsed - start > max(options.stallLimit, Self.finalReportLimit) {
                if let failure { throw failure }
                if !isFinal { return look }
            }
            try await time.sleep(seconds: poll)
        }
    }
}
