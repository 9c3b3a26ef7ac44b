/// The items that one copy made, in the order in which it made them, so that the copy can be taken back.
final class MadeItems: Sendable {
    private let items = CollectedValues<FileObject>()

    func add(_ item: FileObject) { items.append(item) }

    /// Removes the items, those that were made last first, as far as they are still what the copy made.
    ///
    /// A file that has another size or version by now is somebody else's and stays, and so does a folder in which
    /// anything is left.
    ///
    /// - Complexity: A look and a removal for each file, a removal for each folder.
    func remove(from provider: any FileProvider) async {
        for item in items.values.reversed() {
            if !item.isDirectory, (try? await isUnchanged(item, in: provider)) != true { continue }
            try? await provider.removeItem(path: item.path, recursive: false)
        }
    }

    private func isUnchanged(_ made: FileObject, in provider: any FileProvider) async throws -> Bool {
        let now = try await ListingCache.bypassing { try await provider.attributesOfItem(path: made.path) }
        guard now.isRegularFile else { return false }
        if let size = made.size, let own = now.size, size != own { return false }
        guard let tag = made.entryTag, let own = now.entryTag else { return true }
        // A server may call a version weak at first and strong a moment later (RFC 9110, section 8.8.3).
        return tag.withoutWeakness == own.withoutWeakness
    }
}

extension String {
    fileprivate var withoutWeakness: Substring { hasPrefix("W/") ? dropFirst(2) : self[...] }
}
