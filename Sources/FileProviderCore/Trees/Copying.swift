import Foundation

/// Copying through this machine, between any two providers. Bytes are streamed, never held as a whole.
public struct TreeCopy: Sendable {
    /// The outcome of a copy of several items.
    public struct Outcome: Sendable {
        /// Files that arrived.
        public var copied = 0
        /// Files that existed already, left by an earlier copy with ``TreeCopy/resumes``.
        public var skipped = 0
        /// Files among ``copied`` that the target does not show after writing (``FileCopy/Outcome/isVerified``).
        public var unverified = 0
        /// Bytes that arrived.
        public var bytes: Int64 = 0
        /// Items that failed, each with its reason; the others were copied.
        public var failed: [(path: ProviderPath, error: any Error)] = []

        /// Creates an outcome without copies and failures.
        public init() {}
    }

    /// Whether existing files are replaced; folders never are.
    public var overwrite: Bool
    /// The metadata to transfer, if both sides have it: of files, and of folders that the copy creates on a target that
    /// sets permissions.
    public var metadata: CopyMetadata
    /// Whether ``metadata`` has modification times.
    public var preservesDates: Bool {
        get { metadata.contains(.modificationDates) }
        set { if newValue { metadata.insert(.modificationDates) } else { metadata.remove(.modificationDates) } }
    }
    /// How each file gets its name.
    public var placement: WriteOptions.Placement
    /// Whether a file that stops leaves a part from which the next copy of the same version continues
    /// (``WriteOptions/resumption``), and whether files that an earlier copy finished are skipped. Set
    /// ``preservesDates`` too, by which such files are recognised if the target keeps dates. A target without
    /// ``Capabilities/Ability/resumingWrites`` keeps no part; each of its files is copied whole or skipped.
    public var resumes = false
    /// Whether files whose size differs from their listing are copied too (``FileCopy/ignoresListedSize``).
    public var ignoresListedSizes = false
    /// Compares each file with its source once it is in place (``FileCopy/verification``), also files that a storage
    /// copies by itself. Skipped files are not compared.
    public var verification: (any CopyVerification)?
    /// Which items below a folder are copied. A folder that is only passed is created once something in it is copied.
    public var selection = TreeSelection.all
    /// Files in flight at once; nil for four, or for as many small ones as suit both sides
    /// (``Capabilities/concurrentTransfers``).
    public var transfers: Int?
    /// Records the items that the copy creates, which then never existed before; nil for a copy that merges into
    /// existing folders.
    var made: MadeItems?

    /// The defaults refuse to overwrite, give copies the time of copying, publish each file, and leave the number of
    /// files in flight to the providers.
    public init(
        overwrite: Bool = false, preservesDates: Bool = false, placement: WriteOptions.Placement = .published,
        transfers: Int? = nil
    ) {
        self.overwrite = overwrite
        metadata = preservesDates ? .modificationDates : []
        self.placement = placement
        self.transfers = transfers.map { max(1, $0) }
    }

    /// Copies one file.
    ///
    /// - Parameter listed: The file as a listing showed it: its date is copied, and the bytes have to be those of this
    ///   file.
    /// - Returns: The written file; nil if ``resumes`` is set and an earlier copy had finished it.
    /// - Throws: As ``FileCopy/write(to:of:options:progress:)``.
    @discardableResult
    public func copyFile(
        _ path: ProviderPath, of provider: any FileProviderReadWrite, to destination: ProviderPath,
        of target: any FileProviderReadWrite,
        listed: FileObject? = nil, progress: ProgressReporter = ProgressReporter()
    ) async throws -> FileCopy.Outcome? {
        var copy = FileCopy(path, of: provider, listed: listed, ignoresListedSize: ignoresListedSizes)
        copy.verification = verification
        // The permissions of a link say nothing about the file that it leads to.
        let isTold = metadata.contains(.permissions) && listed?.isRegularFile == true
        let permissions = isTold ? listed?.permissions.map { $0 & 0o777 } : nil
        let options = WriteOptions(
            overwrite: overwrite, placement: placement, modificationDate: preservesDates ? listed?.modifiedDate : nil,
            permissions: permissions)
        let outcome =
            resumes
            ? try await copy.resume(to: destination, of: target, options: options, progress: progress)
            : try await copy.write(to: destination, of: target, options: options, progress: progress)
        if outcome != nil {
            try await copyExtendedAttributes(
                path, of: provider, to: destination, of: target, permissions: permissions)
        }
        return outcome
    }

