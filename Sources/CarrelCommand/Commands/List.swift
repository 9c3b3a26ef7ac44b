import ArgumentParser
import Carrel
import Foundation

struct List: Verb {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List a folder, sorted by name.",
        discussion: "With --json, one array; with -R and --json, one object a line.", helpNames: .long)

    /// An order other than by name.
    enum Order: EnumerableFlag {
        case newest, largest

        static func name(for order: Order) -> NameSpecification {
            switch order {
            case .newest: .customShort("t")
            case .largest: .customShort("S")
            }
        }

        static func help(for order: Order) -> ArgumentHelp? {
            switch order {
            case .newest: "Newest first; items without a time last."
            case .largest: "Largest first; folders, which have no size, last."
            }
        }
    }

    @Flag(name: .short, help: "Print kind, size and time of each item.")
    var long = false
    @Flag(name: [.customShort("R"), .long], help: "List the folders below, too.")
    var recursive = false
    @Flag(
        name: [.customShort("h"), .long], help: "With -l, print readable sizes, such as 1.5 MiB; never in JSON.")
    var humanReadable = false
    @Flag(exclusivity: .chooseLast)
    var order: Order?
    @Argument(help: "A folder; a file lists itself.", completion: .location)
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(location)
        if recursive {
            let failures = LockedValue(0)
            try await list(operand, at: operand.path, failures, session)
            let count = failures.value
            guard count == 0 else {
                throw CommandFailure(status: .partlyDone, sentence: "\(count) folders were not listed.", isSaid: true)
            }
        } else {
            let listed = try await lines(of: operand, at: operand.path)
            if common.json {
                var array = ItemArray(session.output)
                for line in listed.lines.sorted { try array.add(json: listed.lines.text(of: line)) }
                if let leftOut = listed.leftOut { try array.add(json: Output.encoded(leftOut)) }
                try array.end()
            } else {
                for line in listed.lines.sorted { try show(listed.lines.text(of: line), session) }
            }
            if let leftOut = listed.leftOut { Session.say(leftOut.error, verb: Self.verb, location: operand.shown) }
        }
    }

    private func show(_ text: ArraySlice<UInt8>, _ session: Session) throws {
        try session.output.bytes(text)
        try session.output.bytes(CollectionOfOne(UInt8(ascii: "\n")))
    }

    /// Returns the lines of a folder, or the line of a file.
    private func lines(of operand: Operand, at path: ProviderPath) async throws -> FolderLines {
        let order: ListedLines.Order = order.map { $0 == .newest ? .newest : .largest } ?? .name
        do {
            return try await operand.lines(at: path, order) { put($0, below: operand, into: &$1) }
        } catch let error as CocoaError
            where path == operand.path && error.underlying as? POSIXError == POSIXError(.ENOTDIR)
        {
            let item = try await operand.provider.attributesOfItem(path: path)
            var lines = ListedLines(order)
            lines.add(item) { put(item, below: operand, into: &$0) }
            return FolderLines(lines: lines)
        }
    }

    /// Appends the line of an item, without its end.
    private func put(_ item: FileObject, below operand: Operand, into line: inout [UInt8]) {
        if common.json { return ShownItem(item).put(into: &line) }
        var shown = item
        if recursive, let below = item.path.relative(to: operand.path), !below.isRoot {
            shown.name = String(below.string.dropFirst())
        }
        line += (long ? shown.longLine(isRounded: humanReadable) : shown.name).onOneLine.utf8
    }

    private func list(_ operand: Operand, at path: ProviderPath, _ failures: LockedValue<Int>, _ session: Session)
        async throws
    {
        let listed = try await lines(of: operand, at: path)
        if let leftOut = listed.leftOut {
            Session.say(leftOut.error, verb: Self.verb, location: operand.shown(of: path))
            if common.json { try session.output.json(leftOut) }
        }
        for line in listed.lines.sorted {
            try show(listed.lines.text(of: line), session)
            guard line.isFolder else { continue }
            let folder = try path.appending(nameBytes: listed.lines.name(of: line))
            do { try await list(operand, at: folder, failures, session) } catch let error as CocoaError
                where !error.isCancellation
            {
                failures.update { $0 += 1 }
                Session.say(error, verb: Self.verb, location: operand.shown(of: folder))
            }
        }
    }
}
