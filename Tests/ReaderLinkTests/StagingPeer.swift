import FileProviderCore
import Foundation
import Logging
import MemoryFileProvider
import ProviderDoubles
import Testing

import ReaderApplication
import ReaderDriver
import ReaderMessages

/// A driver of few lines for tests of the application's side: it writes bytes, and waits until something is as it
/// should be.
struct StagingPeer {
    let provider: any FileProvider
    let folder: StagingFolder
    var coding = MessageCoding()

    init(provider: any FileProvider = MemoryFileProvider()) throws {
        self.provider = provider
        folder = StagingFolder(provider: provider, path: try ProviderPath("Library/calibre"))
    }

    /// Options with which nothing takes long.
    static var options: ApplicationOptions {
        var options = ApplicationOptions(application: "org.example.reader")
        options.heartbeat = 0.1
        options.statusInterval = 0.1
        options.statusPause = 0.01
        options.pollInterval = ApplicationOptions.PollInterval(shortest: 0.005, longest: 0.02)
        options.incompleteTime = 0.2
        options.statusTaken = 0.5
        return options
    }

    func connection(
        _ library: any BookLibrary, _ options: ApplicationOptions = StagingPeer.options,
        time: any TimeSource = SystemTime()
    ) throws -> CalibreConnection {
        try CalibreConnection(staging: folder, library: library, options: options, time: time, logger: .silent)
    }

    /// A command as a driver leaves it.
    func issue(_ command: ReaderCommand) async throws {
        try await put(coding.data(for: command), as: command.kind.fileName)
    }

    func put(_ data: Data, as name: String) async throws {
        try await folder.create()
        try await folder.publish(data, as: name)
    }

    func stage(_ text: String, as name: String, in documents: String = "documents") async throws {
        let documents = try folder.folder(documents)
        try await documents.create()
        try await documents.publish(Data(text.utf8), as: name)
    }

    /// The names of everything in the staging folder and in that of the documents.
    func names() async throws -> Set<String> {
        var names = Set(try await folder.files().map(\.name))
        for file in try await folder.folder("documents").files() { names.insert("documents/" + file.name) }
        return names
    }

    func connected() async throws -> ConnectedMessage? {
        try await folder.read(ConnectedMessage.fileName, limit: 1 << 20).map { try coding.connected(in: $0) }
    }

    func status() async throws -> CommandStatus? {
        try await folder.read(CommandStatus.fileName, limit: 1 << 20).map { try coding.status(in: $0) }
    }

    /// The final status, which is taken away as drivers do. Each status on the way goes to `look`.
    @discardableResult
    func end(look: (CommandStatus) -> Void = { _ in }) async throws -> CommandStatus {
        let status = try await eventually {
            guard let current = try await self.status() else { return CommandStatus?.none }
            look(current)
            return current.isFinal ? current : nil
        }
        try await folder.remove(CommandStatus.fileName)
        return status
    }
}

extension Logger {
    /// Writes nothing: what goes wrong on purpose is no news.
    static var silent: Logger { Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() } }
}
