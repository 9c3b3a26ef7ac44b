/// The attributes of an item that a server reports, or that it is asked to set (draft-ietf-secsh-filexfer-02, section
/// 5).
package struct SFTPAttributes: Sendable, Hashable {
    /// Bytes.
    package var size: UInt64?
    /// The numbers of the owner and the group.
    package var owner: (user: UInt32, group: UInt32)? {
        get { owning.map { ($0.user, $0.group) } }
        set { owning = newValue.map { Owner(user: $0.user, group: $0.group) } }
    }
    /// `st_mode` of stat(2): type and permission bits.
    package var permissions: UInt32?
    /// Times of access and modification, seconds since 1970.
    package var times: (access: UInt32, modification: UInt32)? {
        get { timing.map { ($0.access, $0.modification) } }
        set { timing = newValue.map { Times(access: $0.access, modification: $0.modification) } }
    }
    private var owning: Owner?
    private var timing: Times?

    private struct Owner: Sendable, Hashable {
        let user, group: UInt32
    }

    private struct Times: Sendable, Hashable {
        let access, modification: UInt32
    }

    private enum Flag {
        static let size: UInt32 = 1
        static let owner: UInt32 = 2
        static let permissions: UInt32 = 4
        static let times: UInt32 = 8
        static let extended: UInt32 = 0x8000_0000
    }

    /// Without any attribute.
    package init(
        size: UInt64? = nil, permissions: UInt32? = nil, times: (access: UInt32, modification: UInt32)? = nil
    ) {
        self.size = size
        self.permissions = permissions
        self.times = times
    }

    init(_ decoder: inout SFTPDecoder) throws {
        let flags = try decoder.uint32()
        if flags & Flag.size != 0 { size = try decoder.uint64() }
        if flags & Flag.owner != 0 { owning = Owner(user: try decoder.uint32(), group: try decoder.uint32()) }
        if flags & Flag.permissions != 0 { permissions = try decoder.uint32() }
        if flags & Flag.times != 0 { timing = Times(access: try decoder.uint32(), modification: try decoder.uint32()) }
        guard flags & Flag.extended != 0 else { return }
        // Each pair takes at least 8 bytes, so a wrong count ends at the end of the packet.
        for _ in 0..<(try decoder.uint32()) {
            _ = try decoder.string()
            _ = try decoder.string()
        }
    }

    func put(into writer: inout SFTPWriter) {
        var flags: UInt32 = 0
        if size != nil { flags |= Flag.size }
        if owning != nil { flags |= Flag.owner }
        if permissions != nil { flags |= Flag.permissions }
        if timing != nil { flags |= Flag.times }
        writer.put(flags)
        if let size { writer.put(size) }
        if let owning {
            writer.put(owning.user)
            writer.put(owning.group)
        }
        if let permissions { writer.put(permissions) }
        if let timing {
            writer.put(timing.access)
            writer.put(timing.modification)
        }
    }
}

/// One entry of a folder.
package struct SFTPName: Sendable {
    /// As the server stores it.
    package let filename: [UInt8]
    /// A line like that of `ls -l`.
    package let longname: [UInt8]
    /// For a link, the attributes of the link itself.
    package let attributes: SFTPAttributes
}
