import CurlTransport
public import FileProviderCore
import Foundation
import HTTPFileProvider

/// The trash of a Nextcloud server. Source: Nextcloud developer manual, “WebDAV: Trashbin”.
extension WebDAVFileProvider: FileProviderTrash {
    private static let trashProperties = """
        <D:resourcetype/><D:getcontentlength/>\
        <nc:trashbin-original-location xmlns:nc="http://nextcloud.org/ns"/>\
        <nc:trashbin-deletion-time xmlns:nc="http://nextcloud.org/ns"/>
        """

    /// Lists the items in the server's trash that were at or below `path`.
    ///
    /// - Throws: Also `CocoaError(.featureUnsupported)` on any server but Nextcloud.
    /// - Complexity: One `PROPFIND` of the whole trash, of depth 1.
    public func trashItems(below path: ProviderPath, page: @Sendable ([TrashItem]) async throws -> Void) async throws {
        let locations = try await nextcloudPlaces(for: path, "The trash")
        let server = try ofWholeServer(try await quirks())
        let asked = LockedValue(server.asked(locations.trash, isFolder: true))
        try await server.propfind(
            locations.trash, isFolder: true, depth: 1, isWriting: false, properties: Self.trashProperties
        ) { responses in
            var items: [TrashItem] = []
            for response in responses {
                guard case .child(let name) = asked.update({ $0.location(of: response) }), !response.hasFailed,
                    let item = self.trashItem(response, name: name, locations)
                else { continue }
                if path.isRoot || item.path == path || item.path.isBelow(path) { items.append(item) }
            }
            if !items.isEmpty { try await page(items) }
        }
    }

    /// Nil for an item that was outside of this provider's root, or whose place no path can hold.
    private func trashItem(_ response: DAVResponse, name: [UInt8], _ locations: NextcloudPlaces) -> TrashItem? {
        guard let location = response.trashLocation, let below = try? ProviderPath(bytes: location), !below.isRoot,
            let path = locations.files.appending(below).relative(to: rootPath), !path.isRoot,
            let named = try? ProviderPath.root.appending(nameBytes: name)
        else { return nil }
        return TrashItem(
            identifier: named.name, path: path, type: response.isCollection ? .directory : .regular,
            size: response.isCollection ? nil : response.size, removedDate: response.trashDate)
    }

    /// Restores an item by moving it to the server's restore folder. If the name is taken, Nextcloud gives the item
    /// another name beside it.
    ///
    /// - Complexity: One request.
    public func restore(_ item: TrashItem) async throws {
        let locations = try await nextcloudPlaces(for: item.path, "The trash")
        let location = try Self.location(of: item, in: locations)
        try await restore(location, to: locations.trashRestore, name: location.name, about: item.path)
    }

    /// - Complexity: One request.
    public func removeFromTrash(_ item: TrashItem) async throws {
        let locations = try await nextcloudPlaces(for: item.path, "The trash")
        let server = try ofWholeServer(try await quirks())
        var request = HTTPRequest("DELETE", path: item.path, isWriting: true)
        request.url = server.url(of: try Self.location(of: item, in: locations))
        _ = try await connection.send(request)
    }

    private static func location(of item: TrashItem, in locations: NextcloudPlaces) throws -> ProviderPath {
        let location = try locations.trash.appending(item.identifier)
        // One name, or more than the item would go.
        guard location.parent == locations.trash else {
            throw FileError.make(.fileWriteInvalidFileName, path: item.path)
        }
        return location
    }
}
