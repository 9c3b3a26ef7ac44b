public import FileProviderCore
public import Foundation

/// A folder through which a driver and an application exchange messages and documents, on any storage.
///
/// Nothing in it is trusted: names from the peer are checked by ``StagedName``, and every read has a limit.
public struct StagingFolder: Sendable {
    /// The provider that stores it.
    public let provider: any FileProvider
    /// Its path there.
    public let path: ProviderPath

    /// Creates a reference to the folder at `path`, which need not exist yet.
    public init(provider: any FileProvider, path: ProviderPath) {
        self.provider = provider
        self.path = path
    }

    /// Returns the subfolder called `name`, or this folder if the name is empty.
    public func folder(_ name: String) throws -> StagingFolder {
        name.isEmpty ? self : StagingFolder(provider: provider, path: try path.appending(name))
    }

    /// Creates the folder and its parents if they are missing.
    public func create() async throws { try await provider.createFolderWithParents(path: path) }

    /// Returns the files in it, without folders, links and files that are still being written. One listing.
    /// - Throws: Errors of the provider; a missing folder is `CocoaError(.fileReadNoSuchFile)`.
    public func files() async throws -> [FileObject] { try await allFiles().filter { !TemporaryName.matches($0.name) } }

    /// Returns the files in it, including those that are still being written.
    package func allFiles() async throws -> [FileObject] {
        try await provider.contentsOfDirectory(path: path).filter(\.isRegularFile)
    }

    /// Whether there is a file `name`.
    package func has(_ name: String) async throws -> Bool {
        do { return try await provider.attributesOfItem(path: path.appending(name)).isRegularFile } catch let error
            where error.isNoSuchFile
        {
            return false
        }
    }

    /// Returns the bytes of the file `name`, or `nil` if there is none. A lost connection is an error and never `nil`.
    /// - Throws: `CocoaError(.fileReadTooLarge)` if the file has more than `limit` bytes; no more than that is read.
    public func read(_ name: String, limit: Int) async throws -> Data? {
        let path = try path.appending(name)
        do {
            return try await provider.withReader(path: path) { reader in
                let (data, extent) = try await reader.read(.range(0..<Int64(limit)))
                guard extent.size <= limit else {
                    throw FileError.make(
                        .fileReadTooLarge, path: path, sentence: "“\(path)” is larger than \(limit) bytes.")
                }
                return data
            }
        } catch let error where error.isNoSuchFile {
            return nil
        }
    }

    /// Writes `data` as `name`, replacing an existing file, in one step or as close to it as the storage allows.
    public func publish(_ data: Data, as name: String) async throws {
        try await provider.writeContents(path: path.appending(name), contents: data, overwrite: true)
    }

    /// Removes the file `name`.
    /// - Returns: Whether there was one.
    @discardableResult
    public func remove(_ name: String) async throws -> Bool {
        do {
            try await provider.removeItem(path: path.appending(name), recursive: false)
            return true
        } catch let error where error.isNoSuchFile {
            return false
        }
    }
}
