/// A listing as far as it came: what was told before the storage failed is good.
public struct DirectoryListing: Sendable {
    /// In the order in which the storage told them; all of them where ``error`` is nil.
    public let contents: [FileObject]
    /// Why the listing is not complete; nil when it is.
    public let error: (any Error)?
}

extension FileProviderBasic {
    /// The pages of the folder at `path`, each asked for when the one before was used up. A failure comes after the
    /// pages before it.
    public func pages(ofDirectory path: ProviderPath) -> PushedValues<[FileObject]> {
        PushedValues { send in try await self.contentsOfDirectory(path: path) { try await send($0) } }
    }

    /// The direct children of the folder at `path`, collected, together with what ended the listing early.
    ///
    /// - Complexity: As ``contentsOfDirectory(path:page:)``; all items are held.
    public func listing(path: ProviderPath) async -> DirectoryListing {
        let found = CollectedValues<FileObject>()
        do {
            try await contentsOfDirectory(path: path) { found.append($0) }
            return DirectoryListing(contents: found.values, error: nil)
        } catch {
            return DirectoryListing(contents: found.values, error: error)
        }
    }

    /// `path` where it is free, else the first free one of `name 2.ext`, `name 3.ext` and so on in the same folder.
    ///
    /// Another may take it before it is used: write without `overwrite`.
    ///
    /// - Throws: As ``contentsOfDirectory(path:page:)`` of the folder.
    /// - Complexity: One listing.
    public func fileByUniqueName(_ path: ProviderPath) async throws -> ProviderPath {
        guard let folder = path.parent else { return path }
        let taken = Set(try await contentsOfDirectory(path: folder).map { Array($0.path.nameBytes) })
        let name = Array(path.nameBytes)
        if !taken.contains(name) { return path }
        let dot = name.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 == 0 ? nil : $0 } ?? name.endIndex
        var stem = name[..<dot]
        var number = 2
        // A copy of a copy counts on.
        if let space = stem.lastIndex(of: UInt8(ascii: " ")),
            let last = Int(String(decoding: stem[(space + 1)...], as: UTF8.self)),
            (2..<Int.max - taken.count - 1).contains(last)
        {
            stem = stem[..<space]
            number = last + 1
        }
        while true {
            let next = stem + Array(" \(number)".utf8) + name[dot...]
            if !taken.contains(Array(next)) { return try folder.appending(nameBytes: next) }
            number += 1
        }
    }
}
