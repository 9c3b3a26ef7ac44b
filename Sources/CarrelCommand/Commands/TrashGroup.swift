import ArgumentParser
import Carrel
import Foundation

struct TrashGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trash", abstract: "List and restore removed items, if the storage has its own trash.",
        discussion: "Nextcloud has a trash. S3 buckets with versioning keep removed objects behind a delete marker.",
        subcommands: [ListTrash.self, RestoreTrash.self, RemoveTrash.self])
}

struct ListTrash: Verb {
    static let verb = "trash ls"
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the items removed from a folder and below it, the last removed first.")

    @Argument(help: "A folder.", completion: .location)
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    private struct ShownItem: Encodable {
        let id: String
        let path: String
        let name: String
        let type: String
        let size: Int64?
        let removed: String?

        init(_ item: TrashItem) {
            (id, path, name) = (item.identifier, item.path.string, item.path.name)
            (type, size, removed) = (item.type.rawValue, item.size, item.removedDate?.shown)
        }
    }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(location)
        let items = try await operand.trashProvider().trashItems(below: operand.path)
        if common.json { return try session.output.json(items.map(ShownItem.init)) }
        for item in items {
            try session.output.fields([
                item.identifier, item.removedDate?.shown ?? "-", item.size.map { "\($0)" } ?? "-", item.path.string,
            ])
        }
    }
}

struct RestoreTrash: Verb {
    static let verb = "trash restore"
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Put a removed item back in its place; nothing is replaced.")

    @Argument(help: "The folder it was removed from, or one above it.", completion: .location)
    var location: String
    @Argument(help: "The item’s identifier or its path, as “trash ls” shows them.")
    var identifier: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(location)
        try await operand.trashProvider().restore(try await operand.trashItem(identifier))
    }
}

struct RemoveTrash: Verb {
    static let verb = "trash rm"
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Remove an item from the trash for good, on S3 with all its versions.")

    @Argument(help: "The folder it was removed from, or one above it.", completion: .location)
    var location: String
    @Argument(help: "The item’s identifier or its path, as “trash ls” shows them.")
    var identifier: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(location)
        try await operand.trashProvider().removeFromTrash(try await operand.trashItem(identifier))
    }
}

extension Operand {
    /// - Throws: `CocoaError(.featureUnsupported)` for a storage without a trash.
    fileprivate func trashProvider() throws -> any FileProviderTrash {
        guard let provider = provider as? any FileProviderTrash else {
            throw FileError.make(
                .featureUnsupported, path: path, sentence: "The storage of “\(path)” has no trash.")
        }
        return provider
    }

    /// - Parameter name: An identifier or, where no item has it, a path.
    /// - Throws: `CocoaError(.fileNoSuchFile)` if the trash has no such item; a failure of usage if it has several, as
    ///   for a path that was removed twice.
    fileprivate func trashItem(_ name: String) async throws -> TrashItem {
        let items = try await trashProvider().trashItems(below: path)
        let identified = items.filter { $0.identifier == name }
        let fitting = identified.isEmpty ? items.filter { $0.path.string == name } : identified
        guard let item = fitting.first else {
            throw FileError.make(
                .fileNoSuchFile, path: path,
                sentence: "“\(name)” is not among the items removed from “\(path)”.")
        }
        guard fitting.count == 1 else {
            let other = identified.isEmpty ? "identifier" : "path"
            throw CommandFailure.usage("“\(name)” matches \(fitting.count) removed items; give the \(other) of one.")
        }
        return item
    }
}
