public import FileProviderCore
public import Foundation

/// A folder through which a driver and an application pass messages and documents, on any storage.
///
/// Nothing in it is trusted: names that come from the peer are looked up by ``StagedName`` alone, and every read has a
/// limit.
public struct StagingFolder: Sendable {
    /// The storage that it lies on.
    public let provider: any FileProvider
    /// Its path there.
    public let path: ProviderPath

    /// The folder at `path`, which need not exist yet.
    public init(provider: any FileProvider, path: ProviderPath) {
        self.provider = provider
        self.path = path
    }

    /// The folder in it called `name`; this folder itself where the name is empty.
    public func folder(_ name: String) throws -> StagingFolder {
        name.isEmpty ? self : StagingFolder(provider: provider, path: try path.appending(name))
    }

    /// Makes the folder and those above it, where they are missing.
    public func create() async throws { try await provider.createFolderWithParents(path: path) }

    /// The files in it, without folders, links and what is only being written. One listing.
    /// - Throws: What the provider throws; a missing folder is `CocoaError(.fileReadNoSuchFile)`.
    public func files() async throws -> [FileObject] { try await allFiles().filter { !TemporaryName.matches($0.name) } }

    /// The files in it, those among them that are only being written.
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

    /// The bytes of the file `name`; nil where there is none. A lost connection is an error and never nil.
    /// - Throws: `CocoaError(.fileReadTooLarge)` for a file of more than `limit` bytes, of which no more than that is
    ///   read.
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

    /// Puts `data` in place as `name` in one step, or as nearly so as the storage can; replaces what is there.
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
