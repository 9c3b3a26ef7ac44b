import ArgumentParser
import Carrel
import Foundation

struct DeviceUpload: DeviceVerb {
    static let configuration = CommandConfiguration(
        commandName: "upload", abstract: "Copy books from this machine to the device.",
        discussion: "A file that is not a book is reported, and the others are uploaded.")
    @OptionGroup var device: DeviceOptions
    @Argument(help: "Files of books.", completion: .location)
    var files: [String]
    @Option(help: "What to do with a book that is already there; the default is from --drivers, else protect.")
    var existing: ExistingBooks?
    @Option(name: .customLong("collection"), help: "A collection for all of them; repeat it for several.")
    var collections: [String] = []
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if files.contains("") { throw ValidationError("A file's name must not be empty.") }
        if collections.contains("") { throw ValidationError("A collection's name must not be empty.") }
        if device.plain != nil, !collections.isEmpty {
            throw ValidationError("--collection needs --staging: a plain folder has no collections.")
        }
    }

    func perform(_ session: Session) async throws {
        let connected = try await Device.connect(device, session)
        var outcome = UploadedFiles(files)
        var items: [UploadItem] = []
        var operands: [Int] = []
        for (operand, file) in files.enumerated() {
            do {
                items.append(try await UploadItem.book(in: file, collections: collections))
                operands.append(operand)
            } catch {
                if files.count == 1 || error.isCancellation || Task.isCancelled { throw error }
                outcome.refuse(operand, error)
            }
        }
        if policy(for: connected) == .update, !items.isEmpty { try await keepWhatIsKnown(to: connected, items: &items) }
        if !items.isEmpty { try await upload(items, of: operands, to: connected, &outcome) }
        try show(outcome, session)
    }

    private func policy(for connected: Device) -> ExistingBookPolicy {
        if let existing { return existing.policy }
        guard case .application(let application) = connected else { return .protect }
        return application.options.existingBooks
    }

    /// Fills in values that the device has and the files don't, for books that are updated.
    private func keepWhatIsKnown(to connected: Device, items: inout [UploadItem]) async throws {
        guard case .application(let application) = connected else { return }
        let known: KeptValues
        do { known = KeptValues(try await application.books().books) } catch let error as DriverError
            where error.kind == .incompatiblePeer || error.kind == .damagedLibrary
        {
            // Without a readable list no book counts as present, so none is updated.
            return
        }
        for operand in items.indices { known.add(to: &items[operand].metadata, collections: collections.isEmpty) }
    }

    /// Sends the items. Reports from before a failure count.
    /// - Throws: The failure, if there is nothing else to report.
    private func upload(_ items: [UploadItem], of operands: [Int], to connected: Device, _ outcome: inout UploadedFiles)
        async throws
    {
        let reported = CollectedValues<UploadReport>()
        let policy = policy(for: connected)
        do {
            let report = try await PartBar.during(common) { bar -> UploadReport in
                switch connected {
                case .application(let application):
                    return try await application.upload(
                        items, policy: policy, progress: bar.progress(), batch: { reported.append($0) })
                case .folder(let driver):
                    return try await driver.upload(items, policy: policy, progress: bar.progress())
                }
            }
            outcome.take(report, of: operands)
        } catch {
            let reports = reported.values
            if reports.isEmpty, operands.count == files.count { throw error }
            for report in reports { outcome.take(report, of: operands) }
            outcome.end(with: error)
        }
    }

    private func show(_ outcome: UploadedFiles, _ session: Session) throws {
        if common.json { try session.output.json(outcome) }
        for book in outcome.books {
            if !common.json, !common.quiet { try session.output.fields([book.outcome.rawValue, book.file]) }
            if let reason = book.reason { say(reason, of: book.file) }
            for warning in book.warnings where !common.quiet { say(warning, of: book.file) }
        }
        for warning in outcome.warnings where !common.quiet { say(warning) }
        guard let (status, sentence) = outcome.failure else { return }
        // Each failed file is already reported; with --quiet, nothing was printed about books that are already there.
        throw CommandFailure(status: status, sentence: sentence, isSaid: status != .exists, hasDocument: common.json)
    }
}

struct DeviceGet: DeviceVerb {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Copy books from the device to a folder on this machine.")
    @OptionGroup var device: DeviceOptions
    @Argument(help: "Books: the uuid, the file name or the title of each.")
    var books: [String]
    @Option(help: "The folder to put them into, under names that are free there.")
    var to = "."
    @OptionGroup var common: CommonOptions

    func validate() throws {
        try Device.check(names: books)
        if to.isEmpty { throw ValidationError("The folder's name must not be empty.") }
    }

    func perform(_ session: Session) async throws {
        let folder = URL(filePath: to, directoryHint: .isDirectory)
        try await requireFolder()
        let (found, results) = try await PartBar.during(common) { bar -> ([LibraryBook], [Result<URL, any Error>]) in
            let connected = try await Device.connect(device, session)
            let found = try await connected.books(named: books, progress: bar.progress(0...0.2))
            switch connected {
            case .application(let application):
                return (found, await application.fetchForImport(found, into: folder, progress: bar.progress(0.2...1)))
            case .folder(let driver):
                return (found, await driver.fetchForImport(found, into: folder, progress: bar.progress(0.2...1)))
            }
        }
        try show(results, found, session)
    }

    /// Checks that the folder exists before the device sends the first book.
    private func requireFolder() async throws {
        let folder = to
        let isThere = try await BlockingThreads.shared.run { () -> Bool in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) && isFolder.boolValue
        }
        if !isThere {
            throw FileError.make(.fileNoSuchFile, path: folder, sentence: "There is no folder “\(folder)”.").at(folder)
        }
    }

    private func show(_ results: [Result<URL, any Error>], _ books: [LibraryBook], _ session: Session) throws {
        var shown = ShownFetch()
        var failures: [ExitStatus] = []
        for (result, book) in zip(results, books) {
            switch result {
            case .success(let file):
                shown.fetched.append(file.path)
                if !common.json, !common.quiet { try session.output.line(file.path) }
            case .failure(let error):
                shown.failed.append(CopyRun.FailedItem(path: book.filename, message: error.innermost.sentence))
                failures.append(ExitStatus(error))
                say(error.innermost.sentence, of: book.filename)
            }
        }
        if common.json { try session.output.json(shown) }
        if failures.isEmpty { return }
        throw CommandFailure(
            status: shown.fetched.isEmpty ? ExitStatus.common(failures) : .partlyDone,
            sentence: "\(failures.count) books could not be fetched.", isSaid: true, hasDocument: common.json)
    }
}

private struct ShownFetch: Encodable {
    var fetched: [String] = []
    var failed: [CopyRun.FailedItem] = []
}

/// ``ExistingBookPolicy`` as an argument.
enum ExistingBooks: String, ExpressibleByArgument, CaseIterable {
    case protect, update, replace

    var policy: ExistingBookPolicy {
        switch self {
        case .protect: .protect
        case .update: .update
        case .replace: .replace
        }
    }
}
