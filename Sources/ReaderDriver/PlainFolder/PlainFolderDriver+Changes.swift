import FileProviderCore
import Foundation
import ReaderMessages

extension PlainFolderDriver {
    /// Removes books from the folder; folders that become empty stay.
    ///
    /// A book that was listed before and is gone counts as removed.
    /// - Throws: An error that ends the operation, such as a lost connection while the folder is listed. Problems with
    ///   single books are in the report.
    public func delete(_ filenames: [String], progress: @escaping DriverProgress = { _ in }) async throws
        -> PlainFolderReport
    {
        try await exclusively {
            let known = paths
            try await refresh()
            var report = PlainFolderReport()
            var changes: [FolderChange] = []
            for (index, filename) in filenames.enumerated() where !Task.isCancelled {
                do {
                    try await remove(filename, known: known)
                    if let entry = entries[filename] { changes.append(.gone(entry)) }
                    (entries[filename], paths[filename]) = (nil, nil)
                    report.done.append(filename)
                } catch {
                    report.fail(filename, error.sentence)
                }
                progress(Double(index + 1) / Double(filenames.count))
            }
            await remember(changes)
            try Task.checkCancellation()
            report.warnings = await takeWarnings()
            return report
        }
    }

    private func remove(_ filename: String, known: [String: ProviderPath]) async throws {
        if paths[filename] == nil, known[filename] != nil { return }
        let path = try await provenPath(of: filename)
        do { try await provider.removeItem(path: path, recursive: false) } catch let error where error.isNoSuchFile {
            // Someone else has already removed it.
        }
    }

    /// Changes titles and authors. The files stay unchanged; the cache keeps the edits, even if a file is later
    /// replaced or moved.
    ///
    /// - Throws: Errors of the provider, also if the cache can't be written; nothing is changed then.
    public func update(_ edits: [PlainFolderEdit]) async throws -> PlainFolderReport {
        try await exclusively {
            try await refresh()
            var report = PlainFolderReport()
            var changes: [FolderChange] = []
            for edit in edits {
                if entries[edit.filename] == nil {
                    report.fail(edit.filename, PlainFolderError(.notFound, edit.filename).sentence)
                } else if edit.title.map({ BookExtraction.line($0).isEmpty }) == true {
                    report.fail(
                        edit.filename, "“\(StagedName.shown(edit.filename))” keeps its title: the new one is empty."
                    )
                } else {
                    // A book that could not be read now is not in the cache yet.
                    if let entry = entries[edit.filename] { changes.append(.known(entry)) }
                    changes.append(.edited(edit))
                    report.done.append(edit.filename)
                }
            }
            try await store.commit(changes)
            for change in changes { change.apply(to: &entries) }
            report.warnings = await takeWarnings()
            return report
        }
    }
}