    /// Copies the folder at `path` with everything in it to `destination`, whose parent exists. Existing items stay;
    /// files are replaced only with ``overwrite``. The outcome names items that failed, and the others are copied. It
    /// also names a folder whose listing left items out (``Swift/Error/unusableNames``), uses a name twice, or has
    /// items of other folders; those items are not copied.
    ///
    /// - Throws: An error that concerns every item: the folder cannot be listed or created, the disk is full, the login
    ///   fails, cancelled.
    public func copyFolder(
        _ path: ProviderPath, of provider: any FileProvider, to destination: ProviderPath, of target: any FileProvider,
        progress: ProgressReporter = ProgressReporter()
    ) async throws -> Outcome {
        try await checkNotIntoItself(path, of: provider, to: destination, of: target)
        let isNew = try await makeFolder(destination, of: target)
        let capabilities = transfers == nil ? [try await provider.capabilities(), try await target.capabilities()] : []
        var run = Run(
            inFlight: BoundedRun(transfers: transfers, capabilities: capabilities, usual: 4), folders: [path],
            maxDepth: path.components.count + ProviderPath.maxTreeDepth)
        if isNew, !metadata.isEmpty { run.unfinished.append(try await provider.attributesOfItem(path: path)) }
        try await withThrowingTaskGroup(of: BoundedRun<FileResult>.Completion.self) { group in
            while !run.folders.isEmpty {
                let batch = Array(run.folders.suffix(min(run.inFlight.maxCount, Self.maxFoldersAtOnce)))
                run.folders.removeLast(batch.count)
                var items: [FileObject] = []
                for entered in await enter(batch, run.unmade, of: provider, from: path, to: destination, of: target) {
                    if !run.unmade.contains(entered.folder) { run.noteMade(entered.folder, isNew: entered.isNew) }
                    let all = try self.items(of: entered, isTop: entered.folder == path, &run)
                    let taken = all.filter { selection.part(of: $0, below: path) != .leftOut }
                    let isMade = try await makeWay(
                        to: entered.folder, for: taken, &run, from: path, to: destination, of: target)
                    if isMade { items += taken }
                }
                for item in items {
                    let location = Self.target(of: item.path, from: path, to: destination)
                    guard item.isRegularFile else {
                        try note(item, isPassed: selection.part(of: item, below: path) == .passed, &run)
                        continue
                    }
                    let size = item.size ?? 0
                    progress.expectMore(size)
                    while !run.inFlight.hasRoom(for: size), let finished = try await run.inFlight.next(in: &group) {
                        try take(finished, &run)
                    }
                    run.inFlight.start(size, in: &group) {
                        await finish(item, of: provider, to: location, of: target, progress: progress.part())
                    }
                }
            }
            while let finished = try await run.inFlight.next(in: &group) { try take(finished, &run) }
        }
        // Last, and the deepest first: filling a folder changes its time, and its permissions may forbid it.
        for folder in run.unfinished.reversed() {
            do {
                let location = Self.target(of: folder.path, from: path, to: destination)
                try await finish(folder, of: provider, at: location, of: target)
            } catch {
                try record(error, at: folder.path, in: &run.outcome)
            }
        }
        return run.outcome
    }

    /// The state of a copy of a tree. Holds the items of a few folders, and of the rest the folders still to be
    /// entered.
    private struct Run {
        var outcome = Outcome()
        var inFlight: BoundedRun<FileResult>
        var folders: [ProviderPath]
        /// Folders of the source that are passed and not created yet.
        var unmade: Set<ProviderPath> = []
        /// Folders of the source whose copies get their metadata after everything else. Held only for copies with
        /// metadata.
        var unfinished: [FileObject] = []
        /// Folders of the source that are still to be entered or created, for the same purpose.
        var waiting: [ProviderPath: FileObject] = [:]

