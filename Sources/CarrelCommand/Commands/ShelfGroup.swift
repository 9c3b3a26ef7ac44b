import ArgumentParser
import Carrel
import Cryptography
import Foundation
import Shelf

struct ShelfGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shelf",
        abstract: "Keep a catalogue of the books in a folder on any storage, search it and serve it.",
        discussion: """
            The catalogue is a folder on this machine: --folder FOLDER, or one for each location in \
            $XDG_STATE_HOME/carrel/shelves or ~/.local/state/carrel/shelves. One process at a time uses it. Books stay \
            where they are.
            """,
        subcommands: [
            ShelfScan.self, ShelfList.self, ShelfSearch.self, ShelfServe.self, ShelfUserGroup.self,
        ])
}

/// The catalogue that a verb works on.
struct ShelfFolderOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The catalogue's folder on this machine.", valueName: "folder"), completion: .directory)
    var folder: String?

    /// Opens the shelf of `operand`, calls `body` and closes the shelf.
    ///
    /// - Parameter check: Called with the sources that the catalogue has, before `operand` is added.
    func withShelf(
        of operand: Operand, _ session: Session, _ options: ShelfOptions = ShelfOptions(),
        check: @Sendable ([SourceState]) throws -> Void, _ body: (Shelf) async throws -> Void
    ) async throws {
        var options = options
        options.concurrentReads = session.common.transfers
        options.logger = session.logger
        let source = ShelfSource(operand)
        let folder = folder(of: source, session)
        let shelf: Shelf
        do {
            shelf = try await Shelf.open(folder: folder, sources: [source], options: options, check: check)
        } catch { throw error.at(folder.path(percentEncoded: false)) }
        do { try await body(shelf) } catch {
            // The first error is the one to know.
            try? await withCancellationShield { try await shelf.close() }
            throw error
        }
        try await shelf.close()
    }

    /// Opens a shelf as ``withShelf(of:_:_:check:_:)`` does, if `operand` was scanned before. Otherwise makes nothing.
    func withScannedShelf(of operand: Operand, _ session: Session, _ body: (Shelf) async throws -> Void) async throws {
        let source = ShelfSource(operand)
        let option = folder.map { ["--folder", $0] } ?? []
        let scan = (["carrel", ShelfScan.verb] + option.map(\.shellWord) + [operand.shown.shellWord])
            .joined(separator: " ")
        let failure = CommandFailure(
            status: .notFound, sentence: "This folder was never scanned; run “\(scan)” first."
        ).at(operand.shown)
        let file = folder(of: source, session).appending(path: "shelf.sqlite")
        guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else { throw failure }
        let location = source.location
        let check: @Sendable ([SourceState]) throws -> Void = { known in
            let isScanned = known.contains { $0.location == location && ($0.scanned != nil || $0.hasFiles) }
            if !isScanned { throw failure }
        }
        try await withShelf(of: operand, session, check: check, body)
    }

    private func folder(of source: ShelfSource, _ session: Session) -> URL {
        folder.map { URL(filePath: $0) } ?? Self.folder(of: [source], session)
    }

    /// The folder for one or more locations, in any order. Its name says nothing about them.
    static func folder(of sources: [ShelfSource], _ session: Session) -> URL {
        let locations = sources.map(\.location).sorted().joined(separator: "\n")
        let name = Digest(.sha256, of: Data(locations.utf8)).hexadecimal.prefix(32)
        return URL(filePath: StateFolder.path(session.environment)).appending(path: "shelves/\(name)")
    }
}

extension ShelfSource {
    fileprivate init(_ operand: Operand) { self.init(provider: operand.provider, root: operand.path) }
}

struct ShelfScan: Verb {
    static let verb = "shelf scan"
    static let configuration = CommandConfiguration(
        commandName: "scan", abstract: "List a folder once, and read the books that are new or changed.",
        discussion: """
            Prints a line for each change. Files that are no books are refused, each with a sentence. If the listing lacks \
            more than half of the books, they stay until a second scan lacks them, too, or --confirm-removals.
            """)

