public import Foundation

extension SFTPDouble {
    /// What the server is like; without changes as OpenSSH 9.2.
    public struct Settings: Sendable {
        /// Name and version, in their order in VERSION. Those that are not here are refused.
        public var extensions: [(name: String, version: String)] = [
            ("posix-rename@openssh.com", "1"), ("statvfs@openssh.com", "2"), ("fstatvfs@openssh.com", "2"),
            ("hardlink@openssh.com", "1"),
            ("fsync@openssh.com", "1"), ("lsetstat@openssh.com", "1"), ("limits@openssh.com", "1"),
            ("expand-path@openssh.com", "1"),
            ("copy-data", "1"), ("home-directory", "1"), ("users-groups-by-id@openssh.com", "1"),
        ]
        /// The largest packet that is taken, in bytes without its length field; a larger one ends the channel.
        public var maximumPacket = 262_144
        /// What one READ gives at most, in bytes.
        public var maximumRead = 261_120
        /// What `limits@openssh.com` says of WRITE, in bytes.
        public var maximumWrite = 261_120
        /// Handles at a time on a channel; OPEN and OPENDIR fail with ``handleRefusal`` above. Also told by
        /// `limits@openssh.com`.
        public var maximumHandles = 1_019
        /// What OPEN and OPENDIR of one handle too many fail with.
        public var handleRefusal: (code: Code, text: String) = (.failure, "Too many open files")
        /// How long a handle is, 4 to 256 bytes.
        public var handleLength = 4
        /// Entries in one reply to READDIR.
        public var entriesPerReply = 100
        /// Whether listings begin with "." and "..".
        public var listsDots = true
        /// Whether RENAME replaces what is there; the draft and OpenSSH refuse.
        public var renameReplaces = false
        /// Whether SYMLINK takes the link's path first, as the draft has it; OpenSSH takes the target first.
        public var symlinkTakesLinkFirst = false
        /// Whether LSTAT looks behind links, as ProFTPD's does; listings show links themselves all the same.
        public var lstatFollows = false
        /// Whether MKDIR says "done" to a folder that is there.
        public var makesFoldersAgain = false
        /// Whether "done" is said to what is not done, as `rclone serve sftp` does: a hard link is not made, opening to
        /// write empties or makes a file whatever the flags are, removing takes folders for files and what is missing
        /// for removed, and there are no links.
        public var isCareless = false
        /// Which attributes are told: the sum of 1 for the size, 2 for the owners, 4 for the permissions, 8 for the
        /// times.
        public var attributes: UInt32 = 15
        /// Permission bits that new files and folders don't get.
        public var umask: UInt32 = 0o022
        /// Where relative paths begin; made when it is not there.
        public var home = "/"
        /// The user's name, for `home-directory` and `expand-path@openssh.com`.
        public var user = "reader"
        /// For `users-groups-by-id@openssh.com`.
        public var users: [UInt32: String] = [0: "root", 1_000: "reader"]
        /// For `users-groups-by-id@openssh.com`.
        public var groups: [UInt32: String] = [0: "root", 1_000: "readers"]
        /// For `statvfs@openssh.com`, in bytes.
        public var space: (total: UInt64, free: UInt64) = (1 << 40, 1 << 39)

        // How the channel is.

        /// Seconds between a request and its reply at least.
        public var latency = 0.0
        /// Bytes that are taken from the client at once, at most.
        public var maximumTake = 1 << 20
        /// Bytes that are given to the client at once, at most.
        public var maximumGive = 1 << 20
        /// Bytes of replies that wait for the client above which no more is taken from it.
        public var maximumBacklog = 16 << 20
        /// Whether a user that had nothing, or no room, is asked again only after `wake()`, as `ByteChannelUser`
        /// allows.
        public var asksOnlyWhenWoken = false
        /// Seconds without a move after which a channel whose user is waiting ends with `URLError(.timedOut)`; nil for
        /// never.
        public var timeout: Double? = 30
        /// What is to go wrong with a request; nothing where it is empty. Asked on the channel's thread, and may ask
        /// the double.
        public var answer: @Sendable (Request) -> [Fault]

        /// A server without faults but those of `answer`.
        public init(answer: @escaping @Sendable (Request) -> [Fault] = { _ in [] }) { self.answer = answer }
    }

