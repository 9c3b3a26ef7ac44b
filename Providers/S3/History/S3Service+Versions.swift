public import FileProviderCore
import Foundation
public import HTTPFileProvider

extension S3Service: HTTPVersionsService {
    /// Lists the versions that the bucket keeps (`ListObjectVersions`). A bucket without versioning keeps one.
    ///
    /// - Complexity: One request for each thousand versions.
    public func versions(of path: ProviderPath, over connection: HTTPConnection) async throws -> [FileVersion] {
        let versions = try await allVersions(of: path, over: connection).filter { !$0.isMarker }
        if versions.isEmpty {
            if try await isFolder(path: path, over: connection) {
                throw FileError.isADirectory(path, url: connection.url(of: path))
            }
            throw FileError.make(.fileReadNoSuchFile, path: path, url: connection.url(of: path))
        }
        return versions.map {
            FileVersion(
                identifier: $0.identifier, path: path, size: $0.size, modifiedDate: $0.modified,
                entryTag: $0.entryTag, isCurrent: $0.isLatest)
        }
    }

    /// Returns the `GET` of a version.
    public func request(forReading version: FileVersion) throws -> HTTPRequest {
        var request = HTTPRequest("GET", path: version.path)
        request.url = url(of: version.path, version: version.identifier)
        request.storesContentEncoding = true
        return request
    }

    /// Restores a version by copying it over the object, as its newest version. In a bucket with versioning, the present
    /// one stays as a version.
    ///
    /// - Complexity: One request, and one more for a version that was the newest when it was listed; for objects over
    ///   5 GiB one for each part, and a look.
    public func restore(_ version: FileVersion, over connection: HTTPConnection) async throws {
        // S3 refuses to copy an object to itself. What was the newest version may have been replaced since.
        if version.isCurrent {
            let newest = try await allVersions(of: version.path, over: connection).first(where: \.isLatest)
            if newest?.identifier == version.identifier { return }
        }
        try await copyVersion(version, over: connection)
    }
}
