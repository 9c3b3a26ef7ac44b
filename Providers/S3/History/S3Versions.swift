import FileProviderCore
import Foundation
import HTTPFileProvider
import SafeXML

/// One version of an object, or the mark that it was removed.
struct S3Version: Sendable {
    let key: [UInt8]
    /// `null` in a bucket that has kept no versions yet.
    let identifier: String
    let isLatest: Bool
    /// Whether it says that the object was removed.
    let isMarker: Bool
    let size: Int64?
    let modified: Date?
    let entryTag: String?
}

/// All versions of the keys with one prefix, in the order of keys and the newest first, page by page. Source: Amazon S3
/// API Reference, `ListObjectVersions`.
struct S3VersionListing {
    private let service: S3Service
    private let path: ProviderPath
    private let prefix: [UInt8]
    private let connection: HTTPConnection
    /// The marker of the next page, percent-encoded; nil for the first.
    private var location: (key: String, version: String)?
    private var known: Set<String> = []
    private var isOver = false

    /// - Parameter path: Named in messages.
    init(_ service: S3Service, of path: ProviderPath, prefix: [UInt8], over connection: HTTPConnection) {
        self.service = service
        self.path = path
        self.prefix = prefix
        self.connection = connection
    }

    /// A thousand versions at most; nil after the last.
    ///
    /// - Throws: `URLError(.badServerResponse)` when the listing goes in a circle, or does not say where it goes on.
    mutating func next() async throws -> [S3Version]? {
        if isOver { return nil }
        try Task.checkCancellation()
        var query = "encoding-type=url&max-keys=1000&prefix=\(S3Encoding.percentEncoded(prefix))&versions="
        if let location { query += "&key-marker=\(location.key)&version-id-marker=\(location.version)" }
        let request = service.request("GET", path, url: service.url(ofKey: [], query: query))
        let (root, _) = try await service.document(for: request, named: "ListVersions", over: connection)
        let isEncoded = root.first("EncodingType")?.text == "url"
        isOver = root.first("IsTruncated")?.text != "true"
        if !isOver { try goOn(root, isEncoded) }
        let all = root.children.compactMap { Self.version($0, isEncoded) }
        // A key outside the prefix must never be restored or removed.
        return all.filter { $0.key.starts(with: prefix) }
    }

    private mutating func goOn(_ root: XMLElement, _ isEncoded: Bool) throws {
        let key = root.first("NextKeyMarker").map { S3Page.bytes($0.text, isEncoded) } ?? []
        let version = root.first("NextVersionIdMarker")?.text ?? ""
        let next = (key: S3Encoding.percentEncoded(key), version: S3Encoding.percentEncoded(version.utf8))
        guard !key.isEmpty, known.insert("\(next.key) \(next.version)").inserted else {
            throw FileError.make(
                .badServerResponse, url: connection.url(of: path),
                sentence: "The server's listing of versions of “\(path)” has more and does not go on.")
        }
        location = next
    }

    private static func version(_ element: XMLElement, _ isEncoded: Bool) -> S3Version? {
        guard ["Version", "DeleteMarker"].contains(element.name), let key = element.first("Key")?.text,
            let identifier = element.first("VersionId")?.text, !identifier.isEmpty
        else { return nil }
        return S3Version(
            key: S3Page.bytes(key, isEncoded), identifier: identifier,
            isLatest: element.first("IsLatest")?.text == "true", isMarker: element.name == "DeleteMarker",
            size: element.first("Size").flatMap { Int64($0.text) }.flatMap { $0 >= 0 ? $0 : nil },
            modified: element.first("LastModified").flatMap { HTTPDate.parse($0.text) },
            entryTag: element.first("ETag")?.text)
    }
}

extension S3Service {
    /// Versions of one key that are listed at most; there may be a million.
    static let maxVersions = 100_000

    /// Everything that the bucket keeps under one key, the newest first.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` over ``maxVersions``.
    func allVersions(of path: ProviderPath, over connection: HTTPConnection) async throws -> [S3Version] {
        guard Self.isKey(path) else { return [] }
        var found: [S3Version] = []
        var listing = S3VersionListing(self, of: path, prefix: path.bytes, over: connection)
        while let page = try await listing.next() {
            found += page.filter { $0.key == path.bytes }
            guard found.count <= Self.maxVersions else {
                throw FileError.make(
                    .fileReadTooLarge, path: path, url: connection.url(of: path),
                    sentence: "“\(path)” has more than \(Self.maxVersions) versions.")
            }
            // The key itself comes before those that it begins.
            if page.contains(where: { $0.key != path.bytes }) { break }
        }
        // Some servers list the marks behind all versions.
        return found.enumerated().sorted { one, other in
            if one.element.isLatest != other.element.isLatest { return one.element.isLatest }
            let (first, second) = (one.element.modified ?? .distantPast, other.element.modified ?? .distantPast)
            return first != second ? first > second : one.offset < other.offset
        }.map(\.element)
    }

    /// The URL of one version of an object.
    func url(of path: ProviderPath, version: String) -> URL {
        url(ofKey: path.bytes, query: "versionId=\(S3Encoding.percentEncoded(version.utf8))")
    }
}
