import ArgumentParser
import Carrel
import Foundation

struct MakeFolder: Verb {
    static let configuration = CommandConfiguration(commandName: "mkdir", abstract: "Make a folder.")

    @Flag(
        name: [.customShort("p"), .customLong("parents")], help: "Make those above it, too; one that exists is fine.")
    var parents = false
    @Argument(help: "The new folder.", completion: .location)
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        let place = try await session.place(location)
        if parents {
            try await place.provider.createFolderWithParents(path: place.path)
        } else {
            do { try await place.provider.createFolder(path: place.path) } catch {
                throw error.naming(missingParentOf: place.path)
            }
        }
    }
}
