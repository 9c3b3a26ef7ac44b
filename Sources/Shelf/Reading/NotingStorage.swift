import FileProviderCore
import Foundation

/// The storage of one book, which notes whether reading the book's file failed.
///
/// The search for a cover passes over parts of a book that can't be read. Only if none of them was missed because the
/// storage failed, or the file vanished, a book without a cover has none.
final class NotingStorage: FileProviderReadWrite {
    static let type = "Noting"

    private let base: any FileProviderReadWrite
    private let path: ProviderPath
    private let noted = LockedValue<(any Error)?>(nil)

    /// - Parameter path: That of the book.
    init(_ base: any FileProviderReadWrite, path: ProviderPath) {
        self.base = base
        self.path = path
    }

    /// The first error of the storage; `nil` if it gave everything that was asked for.
    var failure: (any Error)? { noted.value }

    var baseURL: URL? { base.baseURL }
    func capabilities() async throws -> Capabilities { try await base.capabilities() }
    func url(of path: ProviderPath) -> URL { base.url(of: path) }
    func relativePath(of url: URL) throws -> ProviderPath { try base.relativePath(of: url) }
    func attributesOfItem(path: ProviderPath) async throws -> FileObject { try await base.attributesOfItem(path: path) }
    func storageProperties() async throws -> VolumeObject? { try await base.storageProperties() }
    func checkReachability() async throws { try await base.checkReachability() }

    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        try await base.contentsOfDirectory(path: path, page: page)
    }

    func open(path: ProviderPath) async throws -> any FileReader {
        // Files beside the book may be missing.
        if path != self.path { return try await base.open(path: path) }
        return NotingReader(try await noting { try await base.open(path: path) }, storage: self)
    }

    @discardableResult
    func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        try await base.writeContents(path: path, from: source, options: options)
    }

    fileprivate func noting<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch {
            if error.isOfTheStorage { noted.update { $0 = $0 ?? error } }
            throw error
        }
    }
}

/// A reader of the book's file.
private final class NotingReader: FileReader {
    private let base: any FileReader
    private let storage: NotingStorage

    init(_ base: any FileReader, storage: NotingStorage) {
        self.base = base
        self.storage = storage
    }

    var path: ProviderPath { base.path }
    var cost: Capabilities.ReadCost { base.cost }

    func attributes() async throws -> FileReaderAttributes {
        try await storage.noting { try await base.attributes() }
    }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        try await storage.noting { try await base.stream(part, into: sink) }
    }

    func read(_ ranges: [Range<Int64>]) async throws -> [Data] {
        try await storage.noting { try await base.read(ranges) }
    }

    func writeSource() async throws -> any WriteSource { try await base.writeSource() }
    func close() async { await base.close() }
}

extension Error {
    /// Whether a storage failed with this error, and the next attempt may not. Errors of sinks, by which readers stop
    /// early, are of other types, or of the file.
    fileprivate var isOfTheStorage: Bool {
        if isCancellation || isOfTheFile { return false }
        return self is CocoaError || self is URLError || self is POSIXError || self is any FileProviderHTTPError
            || self is any FileProviderFTPError || self is any FileProviderSFTPError
    }
}
