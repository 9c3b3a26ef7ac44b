import FileProviderCore
import Foundation
import ReaderMessages

extension DriverSession {
    /// Uploads books to the device, in batches of ``DriverOptions/batchSize``.
    ///
    /// A replaced book is not deleted first. The application receives an overwriting upload and replaces the old file
    /// once it has checked the new one. If the application publishes no list of its books, none counts as present.
    ///
    /// - Parameters:
    ///   - policy: The policy for books that are already there; `nil` uses that of the options.
    ///   - batch: Called with the result of each batch when it is over, in case a later one fails.
    /// - Returns: One entry for each item. If the application refuses a whole batch, all its books are rejected, and
    ///   the other batches go on.
    /// - Throws: ``DriverError`` or errors of the storage, if nothing can go on. The failed batch leaves nothing behind
    ///   for the application to find.
    public func upload(
        _ items: [UploadItem], policy: ExistingBookPolicy? = nil, progress: @escaping DriverProgress = { _ in },
        batch: @escaping @Sendable (UploadReport) -> Void = { _ in }
    ) async throws -> UploadReport {
        try await inTurn {
            try await self.uploadNow(
                items, policy: policy ?? self.options.existingBooks, progress: progress, batch: batch)
        }
    }

    private func uploadNow(
        _ items: [UploadItem], policy: ExistingBookPolicy, progress: @escaping DriverProgress,
        batch: @escaping @Sendable (UploadReport) -> Void
    ) async throws -> UploadReport {
        let info = try await readyForCommand()
        let list = try await listIfOffered(info)
        let items = items.map { item in
            var item = item
            item.metadata = metadata(item.metadata)
            return item
        }
        let plan = UploadPlan(
            items.map(\.metadata), list: list ?? BookList(), policy: policy,
            refused: Self.refused(items, DriverCapabilities(info, options: options)))
        var report = UploadReport(entries: plan.settled, warnings: takeListWarning())
        if !report.entries.isEmpty { batch(report) }
        let batches = plan.sent.batches(of: options.batchSize)
        let updates = updateBatches(plan.updated, items: items)
        var steps = SharedProgress(progress, steps: batches.count + updates.count)
        if !batches.isEmpty { try await staging(of: info).prepare() }
        for indices in batches {
            let part = try await send(
                indices, of: items, plan: plan, overwrite: policy == .replace, info: info, progress: steps.next())
            report.append(part)
            batch(part)
        }
        for part in updates {
            let result = try await update(part, info: info, progress: steps.next())
            report.append(result)
            batch(result)
        }
        progress(1)
        return await resolved(report, plan: plan, hadList: list != nil, items: items, info: info)
    }

    /// Returns the books whose format the application doesn't accept, with the reason.
    private static func refused(_ items: [UploadItem], _ capabilities: DriverCapabilities) -> [Int: String] {
        let refused = items.enumerated().filter {
            !capabilities.formats.contains($0.element.fileExtension.lowercased())
        }
        return Dictionary(
            uniqueKeysWithValues: refused.map { index, item in
                (
                    index,
                    "The reader application does not accept “\(LogText.shown(item.fileExtension, limit: 20))” files."
                )
            })
    }

    /// Returns the list of books, or `nil` if the application publishes none or an unreadable one.
    func listIfOffered(_ info: ApplicationInfo) async throws -> BookList? {
        guard info.snapshot != nil, context.snapshotReader != nil else { return nil }
        do { return try await currentBooks(refresh: .ifChanged) } catch let error as DriverError
            where error.kind == .incompatiblePeer
        {
            trace.note("The list of books does not exist yet", error)
            return nil
        } catch {
            try await goOnWithoutList(error)
            return nil
        }
    }

    func staging(of info: ApplicationInfo) throws -> DocumentStaging {
        DocumentStaging(provider: staging.provider, calls: folder.calls, folder: try documents(of: info))
    }

    // MARK: One batch

    private func send(
        _ indices: [Int], of items: [UploadItem], plan: UploadPlan, overwrite: Bool, info: ApplicationInfo,
        progress: @escaping DriverProgress
    ) async throws -> UploadReport {
        let staging = try staging(of: info)
        await removeLeftDocuments(staging)
        var batch = UploadBatch(indices: indices, items: items, plan: plan, folder: staging.folder)
        try await batch.measure(with: staging)
        if let free = await staging.freeSpace(), free < batch.totalSize {
            throw DriverError(
                .noSpace,
                sentence:
                    "There is not enough free memory on the device: \(batch.totalSize) bytes are needed, \(free) are free."
            )
        }
        // Prepares before staging: documents of another driver may have the same names.
        try await exchange.prepare()
        do {
            try await batch.stage(with: staging) { progress($0 / 2) }
            let books = batch.manifest
            let messages =
                books.isEmpty
                ? []
                : try await command(.uploadBooks(UploadBooks(overwrite: overwrite, books: books)), info: info) {
                    progress(0.5 + $0 / 2)
                }
            return batch.report(messages, plan: plan)
        } catch {
            await takeBack(batch, staging: staging)
            if let messages = Self.refusal(error) { return batch.refusal(messages) }
            if (error as? CocoaError)?.code == .fileWriteOutOfSpace { throw DriverError(.noSpace, underlying: error) }
            throw error
        }
    }

    /// Returns the application's messages if it refused a command as a whole, or `nil` for an error that ends the
    /// operation.
    static func refusal(_ error: any Error) -> [StatusMessage]? {
        if let failure = error as? MessageFailure { return [StatusMessage(failure.sentence)] }
        guard case .commandFailed(let messages)? = (error as? DriverError)?.kind else { return nil }
        return messages
    }

    private func takeBack(_ batch: UploadBatch, staging: DocumentStaging) async {
        // It may still appear, so the next upload looks for it again.
        if let unanswered = batch.unanswered { leftDocuments.insert(unanswered) }
        // The connection is gone; a later upload removes them.
        if await exchange.isAbandoned { return leftDocuments.formUnion(batch.paths) }
        let time = context.time
        let left = await withCancellationShield {
            await batch.writing.wait(atMost: CommandExchange.writingLimit, by: time)
            return await staging.remove(batch.paths)
        }
        leftDocuments.formUnion(left)
    }

    /// Removes documents that a failure left on the device.
    func removeLeftDocuments(_ staging: DocumentStaging) async {
        if leftDocuments.isEmpty { return }
        leftDocuments = Set(await staging.remove(Array(leftDocuments)))
    }
}

extension Array {
    /// Returns the elements in order, in pieces of `count`.
    func batches(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: Swift.max(1, count)).map {
            Array(self[$0..<Swift.min($0 + Swift.max(1, count), self.count)])
        }
    }
}
