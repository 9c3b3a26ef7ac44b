import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider

/// Writing to the name itself.
extension WebDAVFileProvider {
    /// One `PUT`, with whatever keeps it from replacing what it must not.
    ///
    /// - Parameter found: What is there, where the write is large: that was looked at then.
    func putDirectly(_ write: FileWrite, replacing found: FileObject?) async throws -> FileObject {
        let (path, options, quirks) = (write.path, write.options, write.quirks)
        if options.ifMatch != nil {
            if !options.overwrite { try await refuse(write) }
            return try await putVersion(write)
        }
        if options.overwrite { return try await putOver(write, replacing: found) }
        if quirks.locksNewFiles {
            return try await withLock(path: path, timeout: Self.lockTime) { lock in
                try await fill(lock) { try await put(write, condition: nil) }
            }
        }
        if quirks.ifNoneMatch == .ignored, !write.isLarge { try await refuse(write) }
        return try await put(write, condition: ("If-None-Match", "*"))
    }

    private func putVersion(_ write: FileWrite) async throws -> FileObject {
        guard let tag = write.options.ifMatch else { return try await put(write, condition: nil) }
        let quirks = write.quirks
        let replace: @Sendable () async throws -> FileObject = {
            // Carries the tokens of locks, too.
            let condition = quirks.honoursIf ? self.conditions(at: [write.path], tag: (write.path, tag)).first : nil
            return try await self.put(write, condition: condition)
        }
        if quirks.locksConditionalWrites { return try await locked(for: write, replace) }
        if quirks.honoursIf { return try await replace() }
        // A weak tag matches nothing in `If-Match` (RFC 9110, section 13.1.1).
        if quirks.ifMatch != .ignored, !tag.hasPrefix("W/") { return try await put(write, condition: ("If-Match", tag)) }
        try await refuse(write)
        return try await replace()
    }

    /// Replaces a file or an empty folder. That there is a folder shows when the server refuses the bytes; a source that is read only once
    /// makes a look before them necessary.
    private func putOver(_ write: FileWrite, replacing found: FileObject?) async throws -> FileObject {
        if write.isLarge || !write.source.isRepeatable {
            let item = write.isLarge ? found : try await itemIfAny(write.path)
            if item?.isDirectory == true { try await removeItem(path: write.path, recursive: false) }
            return try await put(write, condition: nil)
        }
        do { return try await put(write, condition: nil) } catch let error where !error.isCancellation && !Self.isWithoutAnswer(error) {
            guard try await itemIfAny(write.path)?.isDirectory == true else { throw error }
            try await removeItem(path: write.path, recursive: false)
            return try await put(write, condition: nil)
        }
    }

    private func put(_ write: FileWrite, condition: (name: String, value: String)?) async throws -> FileObject {
        var headers = condition.map { [$0] } ?? []
        if condition?.name != "If" { headers += conditions(at: [write.path]) }
        do {
            let head = try await upload(write, to: write.path, headers: headers)
            // By now the file is there, cancelled or not.
            return try await Task { write.finished(try await verified(write, at: write.path), [head]) }.value
        } catch let error as HTTPStatusError where error.code.rawValue == 412 {
            if write.options.ifMatch != nil { throw otherVersion(write.path, underlying: error) }
            throw FileError.make(.fileWriteFileExists, path: write.path, url: url(of: write.path), underlying: error)
        } catch let error where condition?.name == "If-None-Match" && !error.isCancellation && !Self.isWithoutAnswer(error) {
            // In the way of a folder servers answer otherwise.
            try await refuse(write)
            throw error
        }
    }
}
