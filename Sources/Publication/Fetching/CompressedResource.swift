package import FileProviderCore

/// A resource whose bytes may be stored deflated, so that they can be passed on without unpacking them.
package protocol CompressedResource: Resource {
    /// Returns the bytes as they are stored; nil if they are not deflated.
    ///
    /// - Throws: As reading the resource does.
    /// - Complexity: No request.
    func compressedForm() async throws -> CompressedForm?
}

/// The deflated bytes of a resource (RFC 1951).
package struct CompressedForm: Sendable {
    /// Bytes of the raw deflate data.
    package let length: Int64
    /// Bytes of the resource, as the archive's directory claims.
    package let uncompressedLength: Int64
    /// CRC-32 of the resource's bytes, as the archive's directory claims.
    package let checksum: UInt32
    private let send: @Sendable (any ByteSink) async throws -> Void

    /// - Parameter send: Sends the raw deflate data into a sink.
    package init(
        length: Int64, uncompressedLength: Int64, checksum: UInt32,
        send: @escaping @Sendable (any ByteSink) async throws -> Void
    ) {
        self.length = length
        self.uncompressedLength = uncompressedLength
        self.checksum = checksum
        self.send = send
    }

    /// Sends the raw deflate data into `sink`. It is not verified; the receiver compares ``checksum``.
    ///
    /// - Throws: Errors of the storage and of the sink.
    package func stream(into sink: any ByteSink) async throws { try await send(sink) }
}
