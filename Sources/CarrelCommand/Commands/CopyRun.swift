import Carrel
import Foundation
import Sync

/// The copies of one `cp`. Copies each source and counts the results.
final class CopyRun: Sendable {
    /// The counts of copied and failed items.
    struct Outcome: Sendable {
        var copied = 0
        var skipped = 0
        var failed: [FailedItem] = []
        var bytes: Int64 = 0
        /// Files whose copies could not be checked.
        var unverified = 0
    }

    /// An item that was not copied, as `--json` shows it.
    struct FailedItem: Encodable, Sendable {
        var path: String
        var message: String
    }

    /// A file that a dry run names, as `--json` shows it.
    struct PlannedFile: Encodable {
        var path: String
        var target: String
        var size: Int64?
    }

    /// With `--dry-run --json`, what would be copied.
    let planned = CollectedValues<PlannedFile>()
    let outcome = LockedValue(Outcome())
    private let verb: Copy
    private let session: Session
    private let bar: ProgressBar
    private let copy: TreeCopy
    private let isAlone: Bool
    private var isDryRun: Bool { verb.selected.dryRun }

    /// - Parameter isAlone: Whether there is one source.
    init(verb: Copy, destination: Operand, isAlone: Bool, selection: Selection, session: Session, bar: ProgressBar)
        async throws
    {
        self.verb = verb
        self.session = session
        self.bar = bar
        self.isAlone = isAlone
        var metadata: CopyMetadata = []
        var mayResume = true
        do {
            if verb.preserve || verb.resume {
                let capabilities = try await destination.provider.capabilities()
                metadata = CopyMetadata(keptBy: capabilities)
                // The date also identifies a finished copy.
                if !verb.preserve { metadata.formIntersection(.modificationDates) }
                mayResume = !verb.resume || capabilities.has(.resumingWrites)
            }
        } catch { throw error.at(destination.shown) }
        if !mayResume {
            throw CommandFailure.usage(
                "--resume needs a target that keeps partial copies: this machine, FTP, SFTP, S3, Nextcloud."
            ).at(destination.shown)
        }
        var copy = TreeCopy(
            overwrite: verb.overwrite, placement: verb.inPlace ? .inPlace : .published,
            transfers: verb.common.transfers)
        copy.metadata = metadata
        copy.resumes = verb.resume
        copy.ignoresListedSizes = verb.ignoreSize
        copy.selection = selection.tree
        if verb.verify { copy.verification = ChecksumVerification() }
        self.copy = copy
    }

    /// Copies one source. A failure ends the command if it is the only source; otherwise it is reported and counted.
    func copy(_ pair: Pair, source: String, target: String) async throws {
        do {
            try await copyOne(pair, source: source, target: target)
        } catch {
            let located = pair.locate(error)
            if isAlone || error.isCancellation || error.endsAll { throw located }
            fail(located, path: pair.source.path, at: pair.source)
        }
    }

    private func copyOne(_ pair: Pair, source: String, target: String) async throws {
        let from = pair.source
        var item = try await from.provider.attributesOfItem(path: from.path)
        // A link is followed, as by cp without -R; with it, a link stays a link if both ends are on one provider.
        let isLink = item.isSymbolicLink && !(verb.recursive && from.provider === pair.target.provider)
        if isLink, try await item.isFolder(of: from) { item.type = .directory }
        if item.isDirectory, !verb.recursive {
            throw FileError.make(
                .fileReadUnknown, path: from.path, sentence: "“\(from.path)” is a folder; use -r to copy it.",
                underlying: POSIXError(.EISDIR))
        }
        // As in POSIX, the content of a folder given as its own “.” is copied into the target.
        let isContent = [".", ".."].contains(source.split(separator: "/").last ?? "") && !source.contains(":")
        let to = item.isDirectory && isContent ? pair.target : try await pair.destination(for: item, target: target)
        if item.isDirectory { return try await copyFolder(from, to: to) }
        if try await isSameFile(item, from, to) {
            throw FileError.make(
                .fileWriteFileExists, path: to.path, sentence: "“\(from.path)” and “\(to.path)” are the same file.")
        }
        try await copyFile(item, from: from, to: to, isLink: isLink)
    }

