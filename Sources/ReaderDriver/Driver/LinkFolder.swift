import FileProviderCore
import Foundation
import ReaderMessages

/// A staging folder whose every call ends.
struct LinkFolder: Sendable {
    let staging: StagingFolder
    let calls: CallLimit

    /// The same folder, whose calls end within so many seconds, or within the time that they have anyway.
    func within(_ seconds: Double) -> LinkFolder {
        LinkFolder(staging: staging, calls: CallLimit(time: calls.time, seconds: min(seconds, calls.seconds)))
    }

    /// The bytes of `name`; nil where there is no such file.
    func read(_ name: String, limit: Int, counted: CallsUnderWay = CallsUnderWay()) async throws -> Data? {
        counted.begin()
        return try await calls.run("reading “\(name)”") { [staging] in
            defer { counted.end() }
            return try await staging.read(name, limit: limit)
        }
    }

    /// The names of the files, as the storage writes them.
    func names() async throws -> [String] {
        try await calls.run("listing the folder") { [staging] in try await staging.files().map(\.name) }
    }

    /// What is known of the file `name`; nil where there is none.
    func attributes(of name: String) async throws -> FileObject? {
        try await calls.run("looking for “\(name)”") { [staging] in
            do { return try await staging.provider.attributesOfItem(path: staging.path.appending(name)) } catch let
                error
                where error.isNoSuchFile
            {
                return nil
            }
        }
    }

    /// Puts `data` in place as `name`, which must be free.
    /// - Throws: `CocoaError(.fileWriteFileExists)`.
    func create(_ name: String, _ data: Data, counted: CallsUnderWay = CallsUnderWay()) async throws {
        let reporter = ProgressReporter()
        counted.begin()
        _ = try await calls.run("writing “\(name)”", life: { reporter.completed }) { [staging] in
            defer { counted.end() }
            return try await staging.provider.writeContents(
                path: staging.path.appending(name), from: DataSource(data), options: WriteOptions(), progress: reporter)
        }
    }

    /// Removes the file `name`; false where there was none.
    @discardableResult
    func remove(_ name: String) async throws -> Bool {
        try await calls.run("removing “\(name)”") { [staging] in try await staging.remove(name) }
    }

    /// Removes the file `name` if it holds these bytes; false where there was none, or another.
    func remove(_ name: String, holding data: Data) async throws -> Bool {
        guard try await isThere(name, holding: data) else { return false }
        return try await remove(name)
    }

    /// Whether the file `name` is the one with these bytes, by its size and its beginning, where a message says when it
    /// was written.
    func isThere(_ name: String, holding data: Data) async throws -> Bool {
        try await calls.run("looking at “\(name)”") { [staging] in
            let beginning = data.prefix(4096)
            do {
                return try await staging.provider.withReader(path: staging.path.appending(name)) { reader in
                    let (head, extent) = try await reader.read(.range(0..<Int64(max(1, beginning.count))))
                    return extent.size == data.count && head == beginning
                }
            } catch let error where error.isNoSuchFile {
                return false
            }
        }
    }
}
