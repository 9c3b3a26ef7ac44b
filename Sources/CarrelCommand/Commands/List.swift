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
            let items = try await Self.items(of: place).sortedByPath()
            if common.json {
                try session.output.json(items.map(ShownItem.init))
            } else {
                for item in items { try session.output.line(long ? item.longLine : item.name) }
            }
        }
    }

    /// The folder's content; of a file, the file itself.
    private static func items(of place: Place) async throws -> [FileObject] {
        do { return try await place.provider.contentsOfDirectory(path: place.path) } catch let error as CocoaError
            where error.underlying as? POSIXError == POSIXError(.ENOTDIR)
        {
            return [try await place.provider.attributesOfItem(path: place.path)]
        }
    }

    private func list(_ place: Place, at path: ProviderPath, _ failures: Collected<any Error>, _ session: Session) async throws {
        for item in try await place.provider.contentsOfDirectory(path: path).sortedByPath() {
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

extension [FileObject] {
    /// In the order of their paths.
    fileprivate func sortedByPath() -> [FileObject] {
        let paths = map(\.path)
        // Indices rather than items, which are large to move about.
        return indices.sorted { paths[$0] < paths[$1] }.map { self[$0] }
    }
}
