public import FileProviderCore
import Foundation
import HTTPFileProvider

/// Attributes of items, listings and properties of the storage, all by `PROPFIND`.
extension WebDAVFileProvider {
    /// Returns the attributes of an item: those of its folder's remembered listing, or by one `PROPFIND` of depth 0.
    ///
    /// - Complexity: One more `PROPFIND` if the server answers 405 to a URL without a slash.
    public func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        if let known = cache.item(at: path) { return known }
        return try await item(path, isWriting: false)
    }

    /// One `PROPFIND` of depth 0.
    func item(_ path: ProviderPath, isWriting: Bool) async throws -> FileObject {
        do {
            return try await item(path, isFolder: path.isRoot, isWriting: isWriting)
        } catch let error as HTTPStatusError where error.code.rawValue == 405 && !path.isRoot {
            // nginx serves the folder where its WebDAV begins only with the slash.
            return try await item(path, isFolder: true, isWriting: isWriting)
        }
    }

    private func item(_ path: ProviderPath, isFolder: Bool, isWriting: Bool) async throws -> FileObject {
        let asked = LockedValue(asked(path, isFolder: isFolder))
        let found = LockedValue<FileObject?>(nil)
        try await propfind(path, isFolder: isFolder, depth: 0, isWriting: isWriting) { responses in
            for response in responses where asked.update({ $0.location(of: response) }) == .itself {
                if response.hasFailed { throw self.error(of: response, about: path, isWriting: isWriting) }
                found.update { $0 = $0 ?? response.item(at: path) }
            }
        }
        learn(from: asked.value)
        guard let item = found.value else { throw noAnswer(about: path) }
        return item
    }

    /// The item at `path`; nil if there is none.
    func itemIfAny(_ path: ProviderPath) async throws -> FileObject? {
        do { return try await item(path, isWriting: true) } catch let error where error.isNoSuchFile { return nil }
    }

    /// Lists a folder with one `PROPFIND` of depth 1, and passes on each page as it arrives.
    public func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void)
        async throws
    {
        if let known = cache.contents(of: path) { return try await page(known) }
        let record = cache.record(of: path)
        let add: @Sendable ([FileObject]) async throws -> Void = { items in
            record.add(items)
            try await page(items)
        }
        if let responses = await connection.responses(), try await quirks().hasTreeTags {
            try await list(path, by: responses, page: add)
        } else {
            try await list(path, page: add)
        }
        record.keep()
    }

    /// Lists as things are now.
    func list(
        _ path: ProviderPath, recording: AnswerRecorder? = nil, page: @Sendable ([FileObject]) async throws -> Void
    ) async throws {
        let asked = LockedValue(asked(path, isFolder: true))
        do {
            try await propfind(path, isFolder: true, depth: 1, isWriting: false, recording: recording) { responses in
                let items = try asked.update { try self.items(in: responses, of: path, &$0) }
                if !items.isEmpty { try await page(items) }
            }
            guard asked.value.wasSeen, !asked.value.isDoubtful else { throw noAnswer(about: path) }
            learn(from: asked.value)
            try asked.value.refuseUnusable(in: path, url: url(of: path))
        } catch let error as any FileProviderHTTPError {
            try await refuseFile(path)
            throw error
        } catch let error where error.isNoSuchFile || (error as? CocoaError)?.code == .fileReadNoPermission {
            try await refuseFile(path)
            throw error
        }
    }

    /// The items among the responses of a depth-1 `PROPFIND` of `folder`.
    func items(in responses: [DAVResponse], of folder: ProviderPath, _ asked: inout RequestedItem) throws
        -> [FileObject]
    {
        var items: [FileObject] = []
        items.reserveCapacity(responses.count)
        for response in asked.ready(responses) {
            switch asked.location(of: response) {
            case .itself:
                if response.hasFailed { throw error(of: response, about: folder, isWriting: false) }
                if !response.isCollection { throw FileError.notADirectory(folder) }
            case .child(let name):
                // It went between the server's reading of the folder and its look at the item.
                if response.status == 404 || response.status == 410 { continue }
                if asked.isNew(name) { items.append(response.item(at: try folder.appending(nameBytes: name))) }
            case .unusable(let name): asked.leaveOut(name)
            case .elsewhere:
                // Where the folder was recognised by its place alone, a doubt is one too many: this may be another
                // folder's listing.
                if asked.isRewritten { throw noAnswer(about: folder) }
            }
        }
        return items
    }

    func asked(_ path: ProviderPath, isFolder: Bool) -> RequestedItem {
        RequestedItem(
            path: rootPath.appending(path), isFolder: isFolder,
            kept: path.relative(to: home)?.components.count ?? path.components.count, encoding: hrefEncoding.value)
    }

    private func learn(from asked: RequestedItem) {
        hrefEncoding.update { $0 = asked.encoding }
        if let base = asked.base { hrefBase.update { $0 = base } }
    }

    private func error(of response: DAVResponse, about path: ProviderPath, isWriting: Bool) -> any Error {
        connection.error(
            status: response.status ?? 500, request: HTTPRequest("PROPFIND", path: path, isWriting: isWriting))
    }

    /// Servers answer in many ways when a file is addressed with a slash at its end; this finds out whether that was
    /// the reason.
    private func refuseFile(_ path: ProviderPath) async throws {
        // If the look fails as well, the first error is thrown.
        guard let item = try? await item(path, isWriting: false), !item.isDirectory else { return }
        throw FileError.notADirectory(path, url: url(of: path))
    }

    /// Returns the capacity (RFC 4331), or nil if the server doesn't report it.
    ///
    /// Asks about the folder that the provider was made for. If that is a file, or doesn't exist yet, asks about the
    /// folder that holds it.
    public func storageProperties() async throws -> VolumeObject? {
        do { return try await quota(of: home) } catch {
            guard let parent = home.parent, error.isNoSuchFile || error is any FileProviderHTTPError else {
                throw error
            }
            return try await quota(of: parent)
        }
    }

    private func quota(of folder: ProviderPath) async throws -> VolumeObject? {
        let found = LockedValue<DAVResponse?>(nil)
        try await propfind(folder, isFolder: true, depth: 0, isWriting: false, properties: Self.quotaProperties) {
            responses in
            found.update { $0 = $0 ?? responses.first }
        }
        let (available, used) = (found.value?.quotaAvailable, found.value?.quotaUsed)
        if available == nil, used == nil { return nil }
        let sum = (available ?? 0).addingReportingOverflow(used ?? 0)
        let total = available != nil && used != nil && !sum.overflow ? sum.partialValue : nil
        return VolumeObject(totalCapacity: total, availableCapacity: available, usage: used)
    }
}
