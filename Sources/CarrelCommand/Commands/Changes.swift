import ArgumentParser
import Carrel
import Foundation

struct Move: Verb {
    static let configuration = CommandConfiguration(
        commandName: "mv", abstract: "Move or rename.", discussion: "Between two providers it copies, verifies, then removes.")

    @Flag(help: "Replace a file that exists.")
    var overwrite = false
    @Argument(help: "What to move.")
    var source: String
    @Argument(help: "Its new place; a folder that exists takes it in.")
    var target: String
    @OptionGroup var common: CommonOptions

    func perform(_ session: Session) async throws {
        let places = try await session.locations([source, target])
        let (from, to) = (places[0], places[1])
        var path = to.path
        if try await Self.isFolder(to) { path = try path.appending(nameBytes: from.path.nameBytes) }
        if from.provider === to.provider {
            try await from.provider.moveItem(path: from.path, to: path, overwrite: overwrite)
        } else {
            try await moveAcross(from, to: ProviderLocation(provider: to.provider, path: path))
        }
    }

    private func moveAcross(_ from: ProviderLocation, to: ProviderLocation) async throws {
        let bar = ProgressBar(isQuiet: common.quiet)
        defer { bar.clear() }
        let copy = TreeCopy(overwrite: overwrite, transfers: common.transfers)
        if try await from.provider.attributesOfItem(path: from.path).isDirectory {
            let outcome = try await copy.copyFolder(from.path, of: from.provider, to: to.path, of: to.provider, progress: bar.reporter)
            for item in outcome.failed { Output.standardError("carrel: mv: \(item.error.sentence)") }
            guard outcome.failed.isEmpty else {
                throw CommandFailure(status: .partlyDone, sentence: "Not everything was moved; nothing was removed.")
            }
        } else {
            try await copy.copyFile(from.path, of: from.provider, to: to.path, of: to.provider, progress: bar.reporter)
        }
        try await from.provider.removeItem(path: from.path)
    }

    private static func isFolder(_ place: ProviderLocation) async throws -> Bool {
        do { return try await place.provider.attributesOfItem(path: place.path).isDirectory } catch where error.isNoSuchFile { return false }
    }
}

struct Remove: Verb {
    static let configuration = CommandConfiguration(commandName: "rm", abstract: "Remove files, and folders with -r.")

    @Flag(name: [.customShort("r"), .customShort("R"), .customLong("recursive")], help: "Remove folders with all they hold.")
    var recursive = false
    @Argument(help: "What to remove.")
    var locations: [String]
    @OptionGroup var common: CommonOptions

    func perform(_ session: Session) async throws {
        let places = try await session.locations(locations)
        var failures = 0
        for place in places {
            do { try await remove(place) } catch where places.count > 1 && !error.isCancellation {
                failures += 1
                session.report(error, verb: "rm")
            }
        }
        guard failures == 0 else {
            throw CommandFailure(
                status: failures == places.count ? .failed : .partlyDone, sentence: "\(failures) items were not removed.", isSilent: true)
        }
    }

    private func remove(_ place: ProviderLocation) async throws {
        if !recursive, try await place.provider.attributesOfItem(path: place.path).isDirectory {
            throw FileError.isADirectory(place.path, url: nil, writing: true)
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

    func perform(_ session: Session) async throws {
        let place = try await session.location(location)
        if parents {
            try await place.provider.createFolderWithParents(path: place.path)
        } else {
            try await place.provider.createFolder(path: place.path)
        }
    }
}
