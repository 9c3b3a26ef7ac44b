import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider

/// Requests that are answered with a multi-status.
extension WebDAVFileProvider {
    static let usualProperties =
        "<D:resourcetype/><D:getcontentlength/><D:getlastmodified/><D:getetag/><D:getcontenttype/><D:creationdate/>"
    static let quotaProperties = "<D:resourcetype/><D:quota-available-bytes/><D:quota-used-bytes/>"
    /// Further properties of Nextcloud and ownCloud.
    static let ownCloudProperties = "<oc:checksums/><oc:fileid/>"
    static let namespaces = #"xmlns:D="DAV:" xmlns:oc="http://owncloud.org/ns""#

    /// Sends one `PROPFIND` and gives its responses as they come (RFC 4918, section 9.1).
    func propfind(
        _ path: ProviderPath, isFolder: Bool, depth: Int, isWriting: Bool, properties: String = usualProperties,
        recording: AnswerRecorder? = nil, page: @Sendable ([DAVResponse]) async throws -> Void
    ) async throws {
        // The path decides, without a request: other servers ignore these properties.
        let isOwnCloud = properties == Self.usualProperties && OwnCloudFiles(rootPath.appending(path)) != nil
        let body = """
            <?xml version="1.0" encoding="utf-8"?><D:propfind \(isOwnCloud ? Self.namespaces : #"xmlns:D="DAV:""#)>\
            <D:prop>\(properties)\(isOwnCloud ? Self.ownCloudProperties : "")</D:prop></D:propfind>
            """
        try await multistatus(
            HTTPRequest(
                "PROPFIND", path: path, isFolder: isFolder,
                headers: [("Depth", "\(depth)"), ("Content-Type", "application/xml; charset=utf-8")],
                body: .data(Data(body.utf8)), isWriting: isWriting),
            recording: recording, page: page)
    }

    /// Sends `request` and gives the responses of its answer as they come. Tried again while nothing was given yet.
    func multistatus(
        _ request: HTTPRequest, recording: AnswerRecorder? = nil, page: @Sendable ([DAVResponse]) async throws -> Void
    )
        async throws
    {
        let hasGiven = LockedValue(false)
        try await connection.options.retries.run(counters: connection.options.counters) { error in
            // A server that fails half way through its answer breaks off, or appends what it has to say to the
            // document.
            !hasGiven.value && (error.isTransient || (error as? CocoaError)?.code == .fileReadCorruptFile)
        } _: {
            let pipe = BytePipe(capacity: 256 << 10)
            var request = request
            request.receive = { [path = request.path] head in
                guard head.status == 207 else { throw self.noMultistatus(path) }
                return pipe
            }
            recording?.start()
            try await self.receive(request, through: pipe, recording) { responses in
                hasGiven.update { $0 = true }
                try await page(responses)
            }
        }
    }

    private func receive(
        _ request: HTTPRequest, through pipe: BytePipe, _ recording: AnswerRecorder?,
        page: ([DAVResponse]) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [connection] in
                do {
                    _ = try await connection.sendOnce(request)
                    pipe.finish()
                } catch {
                    pipe.finish(throwing: error)
                }
            }
            defer { pipe.abandon() }
            let decoder = try MultistatusDecoder()
            while let data = try await pipe.next() {
                recording?.add(data)
                try fault(of: request) { try decoder.parse(data) }
                let responses = decoder.take()
                if !responses.isEmpty { try await page(responses) }
            }
            try fault(of: request) { try decoder.finish() }
            let last = decoder.take()
            if !last.isEmpty { try await page(last) }
        }
    }

    /// Names the server in an error about its document.
    private func fault(of request: HTTPRequest, _ body: () throws -> Void) throws {
        do { try body() } catch let error as CocoaError {
            let host = connection.baseURL.host() ?? ""
            let what =
                error.code == .fileReadTooLarge ? "too large a document" : "a document that is not valid WebDAV"
            throw FileError.make(
                error.code, path: request.path, url: url(of: request.path),
                sentence:
                    "The server “\(host)” is at fault: it answered \(request.method) with \(what). \(error.sentence)",
                underlying: error)
        }
    }

    func noAnswer(about path: ProviderPath) -> URLError {
        FileError.make(
            .badServerResponse, url: url(of: path), sentence: "The server's answer says nothing about “\(path)”.")
    }

    private func noMultistatus(_ path: ProviderPath) -> URLError {
        FileError.make(
            .badServerResponse, url: url(of: path),
            sentence: "“\(connection.baseURL.host() ?? "")” answers, but is no WebDAV server at “\(path)”.")
    }
}
