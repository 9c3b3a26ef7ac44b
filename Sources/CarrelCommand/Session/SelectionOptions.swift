import ArgumentParser
import Carrel
import Foundation
import Sync

/// What of a folder `cp` and `rm` are about.
struct SelectionOptions: ParsableArguments {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Of folders, take only what matches, with all in it: *.epub by name, /a/** by path; may be repeated.",
            valueName: "pattern"))
    var include: [String] = []
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Of folders, leave out what matches, with all in it, whatever else is said; may be repeated.",
            valueName: "pattern"))
    var exclude: [String] = []
    @Option(
        help: ArgumentHelp(
            "Of one folder, take only the items that this file lists, a path below the folder a line; “-” is standard input.",
            valueName: "file"), completion: .file())
    var filesFrom: String?
    @Flag(help: "Name what would be done, and change nothing.")
    var dryRun = false

    /// Whether anything is left out.
    var isEmpty: Bool { include.isEmpty && exclude.isEmpty && filesFrom == nil }

    func validate() throws {
        if let filesFrom, filesFrom != "-", let reason = unreadable(filesFrom) {
            throw ValidationError("The file “\(filesFrom)” cannot be read: \(reason).")
        }
        do { _ = try TreeSelection(including: include, excluding: exclude) } catch {
            throw ValidationError(error.sentence)
        }
    }

    /// Refuses what makes no sense together.
    func check(recursive: Bool, sources: [String]) throws {
        if !isEmpty, !recursive {
            throw ValidationError("--include, --exclude and --files-from are about what is in folders: say -r, too.")
        }
        if filesFrom != nil, sources.count > 1 { throw ValidationError("--files-from goes with one folder.") }
        if filesFrom == "-", sources.contains("-") {
            throw ValidationError("Standard input cannot be both the list and what is copied.")
        }
    }

    /// - Throws: A usage error for a line of the list that names nothing below the folder.
    func selection() throws -> Selection {
        guard let filesFrom else {
            return Selection(base: try TreeSelection(including: include, excluding: exclude), listed: [])
        }
        let listed = try ListedPaths.read(filesFrom)
        return Selection(base: try TreeSelection(including: include, excluding: exclude, paths: listed), listed: listed)
    }
}

/// What takes part, and which items of a list were never met.
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

    /// Items of the list that are not there. Those in folders that are left out may be.
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

/// A list of paths in a file of this machine, one a line.
enum ListedPaths {
    /// Bytes that a line may have: more than any path.
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
                throw CommandFailure.usage("Line \(number + 1) of “\(file)” is no path: it is too long.")
            }
        }
        try add(rest)
        return paths
    }
}
