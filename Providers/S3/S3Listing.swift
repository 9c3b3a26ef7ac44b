public import CurlTransport
public import FileProviderCore
public import Foundation
public import HTTPFileProvider
import SafeXML

/// An object as a listing tells it. Its key may be one that no path can hold.
struct S3Object: Sendable {
    let key: [UInt8]
    let size: Int64?
    let modified: Date?
    let entryTag: String?
}

/// One page of a listing. Source: Amazon S3 API Reference, `ListObjectsV2`.
struct S3Page: Sendable {
    var objects: [S3Object] = []
    /// What stands in for the keys with a delimiter, that included.
    var prefixes: [[UInt8]] = []
    var nextToken: String?

    init(_ root: XMLElement) throws {
        guard root.name == "ListBucketResult" else {
            throw FileError.make(.badServerResponse, url: nil, sentence: "The server's answer is no listing of a bucket.")
        }
        let isEncoded = root.first("EncodingType")?.text == "url"
        for element in root.children {
            switch element.name {
            case "Contents": objects.append(Self.object(element, isEncoded))
            case "CommonPrefixes":
                for prefix in element.all("Prefix") { prefixes.append(Self.bytes(prefix.text, isEncoded)) }
            case "NextContinuationToken": nextToken = element.text.isEmpty ? nil : element.text
            default: break
            }
        }
        let isTruncated = root.first("IsTruncated")?.text
        if isTruncated == "false" { nextToken = nil }
        if isTruncated == "true", nextToken == nil {
            throw FileError.make(.badServerResponse, url: nil, sentence: "The server's listing has more and does not say where it goes on.")
        }
    }

    private static func object(_ element: XMLElement, _ isEncoded: Bool) -> S3Object {
        S3Object(
            key: bytes(element.first("Key")?.text ?? "", isEncoded),
            size: element.first("Size").flatMap { Int64($0.text) }.flatMap { $0 >= 0 ? $0 : nil },
            modified: element.first("LastModified").flatMap { HTTPDate.parse($0.text) }, entryTag: element.first("ETag")?.text)
    }

    /// With `encoding-type=url`, AWS writes a space as a plus sign, others as `%20`.
    static func bytes(_ text: String, _ isEncoded: Bool) -> [UInt8] {
        isEncoded ? S3Encoding.decoded(text, plusIsSpace: true) : Array(text.utf8)
    }
}

extension S3Service {
    /// One page of the folder at `path`: its objects, and the prefixes that end at the next slash.
    public func request(forContentsOf path: ProviderPath, token: String?) throws -> HTTPRequest? {
        listing(of: path, prefix: Self.prefix(of: path), isDeep: false, token: token)
    }

    /// The marker of the folder itself is left out, and so is what no path can hold.
    public func page(ofContentsOf path: ProviderPath, _ data: Data, _ head: ResponseHead) throws -> HTTPPage {
        let page = try S3Page(try XMLElement.parse(data))
        let prefix = Self.prefix(of: path)
        var items: [FileObject] = []
        for object in page.objects {
            guard object.key.starts(with: prefix), let place = try? path.appending(nameBytes: object.key.dropFirst(prefix.count)) else {
                continue
            }
            items.append(
                FileObject(path: place, type: .regular, size: object.size, modifiedDate: object.modified, entryTag: object.entryTag))
        }
        for folder in page.prefixes {
            let name = folder.dropFirst(prefix.count).dropLast()
            guard folder.starts(with: prefix), folder.last == UInt8(ascii: "/"), let place = try? path.appending(nameBytes: name) else {
                continue
            }
            items.append(FileObject(path: place, type: .directory))
        }
        return HTTPPage(items, nextToken: page.nextToken, showsFolder: !page.objects.isEmpty || !page.prefixes.isEmpty)
    }

    /// What the keys of everything below the folder begin with; nothing for the root.
    static func prefix(of folder: ProviderPath) -> [UInt8] { folder.isRoot ? [] : folder.bytes + [UInt8(ascii: "/")] }

    /// The request for one page of keys.
    ///
    /// - Parameter path: Named in messages.
    func listing(of path: ProviderPath, prefix: [UInt8], isDeep: Bool, token: String? = nil, most: Int = 1000) -> HTTPRequest {
        var query = "list-type=2&encoding-type=url&max-keys=\(most)&prefix=\(S3Encoding.percentEncoded(prefix))"
        if !isDeep { query += "&delimiter=%2F" }
        if let token { query += "&continuation-token=\(S3Encoding.percentEncoded(token.utf8))" }
        return request("GET", path, url: url(ofKey: [], query: query))
    }

    /// Whether there is an object below `path`, or its marker.
    ///
    /// - Complexity: One request.
    public func isFolder(path: ProviderPath, over connection: HTTPConnection) async throws -> Bool {
        let (data, _) = try await connection.data(for: listing(of: path, prefix: Self.prefix(of: path), isDeep: true, most: 1))
        return try !S3Page(try XMLElement.parse(data)).objects.isEmpty
    }
}

/// Every object below a folder, its marker included, page by page.
struct S3Tree {
    let service: S3Service
    let folder: ProviderPath
    let connection: HTTPConnection
    private var token: String?
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
        let prefix = S3Service.prefix(of: folder)
        let (data, _) = try await connection.data(for: service.listing(of: folder, prefix: prefix, isDeep: true, token: token))
        let page = try S3Page(try XMLElement.parse(data))
        token = page.nextToken
        isOver = token == nil
        if let token, !known.insert(token).inserted {
            throw FileError.make(
                .badServerResponse, url: connection.url(of: folder), sentence: "The server's listing of “\(folder)” goes in a circle.")
        }
        // A key from elsewhere must never be copied or removed.
        return page.objects.filter { $0.key.starts(with: prefix) }
    }
}
