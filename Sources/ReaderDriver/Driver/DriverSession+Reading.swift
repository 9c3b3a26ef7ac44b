public import FileProviderCore
public import Foundation
import ReaderMessages

extension DriverSession {
    /// Streams the file of a book into `sink`.
    ///
    /// Reads from ``DriverOptions/booksFolder`` if that is set; else asks the application to export the book.
    /// - Throws: ``DriverError``: pathRejected if the name leads out of the folder, incompatiblePeer if the application
    ///   exports no books, commandFailed if it refused; `CocoaError(.fileReadTooLarge)` over
    ///   ``DriverOptions/maxBookSize``; errors of the storage.
    public func read(_ book: LibraryBook, to sink: any ByteSink, progress: @escaping DriverProgress = { _ in })
        async throws
    {
        try await inTurn {
            try await self.withFile(of: book) { path, transfer in
                try await transfer.read(path, into: sink, progress: progress)
            }
        }
    }

    /// Reads the file of a book into the local file `url`, which appears once it is complete.
    ///
    /// - Throws: As ``read(_:to:progress:)``; `CocoaError(.fileWriteFileExists)` if the name is taken.
    public func read(_ book: LibraryBook, to url: URL, progress: @escaping DriverProgress = { _ in }) async throws {
        try await inTurn {
            try await self.withFile(of: book) { path, transfer in
                try await transfer.fetch(path, to: url, permissions: 0o666, progress: progress)
            }
        }
    }

    /// Fetches books into the local folder `folder`, under safe names that are made from the books' own and are free
    /// there.
    ///
    /// - Returns: For each book, in order, its file or the error. A failed book doesn't hold up the others, unless the
    ///   application stops answering or the storage fails twice.
    public func fetchForImport(
        _ books: [LibraryBook], into folder: URL, progress: @escaping DriverProgress = { _ in }
    ) async -> [Result<URL, any Error>] {
        var names = SafeNames(in: folder)
        var results: [Result<URL, any Error>] = []
        var failures = 0
        for (index, book) in books.enumerated() {
            let start = Double(index)
            let url = await names.url(for: book)
            do {
                try await read(book, to: url) { progress((start + $0) / Double(books.count)) }
                results.append(.success(url))
                failures = 0
            } catch {
                results.append(.failure(error))
                failures += error.isTransient ? 1 : 0
                // The other books would fail in the same way.
                if failures > 1 || endsAll(error) {
                    return results + books[(index + 1)...].map { _ in .failure(error) }
                }
            }
        }
        return results
    }

    private func endsAll(_ error: any Error) -> Bool {
        switch (error as? DriverError)?.kind {
        case .connectionLost, .ejected, .cancelled, .notConnected, .offline, .busy, .notAcknowledged, .stalled,
            .unreadableStatus:
            true
        case .commandFailed, .incompatiblePeer, .damagedLibrary, .noSpace, .pathRejected, nil: false
        }
    }

    /// Calls `body` with the file of `book`, which is removed from the staging folder afterwards.
    private func withFile(
        of book: LibraryBook, _ body: @escaping @Sendable (ProviderPath, Transfer) async throws -> Void
    ) async throws {
        let transfer = Transfer(provider: staging.provider, calls: folder.calls, limit: options.maxBookSize)
        if let root = options.booksFolder {
            let path = try path(of: book.filename, below: ProviderPath(root))
            try await refuseLinks(to: path, below: ProviderPath(root))
            return try await body(path, transfer)
        }
        let path = try await handOut(book)
        let staging = DocumentStaging(
            provider: self.staging.provider, calls: folder.calls, folder: path.parent ?? .root)
        do {
            try await body(path, transfer)
        } catch {
            await takeBack(path, staging: staging)
            throw error
        }
        await takeBack(path, staging: staging)
    }

    /// Asks the application to export the file of `book` into the document staging folder, under an unpredictable name.
    private func handOut(_ book: LibraryBook) async throws -> ProviderPath {
        let info = try await readyForCommand()
        guard DriverCapabilities(info, options: options).readsBooks else {
            throw DriverError(.incompatiblePeer, sentence: "This reader application does not export its books.")
        }
        let staging = try staging(of: info)
        await removeLeftDocuments(staging)
        let name = UploadPlan.stagedName(uuid: "", fileExtension: (book.filename as NSString).pathExtension)
        let path = try staging.folder.appending("0-" + name)
        let action = ReaderAction(
            type: ReaderAction.exportBooks, books: [book.reference], parameters: [ReaderAction.exportName: name])
        do {
            let messages = try await command(.action(action), info: info)
            guard try await isFile(path) else { throw DriverError(.commandFailed(messages: messages)) }
            return path
        } catch {
            await takeBack(path, staging: staging)
            throw error
        }
    }

    private func takeBack(_ path: ProviderPath, staging: DocumentStaging) async {
        let left = await exchange.isAbandoned ? [path] : await withCancellationShield { await staging.remove([path]) }
        leftDocuments.formUnion(left)
    }

    private func isFile(_ path: ProviderPath) async throws -> Bool {
        do { return try await type(of: path) == .regular } catch let error where error.isNoSuchFile { return false }
    }

    private func type(of path: ProviderPath) async throws -> FileType {
        let provider = staging.provider
        return try await folder.calls.run("looking for “\(path.name)”") {
            try await provider.attributesOfItem(path: path).type
        }
    }

    /// Refuses a path with a link between `root` and `path`.
    private func refuseLinks(to path: ProviderPath, below root: ProviderPath) async throws {
        var step: ProviderPath? = path
        while let here = step, here.isBelow(root) {
            guard try await type(of: here) == (here == path ? .regular : .directory) else {
                throw DriverError(
                    .pathRejected, sentence: "“\(LogText.shown(here.string))” is not a regular file, and is not read.")
            }
            step = here.parent
        }
    }
}
