import CurlTransport
public import FileProviderCore
import Foundation
import HTTPFileProvider

extension WebDAVFileProvider {
    public func open(path: ProviderPath) async throws -> any FileReader { connection.open(path: path) }

    /// Writes a file: `PUT` to a temporary name, a look at its size, `MOVE` into place; or one `PUT` in place.
    ///
    /// - Complexity: Three requests, and one more to see what an overwriting or large upload would meet.
    public func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws -> FileObject {
        if path.isRoot { throw FileError.isADirectory(path, url: url(of: path), writing: true) }
        if options.modificationDate != nil { throw FileError.unsupported("Setting the modification time", path: path, url: url(of: path)) }
        let target = try await target(at: path, length: source.length, options: options)
        switch options.placement {
        case .published: return try await publish(source, at: path, replacing: target, options: options)
        case .inPlace: return try await putInPlace(source, at: path, options: options)
        }
    }

    /// An upload that would be refused at its end had better not begin.
    private static let worthALook: Int64 = 1 << 20

    /// What is there already, as far as the write has to know.
    private func target(at path: ProviderPath, length: Int64?, options: WriteOptions) async throws -> FileObject? {
        let looks = options.overwrite || options.ifMatch != nil || options.placement == .inPlace || (length ?? .max) > Self.worthALook
        guard looks else { return nil }
        let item = try await itemIfAny(path)
        if let wanted = options.ifMatch { try await refuse(path, unlessTagIs: wanted, item) }
        guard let item else { return nil }
        if !options.overwrite && options.ifMatch == nil { throw FileError.make(.fileWriteFileExists, path: path, url: url(of: path)) }
        return item
    }

    private func refuse(_ path: ProviderPath, unlessTagIs wanted: String, _ item: FileObject?) async throws {
        var tag = item?.entryTag
        if item != nil, tag == nil { tag = try await connection.send(HTTPRequest("HEAD", path))["ETag"] }
        guard tag.map(HTTPConnection.version) != HTTPConnection.version(wanted) else { return }
        throw FileError.make(
            .fileWriteUnknown, path: path, url: url(of: path), sentence: "“\(path)” is no longer the version that was to be replaced.")
    }

    private func publish(
        _ source: any WriteSource, at path: ProviderPath, replacing target: FileObject?, options: WriteOptions
    ) async throws -> FileObject {
        let temporary = try TemporaryName.make(beside: path)
        do {
            try await put(source, at: temporary, for: path)
            var item = try await item(temporary, isWriting: true)
            try verify(item, against: source)
            if target?.isDirectory == true { try await removeItem(path: path, recursive: false) }
            try await send("MOVE", item, to: path, overwrite: target.map { !$0.isDirectory } ?? options.overwrite)
            item.path = path
            item.name = path.name
            return item
        } catch {
            // Outside the task, which may be cancelled. What the server does not let go of now is left under a name that tells.
            await Task { _ = try? await connection.send(HTTPRequest("DELETE", temporary, accepts: [404], isWriting: true)) }.value
            throw published(error, path)
        }
    }

    private func put(_ source: any WriteSource, at temporary: ProviderPath, for path: ProviderPath) async throws {
        do {
            _ = try await connection.send(HTTPRequest("PUT", temporary, body: .source(source), isWriting: true))
        } catch let error as HTTPStatusError where [409, 500].contains(error.code.rawValue) {
            try await refuseMissingParent(of: path, underlying: error)
            throw error
        } catch where error.isNoSuchFile {
            try await refuseMissingParent(of: path, underlying: error)
            throw error
        }
    }

    private func verify(_ item: FileObject, against source: any WriteSource) throws {
        guard let length = source.length, let size = item.size, size != length else { return }
        throw FileError.make(
            .fileWriteUnknown, path: item.path, url: url(of: item.path), sentence: "The server kept \(size) of \(length) bytes; nothing was replaced.")
    }

    /// The refusal of the closing `MOVE` in terms of the file that was to be written.
    private func published(_ error: any Error, _ path: ProviderPath) -> any Error {
        guard let refusal = error as? HTTPStatusError, refusal.code.rawValue == 412 else { return error }
        return FileError.make(.fileWriteFileExists, path: path, url: url(of: path), underlying: refusal)
    }

    private func putInPlace(_ source: any WriteSource, at path: ProviderPath, options: WriteOptions) async throws -> FileObject {
        var headers: [(name: String, value: String)] = []
        if let tag = options.ifMatch { headers.append(("If-Match", tag)) } else if !options.overwrite { headers.append(("If-None-Match", "*")) }
        do {
            _ = try await connection.send(
                HTTPRequest("PUT", path, headers: headers, body: .source(source), repetition: .ifNotDone, isWriting: true))
        } catch let error as HTTPStatusError where error.code.rawValue == 412 && options.ifMatch == nil {
            throw FileError.make(.fileWriteFileExists, path: path, url: url(of: path), underlying: error)
        } catch let error as HTTPStatusError where error.code.rawValue == 409 {
            try await refuseMissingParent(of: path, underlying: error)
            throw error
        }
        let item = try await item(path, isWriting: true)
        try verify(item, against: source)
        return item
    }
}
