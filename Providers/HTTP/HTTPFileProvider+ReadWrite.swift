import CurlTransport
public import FileProviderCore
import Foundation

extension HTTPFileProvider {
    /// Opens a file for reading. Sends nothing: the first read shows whether the file exists.
    ///
    /// - Complexity: If the server's answers have no version, the first read also looks at the item, because the bytes
    ///   may be a page about a folder.
    public func open(path: ProviderPath) async throws -> any FileReader {
        try await open(path: path, options: ReadOptions())
    }

    /// Opens a file for reading. The first read sends the conditions, and the server compares.
    public func open(path: ProviderPath, options: ReadOptions) async throws -> any FileReader {
        try await refuseUnheldName(path)
        guard let request = try service.request(for: .read(path), overwrite: false, attributes: HTTPWriteAttributes())
        else {
            throw FileError.unsupported("read", by: Self.type, path: path, url: url(of: path))
        }
        let cost = try await capabilities().readCost
        guard hasListings else { return connection.open(request, cost: cost, options: options) }
        let isFile = LockedValue(false)
        return RangedFileReader(path: path, cost: cost) { [self] part, version, sink, note in
            do {
                let answer = try await connection.fetch(
                    request, part: part, version: version, into: sink, options: options, note: note)
                if answer.1.validator == nil, !isFile.value { try await refuseFolder(path) }
                isFile.update { $0 = true }
                return answer
            } catch let error where error.isRefusal {
                // Servers have different words for a folder that is read. Where folders are but the beginnings of
                // names, there is nothing to read at one.
                try await refuseFolder(path)
                throw error
            }
        }
    }

    /// Whether the service has folders, as far as its requests tell.
    private var hasListings: Bool { (try? service.request(forContentsOf: .root, token: nil)) != nil }

    private func refuseFolder(_ path: ProviderPath) async throws {
        let item = try? await look(at: path)
        if item?.isDirectory == true { throw FileError.isADirectory(path, url: url(of: path)) }
    }

