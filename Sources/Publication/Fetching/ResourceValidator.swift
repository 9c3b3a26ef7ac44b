/// Which version of a resource's bytes this is, as far as the medium tells.
public struct ResourceValidator: Hashable, Sendable {
    /// Bytes of the resource.
    public let length: Int64
    /// What changes with the bytes: a server's entity tag (RFC 9110, section 8.8.3), a modification time, an archive
    /// entry's checksum. Nil where the medium tells the length only.
    public let tag: String?

    /// A version by its length and, where there is one, its tag.
    public init(length: Int64, tag: String? = nil) {
        self.length = length
        self.tag = tag
    }
}
