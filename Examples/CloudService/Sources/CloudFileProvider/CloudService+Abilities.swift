// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
public import CurlTransport
public import Foundation
public import HTTPFileProvider

/// Names, by the cloud's index.
extension CloudService: HTTPSearchService {
    public func request(forSearch query: FileQuery, path: ProviderPath, recursive: Bool, token: String?) throws
        -> HTTPRequest?
    {
        if let token { return try call("files/search/continue_v2", ["cursor": token], path: path) }
        guard recursive, let words = firstWords(of: query) else { return nil }
        let options: [String: Any] = ["path": name(path), "filename_only": true, "max_results": 1000]
        return try call("files/search_v2", ["query": words, "options": options], path: path)
    }

    public func page(ofSearch query: FileQuery, path: ProviderPath, data: Data, head: ResponseHead) throws -> HTTPPage {
        let answer = CloudAnswer(data: data)
        let items = try answer.matches.list.map { try $0.metadata.metadata.object(below: path) }
        return HTTPPage(items, nextToken: answer.has_more.isTrue ? answer.cursor.text : nil)
    }

    /// The beginning of every name that `query` matches. The index has whole words; only the last may be cut short.
    private func firstWords(of query: FileQuery) -> String? {
        switch query {
        case .name(let match) where [.equals, .begins].contains(match.kind) && match.text.count <= 1000:
            let words = match.text.split(separator: " ")
            let isPlain = words.joined().allSatisfy { $0.isLetter || $0.isNumber }
            return words.isEmpty || !isPlain || match.options.contains(.diacriticInsensitive) ? nil : match.text
        case .and(let parts): return parts.lazy.compactMap(firstWords).first
        default: return nil
        }
    }
}

/// Cursors of listings go on as feeds of changes, and one route waits for them.
extension CloudService: HTTPChangesService {
    public func changesToken(path: ProviderPath, over connection: HTTPConnection) async throws -> String {
        let route = "files/list_folder/get_latest_cursor"
        let request = try call(route, ["path": name(path), "recursive": true], path: path)
        return try await answer(to: request, over: connection).cursor.required()
    }

    public func waitForChanges(path: ProviderPath, since token: String, over connection: HTTPConnection) async throws
        -> Bool
    {
        var request = try call("files/list_folder/longpoll", ["cursor": token, "timeout": 30], path: path)
        // 30 seconds, and up to 90 more so that clients do not all ask at once.
        request.patience = 10
        request.accepts = [409]
        let (data, head) = try await connection.data(for: request)
        let answer = CloudAnswer(data: data)
        if let pause = answer.backoff.number { try await Task.sleep(for: .seconds(pause)) }
        // Of a refusal, the next page of changes says why.
        return answer.changes.isTrue || head.status == 409
    }

    public func changes(path: ProviderPath, since token: String, over connection: HTTPConnection) async throws
        -> HTTPChangesPage?
    {
        var request = try call("files/list_folder/continue", ["cursor": token], path: path)
        request.accepts = [409]
        let (data, head) = try await connection.data(for: request)
        if CloudAnswer(data: head.errorBody).error_summary.text?.hasPrefix("reset/") == true { return nil }
        if !head.isSuccess { throw connection.error(head, request: request) }
        let answer = CloudAnswer(data: data)
        let changes = try answer.entries.list.map {
            $0.isDeleted ? HTTPChange.absent(try $0.object(below: path).path) : .present(try $0.object(below: path))
        }
        return HTTPChangesPage(changes, nextToken: try answer.cursor.required(), isLast: !answer.has_more.isTrue)
    }
}

/// Small pictures of images, and their dimensions.
extension CloudService: HTTPInformationService {
    private static let images: Set = ["jpg", "jpeg", "png", "tiff", "tif", "gif", "webp", "ppm", "bmp"]
    private static let sizes = [(32, 32), (64, 64), (128, 128), (256, 256), (640, 480), (1024, 768), (2048, 1536)]

    public func providesThumbnail(path: ProviderPath) -> Bool { Self.images.contains(path.fileExtension ?? "") }

    public func providesProperties(path: ProviderPath) -> Bool { providesThumbnail(path: path) }

    public func properties(path: ProviderPath, over connection: HTTPConnection) async throws -> FileProperties {
        let request = try call("files/get_metadata", ["path": path.string, "include_media_info": true], path: path)
        let size = try await answer(to: request, over: connection).media_info.metadata.dimensions
        guard let width = size.width.number, let height = size.height.number else {
            throw FileError.unsupported("tell properties", by: Self.type, path: path)
        }
        var properties = FileProperties()
        (properties["width"], properties["height"]) = (.integer(width), .integer(height))
        return properties
    }

    public func thumbnail(path: ProviderPath, dimension: Int, over connection: HTTPConnection) async throws -> Thumbnail
    {
        let none = FileError.unsupported("make thumbnails", by: Self.type, path: path)
        guard let (width, height) = Self.sizes.last(where: { $0.0 <= dimension }) else { throw none }
        let argument: [String: Any] = [
            "resource": [".tag": "path", "path": path.string], "format": "png", "size": "w\(width)h\(height)",
            "mode": "bestfit",
        ]
        var request = try transfer("files/get_thumbnail_v2", argument, path: path)
        request.accepts = [409]
        let data = try await connection.data(for: request, limit: 16 << 20).0
        // A PNG begins with its width and height (RFC 2083, section 4.1.1).
        guard data.starts(with: [0x89, 0x50, 0x4E, 0x47]), data.count >= 24 else { throw none }
        let sides = [16, 20].map { data.dropFirst($0).prefix(4).reduce(0) { $0 << 8 | Int($1) } }
        return Thumbnail(data: data, mediaType: "image/png", width: sides[0], height: sides[1])
    }
}

/// Metadata has a file's hash: SHA-256 of the SHA-256 digests of its blocks of 4 MiB.
extension CloudService: HTTPChecksumService {
    public func checksum(of item: FileObject, kind: String, over connection: HTTPConnection) async throws -> String {
        if let hash = item[Self.contentHash] { return hash }
        throw FileError.unsupported("tell hashes", by: Self.type, path: item.path)
    }
}

extension CloudService: HTTPSharingService {
    public func publicLink(to path: ProviderPath, over connection: HTTPConnection) async throws -> PublicLink {
        let listing = try call("sharing/list_shared_links", ["path": path.string, "direct_only": true], path: path)
        let known = try await answer(to: listing, over: connection).links.list.first
        let route = "sharing/create_shared_link_with_settings"
        let making = try call(route, ["path": path.string], path: path, isWriting: true)
        let link = if let known { known } else { try await answer(to: making, over: connection) }
        return PublicLink(url: try link.url.text.flatMap { URL(string: $0) } ?? link.url.required())
    }
}
