import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider

/// Writing to the name itself.
extension WebDAVFileProvider {
    /// Sends one `PUT`, with the conditions that keep it from replacing another item.
    ///
    /// - Parameter found: The existing item, if the write is large and was therefore looked at before.
    func putDirectly(_ write: FileWrite, replacing found: FileObject?) async throws -> FileObject {
        let (path, options, quirks) = (write.path, write.options, write.quirks)
        if options.ifMatch != nil {
            if !options.overwrite { try await refuse(write) }
            return try await putVersion(write)
        }
        if options.overwrite { return try await putOver(write, replacing: found) }
        if quirks.locksNewFiles, !locks.holds(path), let lock = try await takeNewName(path) {
            return try await with(lock) { lock in
                try await fill(lock) {
                    try await put(write, condition: condition(at: path, isUpload: true, under: lock))
                }
            }
        }
        if quirks.ifNoneMatch == .ignored, !write.isLarge { try await refuse(write) }
        return try await put(write, condition: ("If-None-Match", "*"))
    }

    /// One `PUT` over the version `tag`, which was seen there.
    ///
    /// - Throws: `CocoaError(.fileWriteUnknown)` if another version is there by now.
    func put(_ write: FileWrite, over tag: String, replacing found: FileObject?) async throws -> FileObject {
        var conditional = write
        conditional.options.ifMatch = tag
        do { return try await put(conditional, condition: ("If-Match", tag), replacing: found) } catch let error
            where write.quirks.ifMatch == .ignored && Self.status(of: error) == 412
        {
            // This server's use of the condition is unknown: if the version is still the same, the refusal had no
            // reason.
            guard try await itemIfSeen(write.path)?.entryTag == tag else { throw error }
            return try await put(write, condition: nil, replacing: found)
        }
    }

    private func putVersion(_ write: FileWrite) async throws -> FileObject {
        guard let tag = write.options.ifMatch else { return try await put(write, condition: nil) }
        let quirks = write.quirks
        // A weak tag matches nothing in `If-Match` (RFC 9110, section 13.1.1).
        let isMatched =
            quirks.ifMatch != .ignored && !quirks.honoursIf && !quirks.locksConditionalWrites && !tag.hasPrefix("W/")
        if isMatched { return try await put(write, condition: ("If-Match", tag)) }
        return try await locked(for: write) { lock in
            let condition = self.condition(
                at: write.path, isUpload: true, under: lock, tag: quirks.honoursIf ? tag : nil)
            return try await self.put(write, condition: condition)
        }
    }

    /// Replaces a file or an empty folder. That there is a folder shows when the server refuses the bytes; a source
    /// that is read only once makes a look before them necessary.
    private func putOver(_ write: FileWrite, replacing found: FileObject?) async throws -> FileObject {
        if write.isLarge || !write.source.isRepeatable {
            let item = write.isLarge ? found : try await itemIfSeen(write.path)
            if item?.isDirectory == true { try await removeItem(path: write.path, recursive: false) }
            return try await put(write, condition: nil, replacing: item)
        }
        do { return try await put(write, condition: nil) } catch let error where Self.isRefusal(error) {
            guard try await itemIfSeen(write.path)?.isDirectory == true else { throw error }
            try await removeItem(path: write.path, recursive: false)
            return try await put(write, condition: nil)
        }
    }

    private func put(
        _ write: FileWrite, condition: (name: String, value: String)?, replacing found: FileObject? = nil
    ) async throws -> FileObject {
        var headers = condition.map { [$0] } ?? []
        if condition?.name != "If", let held = self.condition(at: write.path, isUpload: true) { headers.append(held) }
        do {
            let head = try await upload(write, to: write.path, headers: headers, replacing: found)
            // By now the file is there, cancelled or not.
            return try await withCancellationShield {
                write.finished(try await self.verified(write, at: write.path, head), [head])
            }
        } catch let error as HTTPStatusError where error.code.rawValue == 412 {
            if write.options.ifMatch != nil { throw otherVersion(write.path, underlying: error) }
            if condition == nil, locks.holds(write.path) { throw lostLock(write.path, error: error) }
            throw FileError.make(.fileWriteFileExists, path: write.path, url: url(of: write.path), underlying: error)
        } catch let error where condition?.name == "If-None-Match" && Self.isRefusal(error) {
            // If a folder is in the way, servers answer differently.
            try await refuse(write)
            throw error
        }
    }

    /// Whether the server has answered with a status that says no.
    private static func isRefusal(_ error: any Error) -> Bool {
        let status = error as? HTTPStatusError ?? (error as NSError).userInfo[NSUnderlyingErrorKey] as? HTTPStatusError
        return status.map { !isWithoutAnswer($0) } ?? false
    }
}