    @Flag(help: "Remove books from the catalogue whose files are gone, even if they are more than half.")
    var confirmRemovals = false
    @Flag(help: "Read and scale the covers, too.")
    var covers = false
    @Flag(help: "Remove from the catalogue the books of other folders that it has.")
    var replaceSources = false
    @Argument(help: "A folder of books.", completion: .location)
    var location: String
    @OptionGroup var catalogue: ShelfFolderOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(location)
        let lines = ShelfLines(session, operand: operand)
        var options = ShelfOptions()
        options.report = { lines.show($0) }
        let refuse = Self.refuseOthers(than: operand)
        let check: @Sendable ([SourceState]) throws -> Void = { [replaceSources] known in
            if !replaceSources { try refuse(known) }
        }
        try await catalogue.withShelf(of: operand, session, options, check: check) { shelf in
            let report: ScanReport
            do { report = try await shelf.scan(confirmingRemovals: confirmRemovals) } catch {
                throw error.at(operand.shown)
            }
            if covers { try await shelf.makeCovers() }
            if let error = lines.failure { throw error }
            if common.json { try session.output.json(ShownScan(report)) }
            guard report.isComplete else {
                let count = report.postponed
                throw CommandFailure(
                    status: .partlyDone,
                    sentence: count == 1 ? "1 item could not be read." : "\(count) items could not be read.",
                    hasDocument: common.json)
            }
        }
    }

    /// Returns a check that the catalogue has no other sources: the scan would remove their books.
    private static func refuseOthers(than operand: Operand) -> @Sendable ([SourceState]) throws -> Void {
        let (location, shown) = (ShelfSource(operand).location, operand.shown)
        return { known in
            let others = known.filter { $0.hasFiles && $0.location != location }.map(\.location)
            if others.isEmpty { return }
            throw CommandFailure.usage(
                "This catalogue also has the books of \(others.joined(separator: ", ")), which a scan of one folder would "
                    + "remove. Serve all of them, or give --replace-sources."
            ).at(shown)
        }
    }
}

/// Prints what a scan changes: changes to standard output, unless JSON goes there, and problems to standard error.
private final class ShelfLines: Sendable {
    private let session: Session
    private let operand: Operand
    private let firstFailure = LockedValue<(any Error)?>(nil)

    init(_ session: Session, operand: Operand) {
        self.session = session
        self.operand = operand
    }

    /// The first failure to write, such as a closed pipe.
    var failure: (any Error)? { firstFailure.value }

    func show(_ event: ShelfEvent) {
        switch event {
        case .added, .changed, .moved, .removed, .refused: line(event.text { operand.shown(of: $0) })
        case .postponed: problem(event.text { operand.shown(of: $0) })
        // The scan of a single source ends with this error.
        case .interrupted, .resumed: break
        case .withheld(_, let count):
            problem(
                "\(count) books are missing in this listing and stay for now; scan again, or give --confirm-removals.")
        }
    }

    private func line(_ text: String) {
        if session.common.json || session.common.quiet { return }
        do {
            try session.output.line(text)
            try session.output.flush()
        } catch {
            firstFailure.update { $0 = $0 ?? error }
        }
    }

    private func problem(_ text: String) {
        if !session.common.quiet { Output.standardError("carrel: \(ShelfScan.verb) \(operand.shown): \(text)") }
    }
}

/// The result of a scan in the contract's JSON.
private struct ShownScan: Encodable {
    var listed: Int
    var read: Int
    var added: Int
    var changed: Int
    var moved: Int
    var removed: Int
    var refused: Int
    var postponed: Int
    var withheld: Int

    init(_ report: ScanReport) {
        (listed, read, added, changed) = (report.listed, report.read, report.added, report.changed)
        (moved, removed, refused) = (report.moved, report.removed, report.refused)
        (postponed, withheld) = (report.postponed, report.withheld)
    }
}

struct ShelfList: Verb {
    static let verb = "shelf ls"
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the books of a catalogue, as the last scan left it.")

    enum Order: String, ExpressibleByArgument, CaseIterable {
        case title, author, series, added, changed

        var sort: ShelfQuery.Sort {
            switch self {
            case .title: .title
            case .author: .author
            case .series: .series
            case .added: .added
            case .changed: .changed
            }
        }
    }

