import FileProviderCore
import Foundation

/// Copies documents into the document staging folder, and removes them.
struct DocumentStaging: Sendable {
    let provider: any FileProvider
    let calls: CallLimit
    /// The document staging folder.
    let folder: ProviderPath

    /// Creates the folder if it is missing.
    func prepare() async throws {
        try await calls.run("making the folder for documents") { [provider, folder] in
            try await provider.createFolderWithParents(path: folder)
        }
    }

    /// Opens the source of `item`.
    func source(of item: UploadItem) async throws -> any WriteSource {
        switch item.contents {
        case .file(let url):
            try await calls.run("opening “\(url.lastPathComponent)”") {
                try await BlockingThreads.shared.run { try FileSource(url) }
            }
        case .reader(let reader):
            try await calls.run("opening “\(reader.path.name)”") { try await reader.writeSource() }
        }
    }

    /// Copies `source` into the folder as `name`, and checks the size of the copy.
    ///
    /// - Parameter counted: Counts the write until it returns, even if it was abandoned.
    func stage(
        _ source: any WriteSource, as name: String, counted: CallsUnderWay,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws {
        let path = try folder.appending(name)
        let reporter = ProgressReporter { completed, _ in progress(completed) }
        counted.begin()
        let written = try await calls.run("writing “\(name)”", life: { reporter.completed }) { [provider] in
            defer { counted.end() }
            return try await provider.writeContents(
                path: path, from: source, options: WriteOptions(overwrite: true), progress: reporter)
        }
        guard let wanted = source.length else { return }
        var size = written.size
        if size == nil {
            size = try await calls.run("looking for “\(name)”") { [provider] in
                try await provider.attributesOfItem(path: path).size
            }
        }
        guard let size, size != wanted else { return }
        throw FileError.make(
            .fileWriteUnknown, path: path, sentence: "“\(path)” has \(size) bytes on the device, not \(wanted).")
    }

    /// Removes documents.
    /// - Returns: The documents that remain because the storage failed; no further calls are made after a failure.
    func remove(_ paths: [ProviderPath]) async -> [ProviderPath] {
        for (index, path) in paths.enumerated() {
            do {
                try await calls.run("removing “\(path.name)”") { [provider] in
                    try await provider.removeItem(path: path, recursive: false)
                }
            } catch let error where error.isNoSuchFile {
                continue
            } catch {
                return Array(paths[index...])
            }
        }
        return []
    }

    /// Returns the bytes of free space, or `nil` if it is unknown.
    func freeSpace() async -> Int64? {
        do {
            return try await calls.run("asking for free memory") { [provider] in
                try await provider.storageProperties()?.availableCapacity
            }
        } catch {
            // The write itself will report missing space.
            return nil
        }
    }
}
