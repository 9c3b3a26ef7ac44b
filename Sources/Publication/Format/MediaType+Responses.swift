public import Foundation

extension MediaType {
    /// What the body of an HTTP answer is: by its `Content-Type`, by the name in its `Content-Disposition`, by the URL, by the hints
    /// given, and by the body itself when none of these tells.
    ///
    /// - Parameters:
    ///   - headers: The answer's headers; names in any case.
    ///   - url: Where the answer came from.
    ///   - body: Asked for only when the hints do not tell.
    public static func of(
        headers: [String: String], url: URL? = nil, body: @escaping @Sendable () async throws -> Data, mediaTypes: [String] = [],
        fileExtensions: [String] = [], sniffers: [Sniffer] = MediaType.sniffers.all
    ) async throws -> MediaType? {
        func header(_ name: String) -> String? { headers.first { $0.key.lowercased() == name }?.value }
        let suggested = header("content-disposition").flatMap { suggestedName(in: $0) }.map { ($0 as NSString).pathExtension }
        let extensions = [suggested, url?.pathExtension].compactMap(\.self).filter { !$0.isEmpty }
        return try await of(
            bytes: body, mediaTypes: [header("content-type")].compactMap(\.self) + mediaTypes, fileExtensions: extensions + fileExtensions,
            sniffers: sniffers)
    }

    /// The file name of a `Content-Disposition` (RFC 6266): `filename*` before `filename`.
    private static func suggestedName(in value: String) -> String? {
        var names: [String: String] = [:]
        for part in value.split(separator: ";").dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            if pair.count == 2 { names[pair[0].lowercased()] = pair[1].trimmingCharacters(in: CharacterSet(charactersIn: "\"")) }
        }
        // `UTF-8'en'name%20of%20file.epub` (RFC 8187)
        if let extended = names["filename*"]?.split(separator: "'", omittingEmptySubsequences: false), extended.count == 3 {
            return String(extended[2]).removingPercentEncoding
        }
        return names["filename"]
    }
}

extension Format {
    /// What the bytes are that `bytes` gives, as a ``Format``.
    public static func guess(
        bytes: @escaping @Sendable () async throws -> Data, fileExtensions: [String] = [], mediaTypes: [String] = [],
        sniffers: [MediaType.Sniffer] = MediaType.sniffers.all
    ) async throws -> Format? {
        try await MediaType.of(bytes: bytes, mediaTypes: mediaTypes, fileExtensions: fileExtensions, sniffers: sniffers).flatMap {
            Format($0)
        }
    }
}
