import ArgumentParser
import Carrel
import Foundation

struct ShowTree: Verb {
    static let configuration = CommandConfiguration(
        commandName: "tree", abstract: "Show a folder and everything below it as a tree, sorted by name.",
        discussion: "With --json, each item is an object, and a folder has its items under “children”.")

    @Option(name: [.customShort("d"), .long], help: ArgumentHelp("Go at most this many folders deep.", valueName: "n"))
    var depth: Int?
    @Argument(help: "A folder.", completion: .location)
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func validate() throws {
        if let depth, depth < 1 { throw ValidationError("--depth needs a number of 1 or more.") }
    }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(location)
        let item = try await operand.provider.attributesOfItem(path: operand.path)
        let run = TreeRun(operand, depth: min(depth ?? .max, ProviderPath.maxTreeDepth), session: session)
        if common.json { try await run.showJSON(item) } else { try await run.showLines() }
        try run.end()
        let count = run.failures.value
        guard count == 0 else {
            let sentence = count == 1 ? "1 folder was not listed in full." : "\(count) folders were not listed in full."
            throw CommandFailure(status: .partlyDone, sentence: sentence, isSaid: true, hasDocument: common.json)
        }
    }
}

/// One tree. Holds the lines of each folder on the current path, and of a few that come next.
private final class TreeRun: Sendable {
    private typealias Listings = ThrowingTaskGroup<FoldersAhead.ListingResult, any Error>
    private typealias Put = @Sendable (FileObject, inout [UInt8]) -> Void

    let failures = LockedValue(0)
    private let operand: Operand
    private let depth: Int
    private let session: Session
    private let room: ListingRoom
    private let counts = LockedValue(TreeSize())
    /// The error that ended the listing early. The rest of the tree is left out, and the document is completed.
    private let ending = LockedValue<(any Error)?>(nil)

    init(_ operand: Operand, depth: Int, session: Session) {
        self.operand = operand
        self.depth = depth
        self.session = session
        room = ListingRoom(operand.provider)
    }

    // MARK: JSON

    /// Writes the document: an object that begins with `children`, which is written as the listings arrive.
    func showJSON(_ top: FileObject) async throws {
        var json: [UInt8] = []
        ShownItem(top).put(into: &json)
        // The folder must exist to be listed.
        let lines = top.isRegularFile ? nil : try await operand.lines(at: operand.path, put: Self.json)
        try await show(json[...], lines, at: operand.path, depth: 1)
        try session.output.bytes(CollectionOfOne(UInt8(ascii: "\n")))
    }

    private static let json: Put = { ShownItem($0).put(into: &$1) }

    private func show(_ object: ArraySlice<UInt8>, _ listed: FolderLines?, at path: ProviderPath, depth: Int)
        async throws
    {
        guard let listed else { return try session.output.bytes(object) }
        note(listed.leftOut, at: path)
        try session.output.bytes(#"{"children":["#.utf8)
        var isFirst = true
        let lines = listed.lines.sorted
        try await withThrowingTaskGroup(of: FoldersAhead.ListingResult.self) { group in
            var folders = ahead(lines, of: listed, at: path, depth: depth, put: Self.json)
            for line in lines {
                if !isFirst { try session.output.bytes(CollectionOfOne(UInt8(ascii: ","))) }
                isFirst = false
                let below = try path.appending(nameBytes: listed.lines.name(of: line))
                let lines = isEntered(line, depth: depth) ? try await next(&folders, &group, at: below) : nil
                try await show(listed.lines.text(of: line), lines, at: below, depth: depth + 1)
            }
        }
        try session.output.bytes("],".utf8)
        try session.output.bytes(object.dropFirst())
    }

    // MARK: Text

    func showLines() async throws {
        let lines = try await operand.lines(at: operand.path, put: Self.name)
        try session.output.line(operand.shown)
        try await show(lines, at: operand.path, indent: "", depth: 1)
        let counts = counts.value
        let (folders, files) = (counts.folders, counts.files)
        try session.output.line(
            "\(folders == 1 ? "1 folder" : "\(folders) folders"), \(files == 1 ? "1 file" : "\(files) files")")
    }

    private static let name: Put = { item, line in
        line += item.name.onOneLine.utf8
        if let target = item.linkTarget { line += (" -> " + String(decoding: target, as: UTF8.self)).onOneLine.utf8 }
    }

    private func show(_ listed: FolderLines, at path: ProviderPath, indent: String, depth: Int) async throws {
        note(listed.leftOut, at: path)
        let lines = listed.lines.sorted
        try await withThrowingTaskGroup(of: FoldersAhead.ListingResult.self) { group in
            var folders = ahead(lines, of: listed, at: path, depth: depth, put: Self.name)
            for (index, line) in lines.enumerated() {
                let isLast = index == lines.count - 1
                try session.output.bytes((indent + (isLast ? "└── " : "├── ")).utf8)
                try session.output.bytes(listed.lines.text(of: line))
                try session.output.bytes(CollectionOfOne(UInt8(ascii: "\n")))
                counts.update { if line.isFolder { $0.folders += 1 } else { $0.files += 1 } }
                guard isEntered(line, depth: depth) else { continue }
                let below = try path.appending(nameBytes: listed.lines.name(of: line))
                guard let lines = try await next(&folders, &group, at: below) else { continue }
                try await show(lines, at: below, indent: indent + (isLast ? "    " : "│   "), depth: depth + 1)
            }
        }
    }

    // MARK: Listing

    private func isEntered(_ line: ListedLines.Line, depth: Int) -> Bool { line.isFolder && depth < self.depth }

    /// Returns the folders among `lines` that are entered.
    private func ahead(
        _ lines: [ListedLines.Line], of listed: FolderLines, at path: ProviderPath, depth: Int, put: @escaping Put
    ) -> FoldersAhead {
        let operand = operand
        return FoldersAhead(lines.filter { isEntered($0, depth: depth) }, room: room) { line in
            try path.appending(nameBytes: listed.lines.name(of: line))
        } list: { path in
            try await operand.lines(at: path, put: put)
        }
    }

    /// Returns the lines of the next subfolder, at `path`, or reports an error and returns `nil` if it can't be listed.
    private func next(_ folders: inout FoldersAhead, _ group: inout Listings, at path: ProviderPath) async throws
        -> FolderLines?
    {
        if ending.value != nil { return nil }
        do { return try await folders.next(&group) } catch {
            fail(error, at: path)
            if error.concernsEveryItem {
                ending.update { $0 = error }
                group.cancelAll()
            }
            return nil
        }
    }

    /// - Throws: The error that ended the listing early.
    func end() throws {
        guard let error = ending.value else { return }
        throw CommandFailure(
            status: ExitStatus(error), sentence: error.sentence, isSaid: !error.isCancellation,
            hasDocument: session.common.json)
    }

    private func note(_ leftOut: ShownLeftOut?, at path: ProviderPath) {
        if let leftOut { fail(leftOut.error, at: path) }
    }

    private func fail(_ error: any Error, at path: ProviderPath) {
        if error.isCancellation { return }
        Session.say(error, verb: ShowTree.verb, location: operand.shown(of: path))
        failures.update { $0 += 1 }
    }
}