    /// Whether both names are the same file, which an in-place copy would empty before reading it.
    private func isSameFile(_ item: FileObject, _ from: Operand, _ to: Operand) async throws -> Bool {
        if from.provider === to.provider, from.path == to.path { return true }
        guard from.provider is LocalFileProvider, to.provider is LocalFileProvider, let tag = item.entryTag else {
            return false
        }
        return try await to.itemIfAny()?.entryTag == tag
    }

    private func copyFolder(_ from: Operand, to: Operand) async throws {
        let part =
            if isDryRun {
                try await copy.planFolder(from.path, of: from.provider, to: to.path, of: to.provider) {
                    [self] file, operand in
                    try plan(file, from, at: operand)
                }
            } else {
                try await copy.copyFolder(
                    from.path, of: from.provider, to: to.path, of: to.provider, progress: bar.reporter)
            }
        outcome.update { outcome in
            outcome.copied += part.copied
            outcome.skipped += part.skipped
            outcome.unverified += part.unverified
            outcome.bytes += part.bytes
        }
        for failed in part.failed {
            do {
                // A folder with an incomplete listing is not a link, and is copied without the missing items.
                guard failed.error.unusableNames == nil, try await copyLink(failed.path, from, to: to) else {
                    throw failed.error
                }
            } catch {
                if error.isCancellation { throw error }
                fail(error, path: failed.path, at: from)
            }
        }
    }

    /// Copies a link inside a folder, within one provider. Copies between two providers leave links out.
    private func copyLink(_ path: ProviderPath, _ from: Operand, to: Operand) async throws -> Bool {
        guard from.provider === to.provider, let below = path.relative(to: from.path) else { return false }
        let item = try await from.provider.attributesOfItem(path: path)
        guard item.isSymbolicLink else { return false }
        if isDryRun {
            try plan(item, from, at: to.path.appending(below))
            count(nil)
            return true
        }
        try await from.provider.copyItem(path: path, to: to.path.appending(below), overwrite: verb.overwrite)
        count(nil)
        return true
    }

    private func copyFile(_ item: FileObject, from: Operand, to: Operand, isLink: Bool) async throws {
        if isDryRun {
            var file = item
            // A link given as a source is copied in any case, followed or as a link.
            file.type = .regular
            guard try await copy.plan(file, to: to.path, of: to.provider) else {
                return outcome.update { $0.skipped += 1 }
            }
            try plan(item, from, at: to.path)
            return count(item.size)
        }
        if from.provider === to.provider, !verb.inPlace, !verb.resume, !isLink, copy.metadata.isEmpty {
            try await copy.copyFile(from.path, within: from.provider, to: to.path, progress: bar.reporter)
            return count(item.size)
        }
        let copied = try await copy.copyFile(
            from.path, of: from.provider, to: to.path, of: to.provider, listed: item, progress: bar.reporter)
        if let copied {
            count(copied.bytes, isVerified: copied.isVerified)
        } else {
            outcome.update { $0.skipped += 1 }
        }
    }

    /// Lists a file that a dry run would copy.
    private func plan(_ file: FileObject, _ from: Operand, at target: ProviderPath) throws {
        if verb.common.json {
            planned.append(PlannedFile(path: file.path.string, target: target.string, size: file.size))
        } else if !verb.common.quiet {
            try session.output.line("would be copied \(from.shown(of: file.path))")
        }
    }

    private func count(_ bytes: Int64?, isVerified: Bool = true) {
        outcome.update { outcome in
            outcome.copied += 1
            outcome.unverified += isVerified ? 0 : 1
            outcome.bytes += bytes ?? 0
        }
    }

    /// Reports an item of the list that is not in the source.
    func fail(missing path: ProviderPath, in operand: Operand) {
        let path = operand.path.appending(path)
        fail(FileError.make(.fileReadNoSuchFile, path: path), path: path, at: operand)
    }

    private func fail(_ error: any Error, path: ProviderPath, at operand: Operand) {
        bar.clear()
        Session.say(error, verb: Copy.verb, location: operand.shown(of: path))
        outcome.update { $0.failed.append(FailedItem(path: path.string, message: error.innermost.sentence)) }
    }
}

extension Error {
    /// Whether the next items would fail for the same reason: a full disk.
    fileprivate var endsAll: Bool { (innermost as? CocoaError)?.code == .fileWriteOutOfSpace }
}
