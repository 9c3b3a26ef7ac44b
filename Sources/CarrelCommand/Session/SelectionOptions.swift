import ArgumentParser
import Carrel
import Foundation
import Sync

/// The options that select items of a folder for `cp` and `rm`.
struct SelectionOptions: ParsableArguments {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "In folders, include only matching items, with everything in them: *.epub by name, /a/** by path; may be repeated.",
            valueName: "pattern"))
    var include: [String] = []
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "In folders, always exclude matching items, with everything in them; may be repeated.",
            valueName: "pattern"))
    var exclude: [String] = []
    @Option(
        help: ArgumentHelp(
            "In one folder, include only the items in this list, one path below the folder per line; “-” is standard input.",
            valueName: "file"), completion: .file())
    var filesFrom: String?
    @Flag(help: "List what would be done, and change nothing.")
    var dryRun = false

    /// Whether no option selects anything.
    var isEmpty: Bool { include.isEmpty && exclude.isEmpty && filesFrom == nil }

    func validate() throws {
        if let filesFrom, filesFrom != "-", let reason = unreadable(filesFrom) {
            throw ValidationError("The file “\(filesFrom)” cannot be read: \(reason).")
        }
        do { _ = try TreeSelection(including: include, excluding: exclude) } catch {
            throw ValidationError(error.sentence)
        }
    }

    /// Refuses combinations that make no sense.
    func check(recursive: Bool, sources: [String]) throws {
        if !isEmpty, !recursive {
            throw ValidationError("--include, --exclude and --files-from select items in folders; add -r.")
        }
        if filesFrom != nil, sources.count > 1 { throw ValidationError("--files-from works with one folder only.") }
        if filesFrom == "-", sources.contains("-") {
            throw ValidationError("Standard input cannot be both the list and the source.")
        }
    }

    /// - Throws: A usage error for a line of the list that is not a path below the folder.
    func selection() throws -> Selection {
        guard let filesFrom else {
            return Selection(base: try TreeSelection(including: include, excluding: exclude), listed: [])
        }
        let listed = try ListedPaths.read(filesFrom)
        return Selection(base: try TreeSelection(including: include, excluding: exclude, paths: listed), listed: listed)
    }
}

/// The selected items, and the items of a list that were never found.
final class Selection: Sendable {
    let tree: TreeSelection
    private let base: TreeSelection
    private let unmet: LockedValue<Set<ProviderPath>>

    init(base: TreeSelection, listed: Set<ProviderPath>) {
        self.base = base
        let unmet = LockedValue(listed.filter { !$0.isRoot })
        self.unmet = unmet
        tree = TreeSelection { path, isFolder in
            unmet.update { _ = $0.remove(path) }
            return base.part(of: path, isFolder: isFolder)
        }
    }

    /// The items of the list that don't exist. Items in excluded folders may exist.
    var missing: [ProviderPath] {
        unmet.value.filter { path in
            var folder = path.parent
            while let next = folder, !next.isRoot {
                if base.part(of: next, isFolder: true) == .leftOut { return false }
                folder = next.parent
            }
            return true
        }.sorted()
    }
}

/// A list of paths in a local file, one per line.
enum ListedPaths {
    /// The most bytes of a line: more than any path.
    private static let maxLineLength = 1 << 16

    static func read(_ file: String) throws -> Set<ProviderPath> {
        let handle: FileHandle
        if file == "-" {
            handle = .standardInput
        } else if let opened = FileHandle(forReadingAtPath: file) {
            handle = opened
        } else {
            throw CommandFailure.usage("The file “\(file)” cannot be read.")
        }
        var (paths, rest, number) = (Set<ProviderPath>(), [UInt8](), 0)
        func add(_ line: some Sequence<UInt8>) throws {
            number += 1
            do {
                if let path = try TreeSelection.path(ofLine: line) { paths.insert(path) }
            } catch { throw CommandFailure.usage("Line \(number) of “\(file)”: \(error.sentence)") }
        }
        while let piece = try handle.read(upToCount: 1 << 16), !piece.isEmpty {
            rest += piece
            let lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for line in lines.dropLast() { try add(line) }
            rest = lines.last.map(Array.init) ?? []
            guard rest.count <= maxLineLength else {
                throw CommandFailure.usage("Line \(number + 1) of “\(file)” is too long for a path.")
            }
        }
        try add(rest)
        return paths
    }
}
