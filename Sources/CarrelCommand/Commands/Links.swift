import ArgumentParser
import Carrel
import Foundation

struct MakeLink: Verb {
    static let configuration = CommandConfiguration(
        commandName: "ln", abstract: "Create a symbolic link if the storage supports them.")

    @Flag(
        name: [.customShort("s"), .customLong("symbolic")], help: "Required: only symbolic links are supported."
    )
    var symbolic = false
    @Argument(
        help:
            "The link's target, relative to the link's folder unless it starts with a slash. It need not exist."
    )
    var target: String
    @Argument(help: "The new link.", completion: .location)
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        guard symbolic else { throw CommandFailure.usage("Only symbolic links can be created; add -s.") }
        let operand = try await session.operand(location)
        guard let provider = operand.provider as? any FileProviderSymbolicLink else {
            throw FileError.unsupported("make symbolic links", by: operand.provider.type, path: operand.path)
        }
        do { try await provider.createSymbolicLink(path: operand.path, text: target) } catch {
            throw error.naming(missingParentOf: operand.path)
        }
    }
}

struct ReadLink: Verb {
    static let configuration = CommandConfiguration(
        commandName: "readlink", abstract: "Print the target of a symbolic link.")

    @Argument(help: "The link.", completion: .location)
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    private struct ShownResult: Encodable {
        let linkTarget: String
    }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(location)
        let item = try await operand.provider.attributesOfItem(path: operand.path)
        guard let text = item.linkTargetText else {
            throw FileError.make(
                .fileReadUnknown, path: operand.path, sentence: "“\(operand.path)” is not a symbolic link.")
        }
        if common.json { return try session.output.json(ShownResult(linkTarget: text)) }
        try session.output.line(text)
    }
}

struct Share: Verb {
    static let configuration = CommandConfiguration(
        commandName: "share",
        abstract: "Print a public link to the item if the server supports them.")

    @Argument(help: "What to share.", completion: .location)
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    private struct ShownResult: Encodable {
        let url: String
        let expiration: Date?
    }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(location)
        guard let provider = operand.provider as? any FileProviderSharing else {
            throw FileError.unsupported("make public links", by: operand.provider.type, path: operand.path)
        }
        let link = try await provider.publicLink(to: operand.path)
        if common.json {
            return try session.output.json(ShownResult(url: link.url.absoluteString, expiration: link.expiration))
        }
        try session.output.line(link.url.absoluteString)
    }
}
