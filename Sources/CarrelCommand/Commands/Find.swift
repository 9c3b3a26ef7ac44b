import ArgumentParser
import Carrel
import Foundation

struct Find: Verb {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "Search a folder and everything below it; results appear as they are found.",
        discussion: """
            All conditions must hold. --query accepts a predicate, such as \
            "name LIKE[c] '*.epub' AND fileSize > 1000000", over the keys \
            \(FileQuery.Key.allCases.map(\.rawValue).joined(separator: ", ")).
            """)

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case file = "f"
        case directory = "d"
    }

    @Option(help: ArgumentHelp("The whole name, with *, ? and [a-z] as in a shell.", valueName: "glob"))
    var name: String?
    @Option(help: ArgumentHelp("Files or folders.", valueName: "f|d"))
    var type: Kind?
    @Option(help: ArgumentHelp("Files of more bytes than this, with K, M or G for 1024s.", valueName: "n"))
    var larger: String?
    @Option(
        help: ArgumentHelp("Changed after this: 2026-01-31 (midnight, UTC) or 2026-01-31T08:30:00Z.", valueName: "date")
    )
    var newer: String?
    @Option(help: ArgumentHelp("Items that match this predicate.", valueName: "predicate"))
    var query: String?
    @Argument(help: "A folder, or a single file.", completion: .location)
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func validate() throws { _ = try wanted() }

    /// Returns the query for all conditions together.
    ///
    /// - Throws: A usage error for an option that can't be parsed.
    private func wanted() throws -> FileQuery {
        var conditions: [FileQuery] = []
        if let name { conditions.append(.name(.glob(name))) }
        if let type { conditions.append(.type(type == .file ? .regular : .directory)) }
        if let larger {
            guard let bytes = ByteText.bytes(larger) else {
                throw ValidationError("--larger needs a number of bytes, such as 500K or 2M.")
            }
            conditions.append(.size(.greater(bytes)))
        }
        if let newer {
            guard let date = DateText.parse(newer) else {
                throw ValidationError("--newer needs a date, such as 2026-01-31 or 2026-01-31T08:30:00Z.")
            }
            conditions.append(.modified(.after(date)))
        }
        if let query {
            do { conditions.append(try FileQuery(format: query)) } catch {
                throw ValidationError("--query: \(error.sentence)")
            }
        }
        return conditions.count == 1 ? conditions[0] : .and(conditions)
    }

    func perform(_ session: Session) async throws {
        let (operand, query) = (try await session.operand(location), try wanted())
        let unlisted = CollectedValues<ProviderPath>()
        do {
            try await operand.provider.searchFiles(
                path: operand.path, recursive: true, query: query, listings: common.transfers ?? 4
            ) {
                unlisted.append($0)
                Session.say($1, verb: Self.verb, location: operand.shown(of: $0))
            } found: {
                try show($0, below: operand, session)
            }
        } catch let error as CocoaError where error.underlying as? POSIXError == POSIXError(.ENOTDIR) {
            var item = try await operand.provider.attributesOfItem(path: operand.path)
            item[.url] = operand.provider.url(of: item.path)
            if try query.evaluate(item) { try show([item], below: operand, session) }
        }
        let count = unlisted.values.count
        guard count == 0 else {
            let sentence = count == 1 ? "1 folder was not searched." : "\(count) folders were not searched."
            throw CommandFailure(status: .partlyDone, sentence: sentence, isSaid: true)
        }
    }

    /// Writes results immediately: someone may be waiting for them.
    private func show(_ items: [FileObject], below operand: Operand, _ session: Session) throws {
        for item in items {
            if common.json {
                try session.output.json(ShownItem(item))
            } else {
                let below = item.path.relative(to: operand.path)
                try session.output.line(
                    below.map { $0.isRoot ? item.name : String($0.string.dropFirst()) } ?? item.name)
            }
        }
        try session.output.flush()
    }
}
