public import Foundation
import MediaTypes

/// The head of an HTTP answer, as far as it tells what the body is.
///
/// Foundation's `HTTPURLResponse` has both members, so `extension HTTPURLResponse: @retroactive HTTPResponseHead {}` in
/// an app is enough; an app with another client conforms that client's type.
public protocol HTTPResponseHead {
    /// Where the answer came from.
    var url: URL? { get }

    /// The value of a header field, whatever the case of its name; nil where there is none.
    func value(forHTTPHeaderField field: String) -> String?
}

extension HTTPResponseHead {
    /// What the body of this answer is (`HTTPResponse.sniffMediaType` of Readium's media type proposal).
    ///
    /// Hints in this order: media types from `Content-Type`, then the given ones; file extensions from the name in
    /// `Content-Disposition`, from the URL, then the given ones. Unknown and general types, such as
    /// `application/octet-stream` and `application/zip`, are looked through.
    ///
    /// - Parameter body: Asked for only when the hints do not tell.
    /// - Throws: What `body` throws.
    public func sniffMediaType(
        mediaTypes: [String?] = [], fileExtensions: [String?] = [],
        sniffers: [MediaType.Sniffer] = MediaType.sniffers.all,
        body: @escaping @Sendable () async throws -> Data
    ) async throws -> MediaType? {
        let reported = [value(forHTTPHeaderField: "Content-Type")]
        let suggested = value(forHTTPHeaderField: "Content-Disposition").flatMap(ContentDisposition.fileExtension)
        let extensions = [suggested, url?.pathExtension].filter { $0?.isEmpty == false }
        return try await MediaType.of(
            bytes: body, mediaTypes: reported + mediaTypes, fileExtensions: extensions + fileExtensions,
            sniffers: sniffers)
    }

    /// The same as a ``Format`` (`HttpResponse.guessFormat` of the first proposal).
    ///
    /// - Throws: What `body` throws.
    public func guessFormat(
        fileExtensions: [String?] = [], mediaTypes: [String?] = [],
        sniffers: [MediaType.Sniffer] = MediaType.sniffers.all,
        body: @escaping @Sendable () async throws -> Data
    ) async throws -> Format? {
        try await sniffMediaType(mediaTypes: mediaTypes, fileExtensions: fileExtensions, sniffers: sniffers, body: body)
            .flatMap {
                Format($0)
            }
    }
}

/// A whole HTTP answer, head and body, such as an app's own client gives.
public protocol HTTPResponseContent: HTTPResponseHead, Sendable {
    /// The body; asked for only when the hints do not tell what it is.
    var body: Data { get async throws }
}

extension HTTPResponseContent {
    /// What the body is; as ``HTTPResponseHead/sniffMediaType(mediaTypes:fileExtensions:sniffers:body:)``.
    ///
    /// - Throws: What ``body`` throws.
    public func sniffMediaType(
        mediaTypes: [String?] = [], fileExtensions: [String?] = [],
        sniffers: [MediaType.Sniffer] = MediaType.sniffers.all
    ) async throws -> MediaType? {
        try await sniffMediaType(mediaTypes: mediaTypes, fileExtensions: fileExtensions, sniffers: sniffers) {
            try await self.body
        }
    }

    /// The same as a ``Format``.
    ///
    /// - Throws: What ``body`` throws.
    public func guessFormat(
        fileExtensions: [String?] = [], mediaTypes: [String?] = [],
        sniffers: [MediaType.Sniffer] = MediaType.sniffers.all
    ) async throws -> Format? {
        try await guessFormat(fileExtensions: fileExtensions, mediaTypes: mediaTypes, sniffers: sniffers) {
            try await self.body
        }
    }
}

extension MediaType {
    /// What the body of an HTTP answer is, for clients that give headers as a dictionary; as ``HTTPResponseHead``'s
    /// `sniffMediaType`.
    ///
    /// - Parameters:
    ///   - headers: The answer's headers; names in any case.
    ///   - url: Where the answer came from.
    ///   - body: Asked for only when the hints do not tell.
    /// - Throws: What `body` throws.
    public static func of(
        headers: [String: String], url: URL? = nil, body: @escaping @Sendable () async throws -> Data,
        mediaTypes: [String?] = [],
        fileExtensions: [String?] = [], sniffers: [Sniffer] = MediaType.sniffers.all
    ) async throws -> MediaType? {
        try await HeaderFields(url: url, fields: headers).sniffMediaType(
            mediaTypes: mediaTypes, fileExtensions: fileExtensions, sniffers: sniffers, body: body)
    }
}

private struct HeaderFields: HTTPResponseHead {
    let url: URL?
    let fields: [String: String]

    func value(forHTTPHeaderField field: String) -> String? {
        fields[field] ?? fields.first { $0.key.caseInsensitiveCompare(field) == .orderedSame }?.value
    }
}