    @Option(help: ArgumentHelp("The order: title, author, series, added or changed.", valueName: "order"))
    var sort = Order.title
    @Flag(help: "Reverse the order.")
    var reverse = false
    @Flag(help: "List the files that are no books instead.")
    var refused = false
    @Argument(help: "A folder of books.", completion: .location)
    var location: String
    @OptionGroup var catalogue: ShelfFolderOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(location)
        try await catalogue.withScannedShelf(of: operand, session) { shelf in
            if refused { return try await showRefused(of: shelf, operand, session) }
            try await shelf.show(ShelfQuery(sort: sort.sort, isDescending: reverse), limit: nil, operand, session)
        }
    }

    private func showRefused(of shelf: Shelf, _ operand: Operand, _ session: Session) async throws {
        var offset = 0
        while true {
            let files = try await shelf.refused(source: shelf.sourceNumbers.first, limit: 500, offset: offset)
            if files.isEmpty { return }
            offset += files.count
            for file in files {
                if common.json {
                    try session.output.json(ShownRefusal(path: file.path.string, message: file.sentence))
                } else {
                    try session.output.fields([operand.shown(of: file.path), file.sentence])
                }
            }
        }
    }
}

/// A file that is no book in the contract's JSON.
private struct ShownRefusal: Encodable {
    var path: String
    var message: String
}

struct ShelfSearch: Verb {
    static let verb = "shelf search"
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Search a catalogue, as the last scan left it; the best matches come first.",
        discussion: """
            All words must be in the title, authors, series, subjects or description. A word also matches the start of a \
            longer one. Case and accents make no difference. Exit code 3 if there is no such book.
            """)

    @Option(help: ArgumentHelp("The most books.", valueName: "n"))
    var limit: Int?
    @Argument(help: "A folder of books.", completion: .location)
    var location: String
    @Argument(help: "The words to search for.")
    var query: [String]
    @OptionGroup var catalogue: ShelfFolderOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    private var text: String { query.joined(separator: " ") }

    func validate() throws {
        guard limit ?? 1 > 0 else { throw ValidationError("--limit needs a positive number.") }
        guard text.contains(where: { !$0.isWhitespace }) else { throw ValidationError("Which words?") }
    }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(location)
        try await catalogue.withScannedShelf(of: operand, session) { shelf in
            let count = try await shelf.show(
                ShelfQuery(text: text, sort: .relevance), limit: limit, operand, session)
            guard count > 0 else {
                throw CommandFailure(status: .notFound, sentence: "No book has all of these words.")
            }
        }
    }
}

extension Shelf {
    /// Prints the books that match, page by page.
    ///
    /// - Parameter limit: The most books; `nil` for all.
    /// - Returns: How many were printed.
    @discardableResult
    fileprivate func show(_ query: ShelfQuery, limit: Int?, _ operand: Operand, _ session: Session) async throws
        -> Int
    {
        var (query, count) = (query, 0)
        // The catalogue may have the books of other folders, too.
        query.source = sourceNumbers.first
        while true {
            query.offset = count
            query.limit = min(ShelfQuery.maxLimit, (limit ?? .max) - count)
            guard query.limit > 0 else { return count }
            let books = try await books(query).books
            if books.isEmpty { return count }
            count += books.count
            for book in books {
                if session.common.json {
                    try session.output.json(book.json)
                } else {
                    let authors = book.metadata.authors.map(\.name.string).joined(separator: ", ")
                    try session.output.fields([book.metadata.title.string, authors, operand.shown(of: book.path)])
                }
            }
            try session.output.flush()
        }
    }
}

extension ShelfBook {
    /// The book in the contract's JSON, with its metadata as in a Readium manifest.
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "id": .integer(id), "path": .string(path.string), "mediaType": .string(mediaType.string),
            "added": .string(added.shown), "changed": .string(changed.shown), "metadata": metadata.json,
        ]
        members["size"] = fileSize.map { .integer($0) }
        members["modified"] = fileModified.map { .string($0.shown) }
        members["positions"] = positionCount.map { .integer(Int64($0)) }
        return .object(members)
    }
}
