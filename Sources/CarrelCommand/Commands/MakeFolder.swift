import ArgumentParser
import Carrel
import Foundation

struct MakeFolder: Verb {
    static let configuration = CommandConfiguration(commandName: "mkdir", abstract: "Create a folder.")

    @Flag(
        name: [.customShort("p"), .customLong("parents")], help: "Create missing parents; an existing folder is fine.")
    var parents = false
    @Argument(help: "The new folder.", completion: .location)
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(location)
        if parents {
            try await operand.provider.createFolderWithParents(path: operand.path)
        } else {
            do { try await operand.provider.createFolder(path: operand.path) } catch {
                throw error.naming(missingParentOf: operand.path)
            }
        }
    }
}
