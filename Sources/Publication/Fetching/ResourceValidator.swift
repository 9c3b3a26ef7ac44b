/// The version of a resource's bytes, as far as the medium reports it.
public struct ResourceValidator: Hashable, Sendable {
    /// Bytes of the resource.
    public let length: Int64
    /// A value that changes with the bytes: a server's entity tag (RFC 9110, section 8.8.3), a modification time, an
    /// archive entry's checksum. Nil if the medium reports only the length.
    public let tag: String?

    /// A version by its length and, where there is one, its tag.
    public init(length: Int64, tag: String? = nil) {
        self.length = length
        self.tag = tag
    }
}
