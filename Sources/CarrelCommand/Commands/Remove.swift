import ArgumentParser
import Carrel
import Foundation

struct Remove: Verb {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Remove files, and folders with -r.",
        discussion: """
            In the last part of a path that no shell expands, *, ? and [a-z] stand for the items that match; put it in quotes. \
            Patterns of --include and --exclude, and the paths of --files-from, are relative to the folder; patterns are those of sync's filters. \
            A folder stays if anything in it stays.
            """)

    @Flag(
        name: [.customShort("r"), .customShort("R"), .customLong("recursive")],
        help: "Remove folders with their content.")
    var recursive = false
    @OptionGroup var selected: SelectionOptions
    @Argument(help: "What to remove.", completion: .location)
    var locations: [String]
    @OptionGroup var common: CommonOptions

    var blamed: String? { locations.count == 1 ? locations[0] : nil }

    func validate() throws { try selected.check(recursive: recursive, sources: locations) }

    func perform(_ session: Session) async throws {
        let work = ItemWork(verb: Self.verb)
        let operands = try await session.operands(expanding: locations)
        if selected.filesFrom != nil, operands.count > 1 {
            throw CommandFailure.usage("--files-from works with one folder only.")
        }
        let removal = Removal(
            selection: try selected.selection(), options: selected, isRecursive: recursive, session: session)
        if recursive {
            // Removes them one after another: one may contain another.
            for operand in operands {
                try await work.run(operand.shown, isAlone: operands.count == 1) { try await removal.remove(operand) }
            }
        } else {
            _ = try await work.each(of: operands) { try await removal.remove($0) }
        }
        try removal.end()
        try work.finish("not removed", hasDocument: selected.dryRun)
    }
}

/// The removals of one `rm`.
private final class Removal: Sendable {
    private let selection: Selection
    private let options: SelectionOptions
    private let isRecursive: Bool
    private let session: Session
    /// With `--dry-run --json`, what would be removed.
    private let planned = CollectedValues<String>()
    private let failures = LockedValue(0)

    private struct ShownResult: Encodable {
        var dryRun = true
        var removed: [String]
    }

    init(selection: Selection, options: SelectionOptions, isRecursive: Bool, session: Session) {
        self.selection = selection
        self.options = options
        self.isRecursive = isRecursive
        self.session = session
    }

    func remove(_ operand: Operand) async throws {
        let provider = operand.provider
        if isRecursive, options.isEmpty, !options.dryRun {
            return try await provider.removeItem(path: operand.path, recursive: true)
        }
        // An item that is not a folder is removed; the selection applies only to items in folders.
        guard try await provider.attributesOfItem(path: operand.path).isDirectory else {
            return try await options.dryRun
                ? plan(operand.path, of: operand) : provider.removeItem(path: operand.path, recursive: false)
        }
        if !isRecursive {
            throw FileError.make(
                .fileWriteUnknown, path: operand.path,
                sentence: "“\(operand.path)” is a folder; use -r to remove it with everything in it.",
                underlying: POSIXError(.EISDIR))
        }
        let removal = TreeRemoval(selection.tree, isDryRun: options.dryRun)
        let outcome = try await removal.remove(operand.path, of: provider) { [self] path in
            if options.dryRun { try plan(path, of: operand) }
        }
        for failed in outcome.failed { fail(failed.error, at: failed.path, of: operand) }
        for path in selection.missing {
            let path = operand.path.appending(path)
            fail(FileError.make(.fileReadNoSuchFile, path: path), at: path, of: operand)
        }
    }

    private func fail(_ error: any Error, at path: ProviderPath, of operand: Operand) {
        Session.say(error, verb: Remove.verb, location: operand.shown(of: path))
        failures.update { $0 += 1 }
    }

    /// Prints the document of a dry run.
    ///
    /// - Throws: A failure with exit code 7 if items in a folder were not removed.
    func end() throws {
        if options.dryRun, session.common.json { try session.output.json(ShownResult(removed: planned.values)) }
        let count = failures.value
        guard count == 0 else {
            throw CommandFailure(
                status: .partlyDone,
                sentence: count == 1 ? "1 item was not removed." : "\(count) items were not removed.", isSaid: true,
                hasDocument: options.dryRun)
        }
    }

    private func plan(_ path: ProviderPath, of operand: Operand) throws {
        if session.common.json {
            planned.append(path.string)
        } else if !session.common.quiet {
            try session.output.line("would be removed \(operand.shown(of: path))")
        }
    }
}
