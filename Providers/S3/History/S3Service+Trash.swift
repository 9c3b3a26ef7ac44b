public import FileProviderCore
import Foundation
public import HTTPFileProvider

/// The trash of a bucket that keeps versions: removing an object only adds a delete marker on top of its versions. Source: Amazon S3 User Guide, “Working with delete markers”.
extension S3Service: HTTPTrashService {
    /// Lists the objects below `path` whose newest version is a delete marker, with the size of the version under it.
    /// Empty in a bucket without versioning.
    ///
    /// - Complexity: One request for each thousand versions, also those of objects that are not in the trash.
    public func trashItems(
        below path: ProviderPath, over connection: HTTPConnection,
        page: @Sendable ([TrashItem]) async throws -> Void
    ) async throws {
        var listing = S3VersionListing(self, of: path, prefix: Self.prefix(of: path), over: connection)
        // Marks whose object may be on the next page.
        var marks: [[UInt8]: S3Version] = [:]
        while let versions = try await listing.next() {
            for version in versions where version.isMarker && version.isLatest { marks[version.key] = version }
            var items: [TrashItem] = []
            // The first version under a mark is what was removed.
            for version in versions where !version.isMarker {
                guard let mark = marks.removeValue(forKey: version.key), let location = Self.location(of: mark),
                    !TemporaryName.matches(location.name)
                else { continue }
                items.append(
                    TrashItem(
                        identifier: S3TrashIdentifier(version: mark.identifier, key: mark.key).text, path: location,
                        type: .regular, size: version.size, removedDate: mark.modified))
            }
            if !items.isEmpty { try await page(items) }
            // Keys come in their order: what lies before the last is complete.
            let last = versions.map(\.key).max { $0.lexicographicallyPrecedes($1) }
            marks = marks.filter { $0.key == last }
        }
    }

    /// The path of a removed object; nil for a folder's marker, and for a key that no path can hold.
    private static func location(of mark: S3Version) -> ProviderPath? {
        guard let path = try? ProviderPath(bytes: mark.key), path.bytes == mark.key else { return nil }
        return path
    }

    /// Restores an object by removing its delete marker.
    ///
    /// - Throws: Also `CocoaError(.fileWriteFileExists)` where an object was written there meanwhile, and
    ///   `CocoaError(.fileWriteInvalidFileName)` for an identifier that this service does not make;
    ///   `CocoaError(.fileNoSuchFile)` for the identifier of another object, before anything is sent.
    /// - Complexity: Two requests.
    public func restore(_ item: TrashItem, over connection: HTTPConnection) async throws {
        let mark = try Self.mark(of: item, over: connection)
        try await checkIsTrash(item, mark, over: connection)
        try await remove(mark, of: item.path, over: connection)
    }

    /// Removes every version of the object, the delete marker last, so that no old version reappears.
    ///
    /// - Throws: As ``restore(_:over:)-(TrashItem,_)``.
    /// - Complexity: A request for each version, and one for each thousand.
    public func removeFromTrash(_ item: TrashItem, over connection: HTTPConnection) async throws {
        let mark = try Self.mark(of: item, over: connection)
        for version in try await checkIsTrash(item, mark, over: connection).reversed()
        where version.identifier != mark {
            try Task.checkCancellation()
            try await remove(version.identifier, of: item.path, over: connection)
        }
        try await remove(mark, of: item.path, over: connection)
    }

    /// The version of the item's mark.
    ///
    /// - Throws: `CocoaError(.fileWriteInvalidFileName)` for an identifier that this service does not make;
    ///   `CocoaError(.fileNoSuchFile)` for one of another key than the item's path.
    private static func mark(of item: TrashItem, over connection: HTTPConnection) throws -> String {
        guard let identifier = S3TrashIdentifier(item.identifier) else {
            throw FileError.make(
                .fileWriteInvalidFileName, path: item.path, url: connection.url(of: item.path),
                sentence:
                    "“\(item.identifier)” is not the identifier of a removed object. Nothing was changed; list the "
                    + "trash for that of “\(item.path)”.")
        }
        guard identifier.key == item.path.bytes else {
            throw FileError.make(
                .fileNoSuchFile, path: item.path, url: connection.url(of: item.path),
                sentence: "“\(item.identifier)” is the identifier of another object than “\(item.path)”. Nothing was "
                    + "changed; list the trash again.")
        }
        return identifier.version
    }

    /// - Parameter version: The version of the item's mark.
    /// - Returns: All versions under the item's key.
    @discardableResult
    private func checkIsTrash(_ item: TrashItem, _ version: String, over connection: HTTPConnection) async throws
        -> [S3Version]
    {
        let versions = try await allVersions(of: item.path, over: connection)
        let mark = versions.first { $0.isMarker && $0.identifier == version }
        if mark != nil, versions.contains(where: { $0.isLatest && !$0.isMarker }) {
            throw FileError.make(.fileWriteFileExists, path: item.path, url: connection.url(of: item.path))
        }
        // Below another mark it hides nothing, and what lies between the two is no part of the item.
        guard let mark, mark.isLatest else {
            throw FileError.make(
                .fileNoSuchFile, path: item.path, url: connection.url(of: item.path),
                sentence: "“\(item.path)” is no longer in the bucket's trash.")
        }
        return versions
    }

    private func remove(_ version: String, of path: ProviderPath, over connection: HTTPConnection) async throws {
        try Self.checkSegments(of: path.bytes)
        _ = try await connection.send(
            request("DELETE", path, url: url(of: path, version: version), isWriting: true))
    }
}
