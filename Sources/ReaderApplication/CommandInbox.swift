import Cryptography
import FileProviderCore
import Foundation
import ReaderMessages

/// A command in the staging folder: its bytes at one moment, and its identity.
struct FoundCommand: Sendable {
    /// The name of its file as the storage spells it.
    let fileName: String
    /// Its bytes, or `nil` if the file is not read.
    let data: Data?
    /// The decoded content.
    let content: Content
    /// The identity, or `nil` for a command that can't be carried out.
    let identity: CommandIdentity?

    enum Content: Sendable {
        case command(ReaderCommand, MessageNotes)
        /// A command that can't be carried out, with the reason.
        case unusable(String)
    }

    init(_ fileName: String, _ data: Data?, unusable sentence: String) {
        self.fileName = fileName
        self.data = data
        content = .unusable(sentence)
        identity = nil
    }

    init(_ fileName: String, _ data: Data, _ command: ReaderCommand, _ notes: MessageNotes) {
        self.fileName = fileName
        self.data = data
        content = .command(command, notes)
        identity = CommandIdentity(kind: command.kind, digest: Self.digest(of: data), timestamp: notes.timestampText)
    }

    /// Returns the SHA-256, in hexadecimal digits.
    static func digest(of data: Data) -> String { Digest(.sha256, of: data).hexadecimal }
}

/// Finds complete commands in the staging folder.
struct CommandInbox {
    /// The most files that are read each time. A driver leaves one.
    private static let maxFiles = 16
    /// Seconds between two looks at a command that could not be removed; drivers wait longer.
    private static let leftPause = 5.0

    private let folder: StagingFolder
    private let coding: MessageCoding
    private let options: ApplicationOptions
    private let time: any TimeSource
    /// Incomplete commands by file name: their digest, and since when.
    private var unfinished: [String: (digest: String, since: Double)] = [:]
    /// Files of unknown commands from before the application connected.
    private var strangers: Set<String>
    /// Finished commands that could not be removed, by file name.
    private var left: [String: Left] = [:]

    private struct Left {
        let data: Data?
        /// The version of the file when it was last read, and the time of that; `nil` before.
        var read: (version: Version, at: Double)?
    }

    private struct Version: Equatable {
        let size: Int64?
        let tag: String?
        let modified: Date?

        init(_ file: FileObject) { (size, tag, modified) = (file.size, file.entryTag, file.modifiedDate) }
    }

    /// - Parameter found: The content of the folder before the application was announced to drivers.
    init(folder: StagingFolder, found: [FileObject], options: ApplicationOptions, time: any TimeSource) {
        // No connected driver waits for these.
        strangers = Set(found.map(\.name).filter { Self.isCommand($0) && Self.kind(of: $0) == nil })
        self.folder = folder
        self.options = options
        self.coding = options.coding
        self.time = time
    }

    /// Returns the next command among `files`, the content of the folder, or `nil` if there is none.
    ///
    /// The driver's timestamps decide; if they don't, deletions come before uploads, and uploads before changes. An
    /// incomplete command is left for later, until it has not changed for ``ApplicationOptions/incompleteTime``.
    mutating func next(among files: [FileObject]) async throws -> FoundCommand? {
        let names = Set(files.map(\.name))
        unfinished = unfinished.filter { names.contains($0.key) }
        left = left.filter { names.contains($0.key) }
        strangers.formIntersection(names)
        var best: FoundCommand?
        let strange = strangers
        for file in files.lazy.filter({ Self.isCommand($0.name) && !strange.contains($0.name) }).prefix(Self.maxFiles) {
            if isLeftUnchanged(file) { continue }
            guard let found = try await command(in: file) else { continue }
            if let known = left[found.fileName], known.data == found.data {
                let now = time.elapsed
                left[found.fileName]?.read = (Version(file), now)
                continue
            }
            if let kept = best, !Self.comesFirst(found, kept) { continue }
            best = found
        }
        return best
    }

    /// Skips `command` from now on, until its file changes.
    mutating func leave(_ command: FoundCommand) { left[command.fileName] = Left(data: command.data) }

    /// Whether the file is a skipped command that was read recently. A change that the listing doesn't show is noticed
    /// a little later.
    private func isLeftUnchanged(_ file: FileObject) -> Bool {
        guard let read = left[file.name]?.read else { return false }
        return read.version == Version(file) && time.elapsed - read.at < Self.leftPause
    }

    /// Whether `name` is that of a command: any XML file in this folder except the application's own.
    static func isCommand(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasSuffix(".xml") && !name.hasPrefix(".")
            && ![ConnectedMessage.fileName, CommandStatus.fileName, "backup.xml"].contains(name)
    }

    private static func kind(of name: String) -> ReaderCommand.Kind? {
        ReaderCommand.Kind.allCases.first { $0.fileName == name.lowercased() }
    }

    private mutating func command(in file: FileObject) async throws -> FoundCommand? {
        guard Self.kind(of: file.name) != nil else {
            return FoundCommand(file.name, nil, unusable: "This application does not support the command.")
        }
        if let size = file.size, size > Int64(options.largestCommand) { return tooLarge(file.name) }
        do {
            guard let data = try await folder.read(file.name, limit: options.largestCommand) else { return nil }
            return decoded(file.name, data)
        } catch let error as CocoaError where error.code == .fileReadTooLarge {
            return tooLarge(file.name)
        } catch let error as CocoaError where !error.isTransient && !error.isCancellation {
            return FoundCommand(file.name, nil, unusable: "The command cannot be read: \(error.sentence)")
        }
    }

    private mutating func decoded(_ name: String, _ data: Data) -> FoundCommand? {
        do {
            let (command, notes) = try coding.command(named: name.lowercased(), in: data)
            unfinished[name] = nil
            return FoundCommand(name, data, command, notes)
        } catch {
            if (error as? MessageFailure)?.kind == .incomplete, mayStillGrow(name, data: data) { return nil }
            unfinished[name] = nil
            let reason = (error as? MessageFailure)?.reason ?? error.sentence
            return FoundCommand(name, data, unusable: "The command cannot be read: \(reason)")
        }
    }

    private func tooLarge(_ name: String) -> FoundCommand {
        FoundCommand(name, nil, unusable: "The command is larger than \(options.largestCommand) bytes.")
    }

    private mutating func mayStillGrow(_ name: String, data: Data) -> Bool {
        let digest = FoundCommand.digest(of: data)
        if let known = unfinished[name], known.digest == digest {
            return time.elapsed - known.since < options.incompleteTime
        }
        unfinished[name] = (digest, time.elapsed)
        return true
    }

    private static func comesFirst(_ left: FoundCommand, _ right: FoundCommand) -> Bool {
        func order(_ found: FoundCommand) -> (Double, Int) {
            guard case .command(let command, _) = found.content else { return (0, -1) }
            return (command.timestamp ?? 0, ReaderCommand.Kind.allCases.firstIndex(of: command.kind) ?? 0)
        }
        return order(left) < order(right)
    }
}
