package import Foundation

extension DirectoryListing {
    /// Returns the listing with only the items that may be copied: those directly in `folder`, each under a name that
    /// the listing uses once.
    ///
    /// A hostile server lists a name twice, first as a folder and then as a link, to have files written through the
    /// link. Both are left out, and so are items of other folders. ``error`` says so, unless it is another one already.
    package func checked(in folder: ProviderPath) -> DirectoryListing {
        if let error, error.unusableNames == nil { return self }
        var (seen, twice) = (Set<ProviderPath>(minimumCapacity: contents.count), Set<ProviderPath>())
        var (refused, strangers) = (error?.unusableNames ?? UnusableNames(), 0)
        for item in contents where !seen.insert(item.path).inserted { twice.insert(item.path) }
        let good = contents.filter { item in
            if item.path.isRight(in: folder), !twice.contains(item.path) { return true }
            strangers += 1
            refused.add(nameBytes: item.path.nameBytes)
            return false
        }
        if strangers == 0 { return self }
        return DirectoryListing(contents: good, error: FileError.refusedItems(refused, in: folder))
    }
}

extension FileError {
    /// The error that ends a listing which names an item twice, or has items of other folders.
    package static func refusedItems(_ names: UnusableNames, in folder: ProviderPath) -> CocoaError {
        make(
            .fileReadInvalidFileName, path: folder,
            sentence: """
                \(names.count) \(names.count == 1 ? "item" : "items") in “\(folder)” \(names.count == 1 ? "was" : "were") left out, because \
                the storage lists a name twice or the name of another folder's item; the first is “\(names.first)”.
                """,
            underlying: names)
    }
}
