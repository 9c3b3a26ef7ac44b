import FileProviderCore
import Foundation
import ReaderMessages

extension PlainFolderDriver {
    /// Uploads books to the folder, each in one step and under a safe name made from its title.
    ///
    /// A book already exists if one of the same format has its uuid, or has no uuid and the same title and authors;
    /// `policy` decides about that one. Any other file with the same name stays: the new name gets a number.
    /// - Throws: An error that occurs before the first book. Problems with single books are in the report. After a lost
    ///   connection, the remaining books are rejected for that reason.
    public func upload(
        _ items: [UploadItem], policy: ExistingBookPolicy = .protect, progress: @escaping DriverProgress = { _ in }
    ) async throws -> UploadReport {
        try await exclusively {
            try await refresh { progress($0 * 0.1) }
            var names = TakenNames(try await provider.contentsOfDirectory(path: folder).map(\.name))
            var known = KnownBooks(entries.values)
            var report = UploadReport()
            var changes: [FolderChange] = []
            var lost: (any Error)?
            for (index, item) in items.enumerated() where !Task.isCancelled {
                do {
                    if let lost { throw lost }
                    let (entry, made) = try await put(item, at: index, policy, known, &names)
                    report.entries.append(entry)
                    if !made.isEmpty, let filename = entry.book?.filename {
                        changes += made
                        known.remove(entries[filename])
                        for change in made { change.apply(to: &entries) }
                        known.add(entries[filename])
                    }
                } catch {
                    if error.isTransient || error.isCancellation { lost = error }
                    report.entries.append(UploadReport.Entry(index: index, outcome: .rejected(error.sentence)))
                }
                progress(0.1 + 0.9 * Double(index + 1) / Double(items.count))
            }
            await remember(changes)
            try Task.checkCancellation()
            report.warnings = await takeWarnings()
            return report
        }
    }

    private func put(
        _ item: UploadItem, at index: Int, _ policy: ExistingBookPolicy, _ known: KnownBooks, _ names: inout TakenNames
    ) async throws -> (UploadReport.Entry, [FolderChange]) {
        let fileExtension = item.fileExtension.lowercased()
        guard let format = try await formats.format(of: fileExtension) else {
            throw FileError.make(
                .featureUnsupported, path: item.metadata.title,
                sentence: "“\(StagedName.shown(item.metadata.title))” has a format that this folder does not accept.")
        }
        guard let there = known.book(of: item.metadata, format: format).flatMap({ entries[$0] }) else {
            let path = try await write(item, fileExtension: fileExtension, &names)
            return try await settle(item, index, path, format, previous: nil)
        }
        switch policy {
        case .protect: return (UploadReport.Entry(index: index, outcome: .skipped, book: there.book), [])
        case .update:
            let edit = PlainFolderEdit(filename: there.path, metadata: item.metadata)
            var entry = there
            entry.apply(edit)
            return (
                UploadReport.Entry(index: index, outcome: .updated, book: entry.book), [.known(there), .edited(edit)]
            )
        case .replace:
            let path = try await provenPath(of: there.path)
            try await provider.writeContents(
                path: path, from: try await item.source(), options: WriteOptions(overwrite: true))
            return try await settle(item, index, path, format, previous: there)
        }
    }

    /// Writes a new file at the top of the folder.
    private func write(_ item: UploadItem, fileExtension: String, _ names: inout TakenNames) async throws
        -> ProviderPath
    {
        let source = try await item.source()
        var tries = 0
        while true {
            tries += 1
            let path = try folder.appending(names.take(title: item.title, fileExtension: fileExtension))
            do {
                try await provider.writeContents(path: path, from: source, options: WriteOptions())
                return path
            } catch let error where error.isFileExists && tries < 100 {
                // The name was taken since the folder was listed, or the storage treats it as the same as an existing
                // one.
            }
        }
    }

    /// Reads the written file as a listing would, and adds calibre's metadata.
    private func settle(
        _ item: UploadItem, _ index: Int, _ path: ProviderPath, _ format: String, previous: FolderCacheEntry?
    ) async throws -> (UploadReport.Entry, [FolderChange]) {
        let key = previous?.path ?? path.name.precomposedStringWithCanonicalMapping
        var found = FoundFile(FileObject(path: path, type: .regular), key: key, format: format)
        let added = previous?.added ?? now
        var entry: FolderCacheEntry
        var warnings: [String] = []
        do {
            found = FoundFile(try await provider.attributesOfItem(path: path), key: key, format: format)
            let ends = try await FileEnds.digest(of: path, on: provider)
            let covers = CoverSpace(options, besides: entries.values)
            let extraction = BookExtraction(provider: provider, options: options, covers: covers)
            entry = try await extraction.entry(for: found, size: ends.size, digest: ends.digest, added: added)
            // A PDF file contains no cover image.
            entry.thumbnail = entry.thumbnail ?? item.cover.flatMap(extraction.kept)
        } catch {
            // The file exists, even after a cancellation; the next listing reads it.
            entry = FolderCacheEntry(path: key, size: found.size ?? 0, format: format, title: found.title, added: added)
            warnings.append("The uploaded book could not be read back: \(error.sentence)")
        }
        if let problem = entry.problem { warnings.append(problem) }
        entry.apply(PlainFolderEdit(filename: key, metadata: item.metadata))
        if !item.metadata.uuid.isEmpty {
            entry.uuid = String(BookUUID.canonical(item.metadata.uuid).prefix(100))
            entry.edited.insert(.uuid)
        }
        paths[key] = path
        let outcome: UploadReport.Outcome = previous == nil ? .added : .replaced
        return (
            UploadReport.Entry(index: index, outcome: outcome, book: entry.book, warnings: warnings), [.placed(entry)]
        )
    }
}

extension UploadItem {
    /// The title for its file name.
    fileprivate var title: String {
        if !metadata.title.isEmpty { return metadata.title }
        if case .file(let url) = contents { return url.deletingPathExtension().lastPathComponent }
        return ""
    }

    fileprivate func source() async throws -> any WriteSource {
        switch contents {
        case .file(let url): try await BlockingThreads.shared.run { try FileSource(url) }
        case .reader(let reader): try await reader.writeSource()
        }
    }
}