    /// What came in.
    public struct Request: Sendable, Hashable {
        /// Which request.
        public var kind: Kind
        /// 0 for INIT.
        public var id: UInt32 = 0
        /// The channel's number, from 1.
        public var channel = 0
        /// How many of this kind, or extended requests of this name, had come with it, from 1, over all channels.
        public var occurrence = 0
        /// How many requests of any kind had come with it, from 1, on its channel.
        public var order = 0
        /// As it came, or for a request with a handle what was opened; bytes that are not UTF-8 are replaced.
        public var path = ""
        /// The path's bytes.
        public var bytes: [UInt8] = []
        /// The second path: the new name, or what came second in SYMLINK.
        public var other: [UInt8] = []
        /// Of an extended request.
        public var name = ""
        /// Empty where there is none.
        public var handle: [UInt8] = []
        /// Of READ and WRITE.
        public var offset: UInt64 = 0
        /// Of READ and WRITE, in bytes.
        public var length = 0
        /// Of OPEN.
        public var flags: OpenFlags = []
    }

    /// What goes wrong with a request. Several can be given together.
    public enum Fault: Sendable {
        // Instead of doing it.

        /// A STATUS; without a text, its two strings are left out of the packet.
        case status(Code, String? = "")
        /// Never answered.
        case silence
        /// The channel is closed when what was answered before is with the client.
        case close
        /// A packet with the request's id and this behind it.
        case packet(type: UInt8, Data)
        /// These bytes as they are.
        case raw(Data)

        // After doing it.

        /// A STATUS in place of the reply; for a CLOSE that fails, whose handle is gone all the same.
        case statusAfterDoing(Code, String? = "")
        /// Never answered.
        case silenceAfterDoing
        /// The channel is closed before the reply.
        case closeAfterDoing
        /// The channel is closed behind the reply.
        case closeAfterReply

        // When the reply comes. Replies to other requests go on meanwhile.

        /// Only after so many other replies.
        case late(after: Int)
        /// Kept until so many replies are kept, or until nothing has come for 50 ms; then they all come in another
        /// order.
        case shuffled(of: Int)
        /// Only after ``SFTPDouble/letGo()``.
        case held
        /// So many seconds later, and all behind it too.
        case delay(Double)
        /// Twice.
        case duplicate

        // What is around it.

        /// Bytes in front of it, for example ``stray(_:)`` or the text of a login shell.
        case before(Data)
        /// Bytes behind it.
        case behind(Data)

        // What is wrong in it.

        /// Another id.
        case id(UInt32)
        /// Another type, with the body as it was.
        case type(UInt8)
        /// Another length of the packet.
        case length(UInt32)
        /// Only so many bytes of the packet, then the channel is closed.
        case cut(after: Int)
        /// Another length of the first string in it.
        case stringLength(UInt32)
        /// VERSION says this.
        case version(UInt32)

        // READ.

        /// At most so many bytes.
        case shortRead(Int)
        /// So many bytes more than were asked for.
        case longRead(more: Int)
        /// The file ends there.
        case endOfFile(at: UInt64)

        // NAME and ATTRS.

        /// A NAME with these, also in place of another reply.
        case names([[UInt8]])
        /// Another number of names.
        case nameCount(UInt32)
        /// These bytes in place of each attributes, flags included; see ``missingAttributes``.
        case attributes(Data)
        /// READDIR gives new names each time and never ends.
        case endless

        /// All flags, and the bytes of none.
        public static let missingAttributes = Fault.attributes(Data([0, 0, 0, 15]))
    }

    /// An OK that answers nothing, for ``Fault/before(_:)`` and ``Fault/behind(_:)``.
    public static func stray(_ id: UInt32) -> Data {
        Data(SFTPDoubleReply.status(.ok, "").packet(id: id, faults: [], attributeMask: 15))
    }

    /// For ``Settings/answer``: writes fail that reach past so many bytes.
    public static func diskFull(at size: UInt64, text: String? = "No space left on device")
        -> @Sendable (Request) -> [Fault]
    {
        { $0.kind == .write && $0.offset + UInt64($0.length) > size ? [.status(.failure, text)] : [] }
    }

    /// For ``Settings/answer``: these kinds fail so.
    public static func refusing(_ kinds: Set<Kind>, _ code: Code, _ text: String? = "")
        -> @Sendable (Request) -> [Fault]
    {
        { kinds.contains($0.kind) ? [.status(code, text)] : [] }
    }
}
