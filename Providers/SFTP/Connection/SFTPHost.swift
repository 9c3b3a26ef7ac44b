import FileProviderCore
import Foundation
import SFTPEngine

/// What is known of a server, from all its connections.
final class SFTPHost: Sendable {
    private struct State {
        /// Extensions that the server announced but refused as unknown.
        var lacking: Set<SFTPExtension> = []
        /// Whether `SYMLINK` takes the target before the link's name; nil until a link was made.
        var hasReversedLinks: Bool?
        /// Whether the server does what it acknowledges; nil until it was tried.
        var isHonest: Bool?
        /// Whether a file that was opened for writing was seen to keep its content.
        var keepsContent = false
        /// Whether `RENAME` replaces an existing file, against the draft; nil until it was tried.
        var replaces: Bool?
        var showsSizes = false
        var looks = Looks()
        var user: UInt32?
        var renamesByLink = false
        var processorsPerLane = 1
        /// The folder in which a hard link was made last.
        var linking: ProviderPath?
    }

    /// The ways to look at a file that the server has refused.
    struct Looks: Sendable {
        /// `FSTAT` of a file that is open to be read.
        var lackHandle = false
        /// Both that one and `STAT`.
        var lackBoth = false
        /// Opening a file for reading right after it was written.
        var lackReading = false
    }

    let root: ProviderPath
    /// Counts the open files and folders of all sessions.
    let room: SFTPHandleRoom
    /// How long an opening waits for room while nothing moves and no reply is due.
    let maxStandstill: Duration
    private let state = LockedValue(State())

    init(root: ProviderPath, room: SFTPHandleRoom = SFTPHandleRoom(), maxStandstill: Duration = .seconds(15)) {
        self.root = root
        self.room = room
        self.maxStandstill = maxStandstill
    }

    /// The path for the server: absolute, or relative to the login folder if its first component is `~`.
    func bytes(of path: ProviderPath) -> [UInt8] {
        let whole = root.appending(path).bytes
        let home = UInt8(ascii: "~")
        guard whole.first == home, whole.count == 1 || whole[1] == UInt8(ascii: "/") else {
            return [UInt8(ascii: "/")] + whole
        }
        return whole.count <= 2 ? [UInt8(ascii: ".")] : Array(whole.dropFirst(2))
    }

    /// Whether `session` has the extension `name` and the server has not refused it.
    func has(_ name: SFTPExtension, _ session: SFTPSession) -> Bool {
        session.has(name) && !state.value.lacking.contains(name)
    }

    /// Notes that the server announced `name` and refused it as unknown.
    func lacks(_ name: SFTPExtension) { state.update { _ = $0.lacking.insert(name) } }

    /// Whether looking at a written file has shown its size. Then no other way to look is needed.
    var showsSizes: Bool {
        get { state.value.showsSizes }
        set { state.update { $0.showsSizes = newValue } }
    }

    var looks: Looks { state.value.looks }

    func lacks(_ look: any WritableKeyPath<Looks, Bool> & Sendable) { state.update { $0.looks[keyPath: look] = true } }

    /// The account's user number on the server, from a file that it created; nil if it is not known.
    var user: UInt32? {
        get { state.value.user }
        set { state.update { $0.user = newValue } }
    }

    func isReached(by link: any SFTPLink) {
        state.update { state in
            state.renamesByLink = link.renamesByLink
            state.processorsPerLane = link.processorsPerLane
        }
    }

    /// Processors of this machine that a lane keeps busy at full speed.
    var processorsPerLane: Int { state.value.processorsPerLane }

    /// A hard link was made at `path`: its folder's file system has them.
    func hasLinked(_ path: ProviderPath) { state.update { $0.linking = path.parent } }

    /// Whether `RENAME` to `path` refuses an existing item as reliably as a hard link does, because it makes one.
    ///
    /// The banner is that of the SSH server, which may run another SFTP server; two extensions identify OpenSSH's own.
    func renamesByLink(to path: ProviderPath, _ session: SFTPSession) -> Bool {
        renamesAsOpenSSH(session) && state.value.linking == path.parent
    }

    /// Whether `RENAME` of a file makes a hard link if the file system supports them, and otherwise checks the name
    /// first.
    func renamesAsOpenSSH(_ session: SFTPSession) -> Bool {
        state.value.renamesByLink && session.has(.lsetstat) && session.has(.fsync)
    }

    var replaces: Bool? {
        get { state.value.replaces }
        set { state.update { $0.replaces = newValue } }
    }

    var hasReversedLinks: Bool? {
        get { state.value.hasReversedLinks }
        set { state.update { $0.hasReversedLinks = newValue } }
    }

    /// Whether `LSTAT` may follow a link, as ProFTPD's does. Servers that set attributes of links don't.
    func mayFollow(_ session: SFTPSession) -> Bool { !session.has(.lsetstat) }

    /// Whether a file that was opened for writing was seen to keep its content.
    var keepsContent: Bool { state.value.keepsContent }

    /// Notes whether a file that was opened for writing kept its content.
    func keeps(content: Bool) {
        state.update { state in
            state.keepsContent = content
            if !content { state.isHonest = false }
        }
    }

    /// Whether the server does what it acknowledges.
    ///
    /// Some servers acknowledge a hard link and make none. They also ignore `EXCL`, replace with `RENAME`, and truncate
    /// a file that is opened for writing. Tried once, with names that don't exist.
    func isHonest(beside path: ProviderPath, _ session: SFTPSession) async throws -> Bool {
        if let known = state.value.isHonest { return known }
        guard session.has(.hardlink) else { return true }
        let names = try (TemporaryName.make(beside: path), TemporaryName.make(beside: path))
        let reply = try await session.send(.hardlink(bytes(of: names.0), as: bytes(of: names.1)))
        let isHonest = reply.status?.isOK != true
        state.update { state in
            state.isHonest = isHonest
            if !isHonest { state.lacking.insert(.hardlink) }
        }
        return isHonest
    }
}
