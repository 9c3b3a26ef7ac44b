public import CurlTransport
public import FileProviderCore
public import Foundation
public import HTTPFileProvider
import SafeXML

/// An object in a listing. Its key may be one that no path can hold.
struct S3Object: Sendable {
    let key: [UInt8]
    let size: Int64?
    let modified: Date?
    let entryTag: String?
}

/// One page of a listing. Source: Amazon S3 API Reference, `ListObjectsV2` and `ListObjects`.
struct S3Page: Sendable {
    var objects: [S3Object] = []
    /// The common prefixes of keys with a delimiter, the delimiter included.
    var prefixes: [[UInt8]] = []
    /// The start of the next page; nil at the end of the listing.
    var next: S3ListingCursor?

    /// - Parameter isOld: Whether `ListObjects` was asked for. A server that does not know the newer request may answer
    ///   it as the old one.
    init(_ root: XMLElement, isOld: Bool) throws {
        guard root.name == "ListBucketResult" else {
            throw FileError.make(
                .badServerResponse, url: nil, sentence: "The server's answer is no listing of a bucket.")
        }
        let isEncoded = root.first("EncodingType")?.text == "url"
        for element in root.children {
            switch element.name {
            case "Contents": objects.append(Self.object(element, isEncoded))
            case "CommonPrefixes":
                for prefix in element.all("Prefix") { prefixes.append(Self.bytes(prefix.text, isEncoded)) }
            default: break
            }
        }
        next = try Self.cursor(root, isOld: isOld, last: last, isEncoded)
    }

    /// The last in the order of a listing, that of bytes.
    private var last: [UInt8]? { (objects.map(\.key) + prefixes).max { $0.lexicographicallyPrecedes($1) } }

    private static func cursor(
        _ root: XMLElement, isOld: Bool, last: @autoclosure () -> [UInt8]?, _ isEncoded: Bool
    ) throws -> S3ListingCursor? {
        let isTruncated = root.first("IsTruncated")?.text
        if isTruncated == "false" { return nil }
        if !isOld, let token = root.first("NextContinuationToken")?.text, !token.isEmpty { return .token(token) }
        let marker = root.first("NextMarker").map { bytes($0.text, isEncoded) }
        if let marker, !marker.isEmpty { return .marker(marker) }
        guard isTruncated == "true" else { return nil }
        // Only the newer listing says always where it goes on; in the old one, it is behind its last key.
        if isOld || root.first("Marker") != nil, let last = last() { return .marker(last) }
        throw FileError.make(
            .badServerResponse, url: nil, sentence: "The server's listing has more and does not say where it goes on.")
    }

    private static func object(_ element: XMLElement, _ isEncoded: Bool) -> S3Object {
        S3Object(
            key: bytes(element.first("Key")?.text ?? "", isEncoded),
            size: element.first("Size").flatMap { Int64($0.text) }.flatMap { $0 >= 0 ? $0 : nil },
            modified: element.first("LastModified").flatMap { HTTPDate.parse($0.text) },
            entryTag: element.first("ETag")?.text)
    }

    /// With `encoding-type=url`, AWS writes a space as a plus sign, others as `%20`.
    static func bytes(_ text: String, _ isEncoded: Bool) -> [UInt8] {
        isEncoded ? S3Encoding.decoded(text, plusIsSpace: true) : Array(text.utf8)
    }
}

/// The start of a listing's next page, and the one of S3's two requests to use.
enum S3ListingCursor: Sendable {
    /// `ListObjectsV2` at its beginning, or with what the page before gave.
    case token(String?)
    /// `ListObjects` behind this key; behind none, at its beginning.
    case marker([UInt8])

    /// As a page's token in ``HTTPPage``.
    var text: String {
        switch self {
        case .token(let token): "2\(token ?? "")"
        case .marker(let marker): "1\(S3Encoding.percentEncoded(marker))"
        }
    }

    init(text: String) {
        let rest = String(text.dropFirst())
        self = text.hasPrefix("1") ? .marker(S3Encoding.decoded(rest)) : .token(rest.isEmpty ? nil : rest)
    }

    var isOld: Bool { if case .marker = self { true } else { false } }
}

extension S3Service {
    /// Returns the request for a page of the folder at `path`: its objects, and the prefixes up to the next slash.
    public func request(forContentsOf path: ProviderPath, token: String?) throws -> HTTPRequest? {
        listing(
            of: path, prefix: Self.prefix(of: path), isDeep: false,
            at: token.map { S3ListingCursor(text: $0) } ?? firstPlace)
    }

