import FileProviderCore
import Foundation
import ReaderMessages

/// A staging folder with a time limit on every call.
struct LinkFolder: Sendable {
    let staging: StagingFolder
    let calls: CallLimit

    /// Returns the folder with calls limited to `seconds`, or to the current limit if that is shorter.
    func within(_ seconds: Double) -> LinkFolder {
        LinkFolder(staging: staging, calls: CallLimit(time: calls.time, seconds: min(seconds, calls.seconds)))
    }

    /// Returns the bytes of `name`, or `nil` if there is no such file.
    func read(_ name: String, limit: Int, counted: CallsUnderWay = CallsUnderWay()) async throws -> Data? {
        counted.begin()
        return try await calls.run("reading “\(name)”") { [staging] in
            defer { counted.end() }
            return try await staging.read(name, limit: limit)
        }
    }

    /// Returns the names of the files as the storage spells them.
    func names() async throws -> [String] {
        try await calls.run("listing the folder") { [staging] in try await staging.files().map(\.name) }
    }

    /// Returns the attributes of the file `name`, or `nil` if there is none.
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

    /// Creates the file `name` with `data`; the name must be free.
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

    /// Removes the file `name`. Returns false if there was none.
    @discardableResult
    func remove(_ name: String) async throws -> Bool {
        try await calls.run("removing “\(name)”") { [staging] in try await staging.remove(name) }
    }

    /// Removes the file `name` if it has these bytes. Returns false if there was none, or a different one.
    func remove(_ name: String, holding data: Data) async throws -> Bool {
        guard try await isThere(name, holding: data) else { return false }
        return try await remove(name)
    }

    /// Whether the file `name` has these bytes, judged by its size and its beginning, where a message has its
    /// timestamp.
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