        /// Records that the copy of a folder exists; `isNew` if this copy created it.
        mutating func noteMade(_ folder: ProviderPath, isNew: Bool) {
            if let item = waiting.removeValue(forKey: folder), isNew { unfinished.append(item) }
        }
        /// The most names in the path of a folder.
        let maxDepth: Int
    }

    private struct FileResult: Sendable {
        let file: FileObject
        let result: Result<FileOutcome, any Error>
    }

    /// The outcome of one file.
    private enum FileOutcome: Sendable {
        case copied(Int64, isVerified: Bool)
        case wasThere
    }

    /// The most folders to create and list at once.
    private static let maxFoldersAtOnce = 16

    private func take(_ finished: FileResult, _ run: inout Run) throws {
        switch finished.result {
        case .success(.copied(let bytes, let isVerified)):
            run.outcome.copied += 1
            run.outcome.bytes += bytes
            if !isVerified { run.outcome.unverified += 1 }
        case .success(.wasThere): run.outcome.skipped += 1
        case .failure(let error): try record(error, at: finished.file.path, in: &run.outcome)
        }
    }

    /// Not a tuple, for the reason that ``BoundedRun/Completion`` gives.
    private struct EnteredFolder: Sendable {
        let index: Int
        let folder: ProviderPath
        let listing: DirectoryListing
        /// Whether this copy created the folder in the target.
        var isNew = false
    }

    /// Creates folders and lists their sources, all at once. The top folder exists, and `unmade` ones are not created.
    private func enter(
        _ folders: [ProviderPath], _ unmade: Set<ProviderPath>, of provider: any FileProvider, from path: ProviderPath,
        to destination: ProviderPath,
        of target: any FileProvider
    ) async -> [EnteredFolder] {
        await withTaskGroup(of: EnteredFolder.self) { group in
            for (index, folder) in folders.enumerated() {
                group.addTask {
                    do {
                        var isNew = false
                        if folder != path, !unmade.contains(folder) {
                            isNew = try await makeFolder(
                                Self.target(of: folder, from: path, to: destination), of: target)
                        }
                        return EnteredFolder(
                            index: index, folder: folder,
                            listing: await provider.listing(path: folder).checked(in: folder), isNew: isNew)
                    } catch {
                        return EnteredFolder(
                            index: index, folder: folder, listing: DirectoryListing(contents: [], error: error))
                    }
                }
            }
            var entered: [EnteredFolder] = []
            for await one in group { entered.append(one) }
            return entered.sorted { $0.index < $1.index }
        }
    }

    private func items(of entered: EnteredFolder, isTop: Bool, _ run: inout Run) throws -> [FileObject] {
        guard let error = entered.listing.error else { return entered.listing.contents }
        // The other items of such a folder are valid.
        let isPartial = error.unusableNames != nil
        if isTop, !isPartial { throw error }
        try record(error, at: entered.folder, in: &run.outcome)
        return isPartial ? entered.listing.contents : []
    }

    /// Creates `folder`, which was entered and may be unmade still, with those above it, if one of its `items` is
    /// copied into it.
    ///
    /// - Returns: False if that failed.
    private func makeWay(
        to folder: ProviderPath, for items: [FileObject], _ run: inout Run, from path: ProviderPath,
        to destination: ProviderPath,
        of target: any FileProvider
    ) async throws -> Bool {
        guard run.unmade.contains(folder), items.contains(where: { selection.part(of: $0, below: path) == .taken })
        else { return true }
        var missing = [folder]
        while let parent = missing[missing.count - 1].parent, run.unmade.contains(parent) { missing.append(parent) }
        do {
            for folder in missing.reversed() {
                let isNew = try await makeFolder(Self.target(of: folder, from: path, to: destination), of: target)
                run.noteMade(folder, isNew: isNew)
                run.unmade.remove(folder)
            }
            return true
        } catch {
            try record(error, at: folder, in: &run.outcome)
            return false
        }
    }