    /// Writes a file in one step of the service: a request, or the end of an upload in parts. Both placements are the
    /// same here.
    ///
    /// Verifies the written file with a look, unless the answer proves it. If the server refuses looks, its answer is
    /// accepted, and the returned file has no size.
    ///
    /// With `resumption`, a small file beside the target leads back to an unfinished upload in parts, also from another
    /// process. Parts that the server has are compared with the source and not sent again.
    ///
    /// - Complexity: Two looks, at the place and at its parent, the upload, and a look at the written file. No look at
    ///   the parent if writing makes it, or if this provider made it or wrote there a moment ago. For a new file in a
    ///   folder that was just made, the server alone decides if it can.
    public func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        if path.isRoot { throw FileError.isADirectory(path, url: url(of: path), writing: true) }
        try await refuseWrite(path, from: source, options: options)
        var attributes = HTTPWriteAttributes(
            length: source.length, ifMatch: options.ifMatch, modificationDate: options.modificationDate,
            contentType: options.contentType(of: path))
        if source.isRepeatable, source.length != nil { attributes.resumption = options.resumption }
        guard try service.request(for: .write(path), overwrite: options.overwrite, attributes: attributes) != nil else {
            throw FileError.unsupported("write", by: Self.type, path: path, url: url(of: path))
        }
        let isDecidedThere = try await capabilities()[.exclusiveCreation] == .native && isOneRequest(source)
        if options.overwrite || options.ifMatch != nil || !isDecidedThere || !folders.value.isUntouched(path) {
            let previous = try await clearWay(to: path, options: options, isDecidedThere: isDecidedThere)
            (attributes.replacedTag, attributes.replacedDate) = (previous?.entryTag, previous?.modifiedDate)
        }
        folders.update { $0.begins(path) }
        cache.drop(path)
        defer { cache.drop(path) }
        do {
            let written = try await upload(source, to: path, overwrite: options.overwrite, attributes)
            folders.update { $0.used(path.parent) }
            return written
        } catch let error as HTTPStatusError where [409, 412].contains(error.code.rawValue) {
            if options.ifMatch != nil { throw otherVersion(path, underlying: error) }
            if !options.overwrite, try await itemIfAny(path) != nil { throw taken(path, underlying: error) }
            throw error
        }
    }

    /// Looks at the place of a write. Two requests at once.
    ///
    /// - Parameter isDecidedThere: Whether the server itself refuses to replace an item: then no look is needed.
    /// - Returns: The file to replace.
    private func clearWay(to path: ProviderPath, options: WriteOptions, isDecidedThere: Bool) async throws
        -> FileObject?
    {
        let item: FileObject?
        do {
            (item, _) = try await both {
                try await self.itemIfAny(path)
            } _: {
                try await self.refuseMissingParent(of: path)
            }
        } catch let error as CocoaError
            where error.code == .fileReadNoPermission && options.ifMatch == nil && (options.overwrite || isDecidedThere)
        {
            // A drop box accepts files and refuses looks.
            return nil
        }
        if let wanted = options.ifMatch, item?.entryTag.map(HTTPConnection.version) != HTTPConnection.version(wanted) {
            throw otherVersion(path)
        }
        guard let item else { return nil }
        if !options.overwrite { throw taken(path) }
        guard item.isDirectory else { return item }
        try await removeItem(path: path, recursive: false, progress: ProgressReporter())
        return nil
    }

    /// Whether `source` goes up in one request. Not every server checks conditions at the end of an upload in parts.
    private func isOneRequest(_ source: any WriteSource) -> Bool {
        guard let service = service as? any HTTPUploadingService else { return true }
        return source.length.map { $0 <= Int64(service.singleWriteLimit) } ?? false
    }

    private func otherVersion(_ path: ProviderPath, underlying: (any Error)? = nil) -> CocoaError {
        FileError.make(
            .fileWriteUnknown, path: path, url: url(of: path),
            sentence: "“\(path)” is no longer the version that was to be replaced.",
            underlying: underlying)
    }

    private func upload(
        _ source: any WriteSource, to path: ProviderPath, overwrite: Bool, _ attributes: HTTPWriteAttributes
    ) async throws -> FileObject {
        guard let service = service as? any HTTPUploadingService else {
            return try await put(source, to: path, overwrite: overwrite, attributes)
        }
        let limit = service.singleWriteLimit
        let isShort = source.length.map { $0 <= Int64(limit) }
        if isShort == true, !service.gathersSingleWrites {
            return try await put(source, to: path, overwrite: overwrite, attributes)
        }
        let parts = try SourceParts(source)
        if isShort != false {
            // A source that is, or turns out to be, short goes up in one request.
            let start = try await parts.next(source.length.map { Int($0) } ?? limit) ?? Data()
            guard let next = try await parts.next(1) else {
                try PartedUpload.compare(Int64(start.count), promised: source.length)
                var attributes = attributes
                attributes.length = Int64(start.count)
                if service.gathersSingleWrites { attributes.contents = start }
                return try await put(DataSource(start), to: path, overwrite: overwrite, attributes)
            }
            try PartedUpload.compare(Int64(start.count + 1), promised: source.length)
            parts.putBack(start + next)
        }
        let session = try await connection.reading(Service.self, path: path) {
            try await service.uploadSession(
                path: path, overwrite: overwrite, attributes: attributes, over: connection)
        }
        let note =
            try session is any HTTPResumableSession
            ? attributes.resumption.map {
                UploadNote(
                    path: try TemporaryName.make(beside: path, for: $0), service: service, connection: connection)
            } : nil
        let upload = PartedUpload(
            service: service, path: path, connection: connection, session: session, promised: source.length, note: note)
        let (head, length) = try await upload.run(parts)
        let file = written(path, head, length)
        return session.looksAfterwards ? file : try await confirmed(file, head, attributes)
    }

    private func put(
        _ source: any WriteSource, to path: ProviderPath, overwrite: Bool, _ attributes: HTTPWriteAttributes
    ) async throws -> FileObject {
        guard var request = try service.request(for: .write(path), overwrite: overwrite, attributes: attributes) else {
            throw FileError.unsupported("write", by: Self.type, path: path, url: url(of: path))
        }
        let source = MarkedSource(source)
        request.body = .source(source)
        request.isWriting = true
        // Once the last byte is on its way, the file is there or not, and a cancellation waits to be told which.
        let upload = Task { [request] in try await connection.send(request) }
        let head = try await withTaskCancellationHandler {
            try await upload.value
        } onCancel: {
            if source.stop() { upload.cancel() }
        }
        // The end of the source was seen before its last byte was sent.
        guard let length = source.length ?? source.count else {
            return try await look(at: path)
        }
        return try await confirmed(written(path, head, length), head, attributes)
    }

    /// Runs the look in a separate task: the file may be there even if the caller is cancelled.
    private func confirmed(_ file: FileObject, _ head: ResponseHead, _ attributes: HTTPWriteAttributes) async throws
        -> FileObject
    {
        try await withCancellationShield {
            try await self.connection.reading(Service.self, path: file.path) {
                try await self.service.confirmed(file, answer: head, attributes: attributes, over: self.connection)
            }
        }
    }

    private func written(_ path: ProviderPath, _ head: ResponseHead, _ length: Int64) -> FileObject {
        FileObject(path: path, type: .regular, size: length, entryTag: head["ETag"])
    }
}
