import CurlTransport
public import FileProviderCore
import Foundation
import HTTPFileProvider

/// The versions that a Nextcloud server keeps of files. Source: Nextcloud developer manual, “WebDAV: Versions”.
extension WebDAVFileProvider: FileProviderVersions {
    /// Lists the versions of a file; newer servers include the present one.
    ///
    /// - Throws: Also `CocoaError(.featureUnsupported)` on any server but Nextcloud, and for a file without an
    ///   identifier.
    /// - Complexity: Two `PROPFIND`s.
    public func versions(of path: ProviderPath) async throws -> [FileVersion] {
        let locations = try await nextcloudPlaces(for: path, "The versions")
        let file = try await item(path, isWriting: false)
        if file.isDirectory { throw FileError.isADirectory(path, url: url(of: path)) }
        let server = try ofWholeServer(try await quirks())
        let folder = try Self.folder(of: file, in: locations, url: url(of: path))
        let found = CollectedValues<FileVersion>()
        do {
            try await server.list(folder) { items in
                found.append(
                    items.filter { !$0.isDirectory }.map { version in
                        FileVersion(
                            identifier: "\(folder.name)/\(version.name)", path: path, size: version.size,
                            modifiedDate: version.modifiedDate, entryTag: version.entryTag,
                            isCurrent: version.modifiedDate == file.modifiedDate && version.size == file.size)
                    })
            }
        } catch let error where error.isNoSuchFile {
            // Some servers have no folder for a file that was never changed.
            return []
        }
        return found.values.sorted { ($0.modifiedDate ?? .distantPast) > ($1.modifiedDate ?? .distantPast) }
    }

    /// Opens a version for reading by `GET`.
    public func open(_ version: FileVersion) async throws -> any FileReader {
        let locations = try await nextcloudPlaces(for: version.path, "The versions")
        let server = try ofWholeServer(try await quirks())
        var request = HTTPRequest("GET", path: version.path)
        request.url = server.url(of: try Self.location(of: version, in: locations))
        return connection.open(request, cost: .request)
    }

    /// Restores a version by moving it to the server's restore folder.
    ///
    /// - Complexity: One request.
    public func restore(_ version: FileVersion) async throws {
        let locations = try await nextcloudPlaces(for: version.path, "The versions")
        let location = try Self.location(of: version, in: locations)
        try await restore(location, to: locations.versionsRestore, name: "target", about: version.path)
    }

    private static func folder(of file: FileObject, in locations: NextcloudPlaces, url: URL) throws -> ProviderPath {
        guard let identifier = file[.fileIdentifier], let folder = try? locations.versions.appending(identifier),
            folder.parent == locations.versions
        else {
            throw FileError.make(
                .featureUnsupported, path: file.path, url: url,
                sentence: "The server does not say under which number it keeps versions of “\(file.path)”.")
        }
        return folder
    }

    private static func location(of version: FileVersion, in locations: NextcloudPlaces) throws -> ProviderPath {
        let location = locations.versions.appending(try ProviderPath(version.identifier))
        guard location.parent?.parent == locations.versions else {
            throw FileError.make(.fileReadInvalidFileName, path: version.path)
        }
        return location
    }
}
