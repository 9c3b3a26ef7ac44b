import ArgumentParser
import Carrel
import Foundation

struct Remove: Verb {
    static let configuration = CommandConfiguration(commandName: "rm", abstract: "Remove files, and folders with -r.")

    @Flag(name: [.customShort("r"), .customShort("R"), .customLong("recursive")], help: "Remove folders with all they hold.")
    var recursive = false
    @Argument(help: "What to remove.")
    var locations: [String]
    @OptionGroup var common: CommonOptions

    var blamed: String? { locations.count == 1 ? locations[0] : nil }

    func perform(_ session: Session) async throws {
        let work = ItemWork(verb: Self.verb)
        let places = try await session.places(locations)
        if recursive {
            // One of them may hold another.
            for place in places { try await work.run(place, isAlone: places.count == 1) { try await remove(place) } }
        } else {
            _ = try await work.each(of: places) { try await remove($0) }
        }
        try work.finish("not removed", hasDocument: false)
    }

    private func remove(_ place: Place) async throws {
        if !recursive, try await place.provider.attributesOfItem(path: place.path).isDirectory {
            throw FileError.make(
                .fileWriteUnknown, path: place.path, sentence: "“\(place.path)” is a folder; say -r to remove it with all it holds.",
                underlying: POSIXError(.EISDIR))
        }
        try await place.provider.removeItem(path: place.path, recursive: recursive)
    }
}

struct MakeFolder: Verb {
    static let configuration = CommandConfiguration(commandName: "mkdir", abstract: "Make a folder.")

    @Flag(name: [.customShort("p"), .customLong("parents")], help: "Make those above it, too; one that exists is fine.")
    var parents = false
    @Argument(help: "The new folder.")
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        let place = try await session.place(location)
        if parents {
            try await place.provider.createFolderWithParents(path: place.path)
        } else {
            do { try await place.provider.createFolder(path: place.path) } catch { throw error.naming(missingParentOf: place.path) }
        }
    }
}
