import Cryptography
import FileProviderCore
import Foundation
import ReaderMessages

/// A command as it lies in the staging folder: its bytes at one moment, and which command they are.
struct FoundCommand: Sendable {
    /// The name of its file as the storage has it.
    let fileName: String
    /// Its bytes; nil for a file that is not read.
    let data: Data?
    /// What they say.
    let content: Content
    /// Which command it is; nil for one that cannot be carried out.
    let identity: CommandIdentity?

    enum Content: Sendable {
        case command(ReaderCommand, MessageNotes)
        /// Nothing that can be carried out, for the reason in the sentence.
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

    /// SHA-256, in hexadecimal digits.
    static func digest(of data: Data) -> String { Digest(.sha256, of: data).hexadecimal }
}

/// Finds commands in the staging folder, and none that is still being written.
struct CommandInbox {
    /// Files that are looked into at most, each time. A driver leaves one.
    private static let maxFiles = 16
    /// Seconds between two looks into a command that could not be removed; drivers wait longer than that.
    private static let leftPause = 5.0

    private let folder: StagingFolder
    private let coding: MessageCoding
    private let options: ApplicationOptions
    private let time: any TimeSource
    /// Commands that ended too early, by file name: what they were, and since when.
    private var unfinished: [String: (digest: String, since: Double)] = [:]
    /// Files of no known command that were there before the application was.
    private var strangers: Set<String>
    /// Commands that are over and could not be removed, by file name.
    private var left: [String: Left] = [:]

    private struct Left {
        let data: Data?
        /// The file as it was listed when it was last read, and when that was; nil before.
        var read: (version: Version, at: Double)?
    }

    private struct Version: Equatable {
        let size: Int64?
        let tag: String?
        let modified: Date?

        init(_ file: FileObject) { (size, tag, modified) = (file.size, file.entryTag, file.modifiedDate) }
    }

    /// - Parameter found: What lay in the folder before any driver was told that the application is there.
    init(folder: StagingFolder, found: [FileObject], options: ApplicationOptions, time: any TimeSource) {
        // No driver that is there waits for these.
        strangers = Set(found.map(\.name).filter { Self.isCommand($0) && Self.kind(of: $0) == nil })
        self.folder = folder
        self.options = options
        self.coding = options.coding
        self.time = time
    }

    /// The command to be carried out next among `files`, which is what the folder holds; nil for none.
    ///
    /// The driver's timestamps decide; where they don't, deletions come before uploads, and those before changes. A
    /// command that ends too early is left for later, until ``ApplicationOptions/incompleteTime`` has passed without a
    /// change of it.
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

    /// Passes over `command` from now on, until its file is another one.
    mutating func leave(_ command: FoundCommand) { left[command.fileName] = Left(data: command.data) }

    /// Whether the file is a command that is passed over and was looked into a short while ago. A change that the
    /// listing does not show is seen a little later.
    private func isLeftUnchanged(_ file: FileObject) -> Bool {
        guard let read = left[file.name]?.read else { return false }
        return read.version == Version(file) && time.elapsed - read.at < Self.leftPause
    }

    /// Whether `name` is one of a command: every XML file of this folder that is none of the application's own.
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
            return FoundCommand(file.name, nil, unusable: "This application does not know the command.")
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
