import FileProviderCore
import Foundation
import ReaderMessages

/// The work before a command.
extension CommandExchange {
    /// Seconds after which an unchanged final report counts as abandoned: longer than any driver's polling interval.
    private static let finalReportLimit = 3.0

    /// Settles an own command that was not followed to its end.
    func settle() async throws {
        guard let sent = outstanding else { return }
        guard sent.writing.areOver else {
            throw FileError.make(
                .timedOut, url: nil,
                sentence: "The storage has not confirmed “\(sent.fileName)” yet. Try again later.")
        }
        await removeCancelFile()
        if try await folder.attributes(of: CommandStatus.fileName) == nil {
            // The command never began or is over, because there is no report.
            _ = try await folder.remove(sent.fileName, holding: sent.data)
            outstanding = nil
            return
        }
        do {
            let ending = try await follow(sent, ignoring: nil) { _ in }
            await tidy(sent, ending: ending)
        } catch let error as DriverError where error.kind != .busy {
            trace.note("Gave up on “\(sent.fileName)”", error)
        }
        // Still set if the storage failed; a failure now is an error.
        if outstanding != nil { _ = try await folder.remove(sent.fileName, holding: sent.data) }
        outstanding = nil
    }

    /// Makes sure that no other program uses the folder before anything is written for a command.
    /// - Throws: ``DriverError`` (busy); errors of the storage.
    func prepare() async throws {
        try await settle()
        orphan = try await clearFolder()
    }

    /// Makes sure that no other program uses the folder, and removes an abandoned report and an abandoned cancel
    /// request.
    ///
    /// - Returns: The removed report, in case it appears again.
    /// - Throws: ``DriverError`` (busy).
    func clearFolder() async throws -> Data? {
        let names = try await namesWithoutCommands()
        var orphan: Data?
        if names.contains(CommandStatus.fileName) { orphan = try await clearStatus() }
        if names.contains(CommandStatus.cancelFileName) { try await folder.remove(CommandStatus.cancelFileName) }
        return orphan
    }

    /// Returns the names of the files, in lower case.
    /// - Throws: ``DriverError`` (busy) if a command is among them.
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
            // A report of this size is useless to any driver.
            try await folder.remove(CommandStatus.fileName)
            return nil
        case .bytes(let data):
            // Another driver may have begun meanwhile.
            _ = try await namesWithoutCommands()
            let isRemoved = try await folder.remove(CommandStatus.fileName, holding: data)
            if !isRemoved, try await folder.attributes(of: CommandStatus.fileName) != nil { throw DriverError(.busy) }
            return data
        }
    }

    /// Returns the report of an earlier command once it is certain that no program writes it or waits for it: it has
    /// stopped changing, or it ends this driver's last command once more.
    private func orphanedStatus() async throws -> StatusWatch.Look {
        let poll = options.poll(isLocal: await isLocal())
        let start = time.elapsed
        var first: (look: StatusWatch.Look, isReadable: Bool, since: Double)?
        while true {
            let (look, failure) = try await look()
            var isFinal = false
            var isReadable = false
            switch look {
            case .missing: return .missing
            case .bytes(let data):
                // A half-written or broken report is watched like an active one.
                if let status = try? coding.status(in: data) {
                    if let ended, ended.isEnding(status) { return look }
                    isReadable = true
                    isFinal = status.isFinal
                }
            case .tooLarge, .failed: break
            }
            if isReadable, let first, first.isReadable, first.look != look { throw DriverError(.busy) }
            if failure == nil, first == nil || isReadable && first?.isReadable == false {
                first = (look, isReadable, time.elapsed)
            }
            if isFinal, let first, time.elapsed - first.since > max(Self.finalReportLimit, 2 * poll) { return look }
            if time.elapsed - start > max(options.stallLimit, Self.finalReportLimit) {
                if let failure { throw failure }
                if !isFinal { return look }
            }
            try await time.sleep(seconds: poll)
        }
    }
}
