import ArgumentParser
import Carrel
import Foundation

struct List: Verb {
    static let configuration = CommandConfiguration(commandName: "ls", abstract: "List a folder, sorted by name.")

    @Flag(name: .short, help: "One line for each item with kind, size and time.")
    var long = false
    @Flag(name: [.customShort("R"), .long], help: "Go through the folders below, too.")
    var recursive = false
    @Argument(help: "A folder; a file lists itself.")
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        let place = try await session.place(location)
        if recursive {
            let failures = Collected<any Error>()
            try await list(place, at: place.path, failures, session)
            guard failures.values.isEmpty else {
                throw CommandFailure(status: .partlyDone, sentence: "\(failures.values.count) folders were not listed.", isSaid: true)
            }
        } else {
            let (items, leftOut) = try await Self.items(of: place)
            let sorted = items.sortedByPath()
            if common.json {
                try session.output.json(sorted.map { Shown.item(ShownItem($0)) } + [leftOut].compactMap { $0.map(Shown.leftOut) })
            } else {
                for item in sorted { try session.output.line(long ? item.longLine : item.name) }
            }
            if let leftOut { Session.say(leftOut.error, verb: Self.verb, location: place.shown) }
        }
    }

    /// The folder's content, and what its listing left out; of a file, the file itself.
    private static func items(of place: Place) async throws -> (items: [FileObject], leftOut: ShownLeftOut?) {
        do { return try await items(of: place, at: place.path) } catch let error as CocoaError
            where error.underlying as? POSIXError == POSIXError(.ENOTDIR)
        {
            return ([try await place.provider.attributesOfItem(path: place.path)], nil)
        }
    }

    private static func items(of place: Place, at path: ProviderPath) async throws -> (items: [FileObject], leftOut: ShownLeftOut?) {
        let listing = await place.provider.listing(path: path)
        guard let error = listing.error else { return (listing.contents, nil) }
        guard let names = error.unusableNames else { throw error }
        return (listing.contents, ShownLeftOut(path, names, error))
    }

    private func list(_ place: Place, at path: ProviderPath, _ failures: Collected<any Error>, _ session: Session) async throws {
        let (items, leftOut) = try await Self.items(of: place, at: path)
        if let leftOut {
            Session.say(leftOut.error, verb: Self.verb, location: place.shown(of: path))
            if common.json { try session.output.json(leftOut) }
        }
        for item in items.sortedByPath() {
            if common.json {
                try session.output.json(ShownItem(item))
            } else {
                var shown = item
                shown.name = item.path.relative(to: place.path)?.string.dropFirst().description ?? item.name
                try session.output.line(long ? shown.longLine : shown.name)
            }
            guard item.isDirectory else { continue }
            do { try await list(place, at: item.path, failures, session) } catch let error as CocoaError where !error.isCancellation {
                failures.append(error)
                Session.say(error, verb: Self.verb, location: place.shown(of: item.path))
            }
        }
    }
}

/// One element of the array that `--json` prints.
private enum Shown: Encodable {
    case item(ShownItem)
    case leftOut(ShownLeftOut)

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .item(let item): try item.encode(to: encoder)
        case .leftOut(let leftOut): try leftOut.encode(to: encoder)
        }
    }
}

/// What a listing left out, because no path here can name it, in the contract's JSON.
private struct ShownLeftOut: Encodable {
    /// The folder.
    var path: String
    var leftOut: Int
    var firstLeftOut: String
    var message: String
    let error: any Error

    private enum CodingKeys: CodingKey { case path, leftOut, firstLeftOut, message }

    init(_ folder: ProviderPath, _ names: UnusableNames, _ error: any Error) {
        (path, leftOut, firstLeftOut) = (folder.string, names.count, names.first)
        (message, self.error) = (error.sentence, error)
    }
}

extension [FileObject] {
    /// In the order of their paths.
    fileprivate func sortedByPath() -> [FileObject] {
        let paths = map(\.path)
        // Indices rather than items, which are large to move about.
        return indices.sorted { paths[$0] < paths[$1] }.map { self[$0] }
    }
}
