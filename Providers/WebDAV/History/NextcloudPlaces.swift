import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider

/// Where Nextcloud shows a user's trash and versions, counted from the host's root. Source: Nextcloud developer manual,
/// “WebDAV: Trashbin” and “WebDAV: Versions”.
struct NextcloudPlaces {
    /// `…/files/USER`.
    let files: ProviderPath
    /// `…/trashbin/USER/trash`.
    let trash: ProviderPath
    /// `…/trashbin/USER/restore`.
    let trashRestore: ProviderPath
    /// `…/versions/USER/versions`, which has a folder for each file, named by the file's identifier.
    let versions: ProviderPath
    /// `…/versions/USER/restore`.
    let versionsRestore: ProviderPath

    /// Nil for an item that is not reached by the newer WebDAV, whose path has the user in it.
    init?(_ files: OwnCloudFiles) {
        guard let dav = files.dav, files.scope.components.count >= 2 else { return nil }
        let user = Array(files.scope.components[1])
        func location(_ kind: String, _ more: String? = nil) -> ProviderPath? {
            guard let own = try? dav.appending(kind).appending(nameBytes: user) else { return nil }
            return more.map { try? own.appending($0) } ?? own
        }
        guard let root = location("files"), let trash = location("trashbin", "trash"),
            let trashRestore = location("trashbin", "restore"), let versions = location("versions", "versions"),
            let versionsRestore = location("versions", "restore")
        else { return nil }
        (self.files, self.trash, self.trashRestore) = (root, trash, trashRestore)
        (self.versions, self.versionsRestore) = (versions, versionsRestore)
    }
}

extension WebDAVFileProvider {
    /// Returns the places of the trash and the versions of the item at `path`.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)` on any server but Nextcloud.
    func nextcloudPlaces(for path: ProviderPath, _ what: String) async throws -> NextcloudPlaces {
        guard try await quirks().vendor == .nextcloud, let files = try await ownCloudFiles(at: path),
            let locations = NextcloudPlaces(files)
        else {
            throw FileError.make(
                .featureUnsupported, path: path, url: url(of: path),
                sentence:
                    "\(what) of “\(path)” is not available: this server is not Nextcloud, or its address has no user in it, "
                    + "as in remote.php/dav/files/USER.")
        }
        return locations
    }

    /// Moves an item of the trash or a version to where the server restores it.
    func restore(_ item: ProviderPath, to folder: ProviderPath, name: String, about path: ProviderPath) async throws {
        let server = try ofWholeServer(try await quirks())
        cache.drop(path)
        await connection.forget([path])
        defer { cache.drop(path) }
        var request = HTTPRequest(
            "MOVE", path: path,
            headers: [("Destination", server.url(of: try folder.appending(name)).absoluteString), ("Overwrite", "T")],
            repetition: .ifNotDone, isWriting: true)
        request.url = server.url(of: item)
        do { _ = try await connection.send(request) } catch {
            await connection.forget([path])
            throw error
        }
        await connection.forget([path])
    }
}