    /// Parses a page, without the marker of the folder itself. Counts the names that no path can hold, and the keys outside
    /// the folder. If an object and a prefix have one name, returns the object, because that is what the name reads.
    public func page(ofContentsOf path: ProviderPath, data: Data, head: ResponseHead) throws -> HTTPPage {
        guard head.isSuccess else { return HTTPPage([], nextToken: beginOldListing().text) }
        let page = try page(data)
        let prefix = Self.prefix(of: path)
        var items: [FileObject] = []
        var leftOut: [[UInt8]] = []
        for object in page.objects where object.key != prefix || path.isRoot {
            guard let itemPath = Self.itemPath(object.key[...], in: path, prefix) else {
                leftOut.append(object.key)
                continue
            }
            items.append(
                FileObject(
                    path: itemPath, type: .regular, size: object.size, modifiedDate: object.modified,
                    entryTag: object.entryTag))
        }
        for folder in page.prefixes {
            guard folder.last == UInt8(ascii: "/"), let itemPath = Self.itemPath(folder.dropLast(), in: path, prefix)
            else {
                leftOut.append(folder)
                continue
            }
            items.append(FileObject(path: itemPath, type: .directory))
        }
        var answer = HTTPPage(
            items, nextToken: page.next?.text, showsFolder: !page.objects.isEmpty || !page.prefixes.isEmpty)
        answer.leftOut = leftOut
        return answer
    }

    private static func itemPath(_ key: ArraySlice<UInt8>, in path: ProviderPath, _ prefix: [UInt8]) -> ProviderPath? {
        key.starts(with: prefix) ? try? path.appending(nameBytes: key.dropFirst(prefix.count)) : nil
    }

    /// Reads an answer to either request.
    private func page(_ data: Data) throws -> S3Page {
        let page = try S3Page(try XMLElement.parse(data), isOld: hasOldListingsOnly.value)
        if page.next?.isOld == true { hasOldListingsOnly.update { $0 = true } }
        return page
    }

    private var firstPlace: S3ListingCursor { hasOldListingsOnly.value ? .marker([]) : .token(nil) }

    /// Notes that the server has `ListObjects` alone.
    private func beginOldListing() -> S3ListingCursor {
        hasOldListingsOnly.update { $0 = true }
        return .marker([])
    }

    /// The common prefix of all keys below the folder; empty for the root.
    static func prefix(of folder: ProviderPath) -> [UInt8] { folder.isRoot ? [] : folder.bytes + [UInt8(ascii: "/")] }

    /// The request for one page of keys. A server that refuses the newer one as unknown is asked for the older one
    /// after it.
    ///
    /// - Parameter path: Named in messages.
    private func listing(
        of path: ProviderPath, prefix: [UInt8], isDeep: Bool, at cursor: S3ListingCursor, maxKeys: Int = 1000
    ) -> HTTPRequest {
        var query = cursor.isOld ? "" : "list-type=2&"
        query += "encoding-type=url&max-keys=\(maxKeys)&prefix=\(S3Encoding.percentEncoded(prefix))"
        if !isDeep { query += "&delimiter=%2F" }
        switch cursor {
        case .token(let token?): query += "&continuation-token=\(S3Encoding.percentEncoded(token.utf8))"
        case .marker(let marker) where !marker.isEmpty: query += "&marker=\(S3Encoding.percentEncoded(marker))"
        default: break
        }
        var request = request("GET", path, url: url(ofKey: [], query: query))
        // “Not implemented”, “not allowed”, and “what is list-type?”
        if case .token(nil) = cursor { request.accepts = [400, 405, 501] }
        return request
    }

    /// One page of all keys below a folder.
    func page(
        below path: ProviderPath, at cursor: S3ListingCursor? = nil, maxKeys: Int = 1000,
        over connection: HTTPConnection
    ) async throws -> S3Page {
        let prefix = Self.prefix(of: path)
        let request = listing(of: path, prefix: prefix, isDeep: true, at: cursor ?? firstPlace, maxKeys: maxKeys)
        let (data, head) = try await connection.data(for: request)
        if head.isSuccess { return try page(data) }
        return try await page(below: path, at: beginOldListing(), maxKeys: maxKeys, over: connection)
    }

    /// Returns whether there is an object below `path`, or its marker.
    ///
    /// - Complexity: One request.
    public func isFolder(path: ProviderPath, over connection: HTTPConnection) async throws -> Bool {
        try await !page(below: path, maxKeys: 1, over: connection).objects.isEmpty
    }
}

/// Every object below a folder, its marker included, page by page.
struct S3Tree {
    let service: S3Service
    let folder: ProviderPath
    let connection: HTTPConnection
    private var cursor: S3ListingCursor?
    private var known: Set<String> = []
    private var isOver = false

    init(_ service: S3Service, below folder: ProviderPath, over connection: HTTPConnection) {
        self.service = service
        self.folder = folder
        self.connection = connection
    }

    /// A thousand objects at most; nil after the last.
    ///
    /// - Throws: `URLError(.badServerResponse)` when the listing goes in a circle.
    mutating func next() async throws -> [S3Object]? {
        if isOver { return nil }
        try Task.checkCancellation()
        let page = try await service.page(below: folder, at: cursor, over: connection)
        cursor = page.next
        isOver = cursor == nil
        if let cursor, !known.insert(cursor.text).inserted {
            throw FileError.make(
                .badServerResponse, url: connection.url(of: folder),
                sentence: "The server's listing of “\(folder)” goes in a circle.")
        }
        // A key from elsewhere must never be copied or removed.
        let prefix = S3Service.prefix(of: folder)
        return page.objects.filter { $0.key.starts(with: prefix) }
    }
}
