public import Foundation
import MediaTypes

/// The head of an HTTP response, as far as it shows the type of the body.
///
/// Foundation's `HTTPURLResponse` has both members, so `extension HTTPURLResponse: @retroactive HTTPResponseHead {}` in
/// an app is enough; an app with another client conforms that client's type.
public protocol HTTPResponseHead {
    /// The URL of the response.
    var url: URL? { get }

    /// Returns the value of a header field, whatever the case of its name; nil if there is none.
    func value(forHTTPHeaderField field: String) -> String?
}

extension HTTPResponseHead {
    /// Returns the media type of this response's body (`HTTPResponse.sniffMediaType` of Readium's media type proposal).
    ///
    /// Hints in this order: media types from `Content-Type`, then the given ones; file extensions from the name in
    /// `Content-Disposition`, from the URL, then the given ones. Unknown and general types, such as
    /// `application/octet-stream` and `application/zip`, don't decide.
    ///
    /// - Parameter body: Called only if the hints don't decide.
    /// - Throws: The errors of `body`.
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

    /// Returns the same as a ``Format`` (`HttpResponse.guessFormat` of the first proposal).
    ///
    /// - Throws: The errors of `body`.
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

/// A whole HTTP response, head and body, such as an app's own client returns.
public protocol HTTPResponseContent: HTTPResponseHead, Sendable {
    /// The body; read only if the hints don't decide its type.
    var body: Data { get async throws }
}

extension HTTPResponseContent {
    /// Returns the media type of the body; as
    /// ``HTTPResponseHead/sniffMediaType(mediaTypes:fileExtensions:sniffers:body:)``.
    ///
    /// - Throws: The errors of ``body``.
    public func sniffMediaType(
        mediaTypes: [String?] = [], fileExtensions: [String?] = [],
        sniffers: [MediaType.Sniffer] = MediaType.sniffers.all
    ) async throws -> MediaType? {
        try await sniffMediaType(mediaTypes: mediaTypes, fileExtensions: fileExtensions, sniffers: sniffers) {
            try await self.body
        }
    }

    /// Returns the same as a ``Format``.
    ///
    /// - Throws: The errors of ``body``.
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
    /// Returns the media type of an HTTP response's body, for clients that give headers as a dictionary; as
    /// ``HTTPResponseHead``'s `sniffMediaType`.
    ///
    /// - Parameters:
    ///   - headers: The response's headers; names in any case.
    ///   - url: The URL of the response.
    ///   - body: Called only if the hints don't decide.
    /// - Throws: The errors of `body`.
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
