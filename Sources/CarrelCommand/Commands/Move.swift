import ArgumentParser
import Carrel
import Foundation

struct Move: Verb {
    static let configuration = CommandConfiguration(
        commandName: "mv", abstract: "Move or rename.",
        discussion: """
            Between two providers it copies, verifies, then removes; modification times, permissions and extended attributes \
            are kept if both sides can, as with cp --preserve.
            """)

    @Flag(help: "Replace a file that exists.")
    var overwrite = false
    @Argument(help: "What to move.", completion: .location)
    var source: String
    @Argument(help: "Its new name, or an existing folder to move it into.", completion: .location)
    var target: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { source }

    func perform(_ session: Session) async throws {
        let operands = try await session.operands([source, target])
        let pair = Pair(source: operands[0], target: operands[1])
        do { try await move(pair) } catch { throw pair.locate(error) }
    }

    private func move(_ pair: Pair) async throws {
        let item = try await pair.source.provider.attributesOfItem(path: pair.source.path)
        let destination = try await pair.destination(for: item, target: target)
        if pair.source.provider === destination.provider {
            try await pair.source.provider.moveItem(path: pair.source.path, to: destination.path, overwrite: overwrite)
        } else {
            try await moveAcross(pair.source, item: item, to: destination)
        }
    }

    private func moveAcross(_ from: Operand, item: FileObject, to: Operand) async throws {
        if from.path.isRoot {
            throw FileError.make(
                .fileWriteNoPermission, path: from.path, sentence: "The root of a provider cannot be moved.")
        }
        if item.isDirectory, try await !from.provider.capabilities().listsEveryName {
            throw FileError.make(
                .featureUnsupported, path: from.path,
                sentence: "“\(from.path)” cannot be moved to another storage: its server hides names from its listings,"
                    + " and those items would be removed without having been copied.")
        }
        let bar = ProgressBar(isQuiet: common.quiet)
        defer { bar.clear() }
        var copy = TreeCopy(overwrite: overwrite, transfers: common.transfers)
        copy.metadata = CopyMetadata(keptBy: try await to.provider.capabilities())
        if item.isDirectory {
            try await makeRoom(at: to)
            let outcome = try await copy.copyFolder(
                from.path, of: from.provider, to: to.path, of: to.provider, progress: bar.reporter)
            bar.clear()
            for failed in outcome.failed {
                Session.say(failed.error, verb: Self.verb, location: from.shown(of: failed.path))
            }
            guard outcome.failed.isEmpty else {
                throw CommandFailure(
                    status: .partlyDone,
                    sentence: "\(outcome.failed.count) items were not copied; nothing was removed.", isSaid: true)
            }
            if outcome.unverified > 0 { throw Self.unseen(from) }
        } else {
            if item.isSymbolicLink {
                throw FileError.make(
                    .featureUnsupported, path: from.path,
                    sentence: "“\(from.path)” is a symbolic link, which cannot be moved to another provider.")
            }
            let outcome = try await copy.copyFile(
                from.path, of: from.provider, to: to.path, of: to.provider, listed: item, progress: bar.reporter)
            if outcome?.isVerified == false { throw Self.unseen(from) }
        }
        try await from.provider.removeItem(path: from.path)
    }

    /// The failure for a copy that can't be checked: the source may be the only copy, so it is not removed.
    private static func unseen(_ operand: Operand) -> CommandFailure {
        CommandFailure(
            status: .partlyDone,
            sentence: "“\(operand.path)” was copied but not removed: the target doesn't allow a check of the copy."
        )
    }

    /// A moved folder is never merged with another; an empty one is replaced, as within one provider.
    private func makeRoom(at operand: Operand) async throws {
        guard try await operand.itemIfAny() != nil else { return }
        if !overwrite { throw FileError.make(.fileWriteFileExists, path: operand.path) }
        try await operand.provider.removeItem(path: operand.path, recursive: false)
    }
}
