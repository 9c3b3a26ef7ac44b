/// A listing, complete or up to an error; its items are valid either way.
public struct DirectoryListing: Sendable {
    /// In the order of the storage; all of them if ``error`` is nil.
    public let contents: [FileObject]
    /// Why the listing is not complete; nil if it is.
    public let error: (any Error)?
}

extension FileProviderBasic {
    /// Returns the pages of the folder at `path`; each is requested when the one before was consumed. A failure is
    /// thrown after the pages before it.
    public func pages(ofDirectory path: ProviderPath) -> PushedValues<[FileObject]> {
        PushedValues { send in try await self.contentsOfDirectory(path: path) { try await send($0) } }
    }

    /// Returns the direct children of the folder at `path`, and the error if the listing ended early.
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

    /// Returns `path` if it is free, else the first free one of `name 2.ext`, `name 3.ext` and so on in the same
    /// folder.
    ///
    /// The name may be taken before you use it: write without `overwrite`.
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
        // The number of a copy's name is increased.
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
