import Foundation

/// The items that one copy created, in order, so that the copy can be undone.
final class MadeItems: Sendable {
    private let items = CollectedValues<FileObject>()

    func addFolder(_ path: ProviderPath) { items.append(FileObject(path: path, type: .directory)) }

    /// Records a file with its tag and date, which tell it from another one of the same size.
    ///
    /// - Parameter written: The file as the write returned it; nil for a file that the storage copied by itself.
    /// - Complexity: A look at the file, unless `written` has a tag or a date.
    func addFile(
        _ path: ProviderPath, size: Int64?, written: FileObject? = nil, in provider: any FileProvider
    ) async {
        var file = FileObject(
            path: path, type: .regular, size: size, modifiedDate: written?.modifiedDate, entryTag: written?.entryTag)
        if file.modifiedDate == nil, file.entryTag == nil {
            // Outside the task, which may be cancelled: the file exists all the same.
            let seen = await withCancellationShield { try? await Self.look(at: path, in: provider) }
            (file.modifiedDate, file.entryTag) = (seen?.modifiedDate, seen?.entryTag)
        }
        items.append(file)
    }

    /// Removes the items, the last one first, if they are still as the copy created them.
    ///
    /// A file with another size, version or date by now was changed by another writer and stays. So does one that has
    /// neither version nor date, and a folder that is not empty.
    ///
    /// - Complexity: A look and a removal for each file, a removal for each folder.
    func remove(from provider: any FileProvider) async {
        let precision = (try? await provider.capabilities())?.timePrecision ?? 1
        for item in items.values.reversed() {
            if !item.isDirectory {
                guard let now = try? await Self.look(at: item.path, in: provider),
                    isUnchanged(item, now, precision: precision)
                else { continue }
            }
            try? await provider.removeItem(path: item.path, recursive: false)
        }
    }

    private static func look(at path: ProviderPath, in provider: any FileProvider) async throws -> FileObject {
        try await ListingCache.bypassing { try await provider.attributesOfItem(path: path) }
    }

    /// - Parameter precision: The step of dates in seconds: two reports of one date differ by less.
    private func isUnchanged(_ made: FileObject, _ now: FileObject, precision: Double) -> Bool {
        guard now.isRegularFile else { return false }
        if let size = made.size, let found = now.size, size != found { return false }
        var isProven = false
        if let tag = made.entryTag, let found = now.entryTag {
            // A server may call a version weak at first and strong a moment later (RFC 9110, section 8.8.3).
            if tag.withoutWeakness != found.withoutWeakness { return false }
            isProven = true
        }
        if let date = made.modifiedDate, let found = now.modifiedDate {
            if abs(date.timeIntervalSince(found)) >= precision { return false }
            isProven = true
        }
        return isProven
    }
}

extension String {
    fileprivate var withoutWeakness: Substring { hasPrefix("W/") ? dropFirst(2) : self[...] }
}