    /// Records a folder to be entered; items that are neither folder nor file are not copied.
    private func note(_ item: FileObject, isPassed: Bool, _ run: inout Run) throws {
        do {
            guard item.isDirectory else { throw Self.uncopied(item) }
            guard item.path.components.count <= run.maxDepth else { throw FileError.tooDeep(item.path) }
            run.folders.append(item.path)
            if !metadata.isEmpty { run.waiting[item.path] = item }
            if isPassed { run.unmade.insert(item.path) }
        } catch {
            try record(error, at: item.path, in: &run.outcome)
        }
    }

    private func finish(
        _ file: FileObject, of provider: any FileProvider, to location: ProviderPath, of target: any FileProvider,
        progress: ProgressReporter
    ) async -> FileResult {
        do {
            let arrived = try await copyOne(file, of: provider, to: location, of: target, progress: progress)
            return FileResult(file: file, result: .success(arrived))
        } catch {
            return FileResult(file: file, result: .failure(error))
        }
    }

    /// Copies a file of a tree. Within one storage that copies by itself, the storage does it.
    private func copyOne(
        _ file: FileObject, of provider: any FileProvider, to location: ProviderPath, of target: any FileProvider,
        progress: ProgressReporter
    ) async throws -> FileOutcome {
        if provider === target, placement == .published, metadata.isEmpty, !resumes,
            try await target.capabilities()[.serverSideCopying] == .native
        {
            try await copyFile(file.path, within: target, to: location, progress: progress)
            await made?.addFile(location, size: file.size, in: target)
            return .copied(file.size ?? 0, isVerified: true)
        }
        let outcome = try await copyFile(
            file.path, of: provider, to: location, of: target, listed: file, progress: progress)
        guard let outcome else { return .wasThere }
        await made?.addFile(location, size: outcome.bytes, written: outcome.file, in: target)
        return .copied(outcome.bytes, isVerified: outcome.isVerified)
    }

    /// Copies a file within a storage that copies by itself.
    ///
    /// - Throws: As the storage, and as ``CopyProof/check(_:)``.
    public func copyFile(
        _ path: ProviderPath, within provider: any FileProvider, to destination: ProviderPath,
        progress: ProgressReporter = ProgressReporter()
    ) async throws {
        let proof = try await verification?.proof(of: path, source: provider, target: provider)
        try await provider.copyItem(path: path, to: destination, overwrite: overwrite, progress: progress)
        try await proof?.check(destination)
    }

    /// - Returns: Whether the folder is new.
    @discardableResult
    private func makeFolder(_ path: ProviderPath, of target: any FileProvider) async throws -> Bool {
        do {
            try await target.createFolder(path: path)
            made?.addFolder(path)
            return true
        } catch let error where error.isFileExists && made == nil {
            // An item that may not be looked at is taken for a folder: writing into it shows whether it is one.
            do { if try await target.attributesOfItem(path: path).isDirectory { return false } } catch let look
                where look.refusesLook
            { return false }
            throw error
        }
    }

    /// Records an error of one item; throws one that the next item would meet as well.
    func record(_ error: any Error, at path: ProviderPath, in outcome: inout Outcome) throws {
        if error.concernsEveryItem { throw error }
        outcome.failed.append((path, error))
    }

    func checkNotIntoItself(
        _ path: ProviderPath, of provider: any FileProvider, to destination: ProviderPath, of target: any FileProvider
    ) async throws {
        guard provider === target, destination.isAtOrBelow(path, with: try await provider.capabilities()) else {
            return
        }
        throw FileError.make(
            .fileWriteInvalidFileName, path: destination,
            sentence: "“\(path)” cannot be copied into itself (“\(destination)”).")
    }

    /// The reason why an item that is neither folder nor file is not copied.
    static func uncopied(_ item: FileObject) -> any Error {
        FileError.make(
            .featureUnsupported, path: item.path,
            sentence:
                "“\(item.path)” is a \(item.isSymbolicLink ? "symbolic link" : "special file"), and is not copied.")
    }

    static func target(of path: ProviderPath, from folder: ProviderPath, to destination: ProviderPath) -> ProviderPath {
        destination.appending(path.relative(to: folder) ?? .root)
    }
}
