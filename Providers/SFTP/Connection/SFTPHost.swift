import FileProviderCore
import Foundation
import SFTPEngine

/// What is known of a server, whichever of its connections it was learned on.
final class SFTPHost: Sendable {
    private struct State {
        /// Requests that the server announced and does not do here.
        var lacking: Set<SFTPExtension> = []
        /// Whether a link's target stands before its name; nil until one was made.
        var hasReversedLinks: Bool?
        /// Whether the server does what it says; nil until it was tried.
        var isHonest: Bool?
        /// Whether a file that was opened for writing was seen to keep what is in it.
        var keepsContent = false
        /// Whether `RENAME` takes away what has the name, against the draft; nil until it was tried.
        var replaces: Bool?
        var showsSizes = false
        var looks = Looks()
        var user: UInt32?
        var renamesByLink = false
        var processorsPerLane = 1
        /// Where a hard link was made last.
        var linking: ProviderPath?
    }

    /// Ways to look at a file that the server has refused.
    struct Looks: Sendable {
        /// `FSTAT` of a file that is open to be read.
        var lackHandle = false
        /// That one, and `STAT`.
        var lackBoth = false
        /// Opening a file to read it that was just written.
        var lackReading = false
    }

    let root: ProviderPath
    /// Counts the open files and folders of all sessions.
    let room: SFTPHandleRoom
    /// How long an opening waits for room while nothing moves and no answer is owed.
    let maxStandstill: Duration
    private let state = LockedValue(State())

    init(root: ProviderPath, room: SFTPHandleRoom = SFTPHandleRoom(), maxStandstill: Duration = .seconds(15)) {
        self.root = root
        self.room = room
        self.maxStandstill = maxStandstill
    }

    /// The path as the server takes it: absolute, or from the login folder on where its first name is `~`.
    func bytes(of path: ProviderPath) -> [UInt8] {
        let whole = root.appending(path).bytes
        let home = UInt8(ascii: "~")
        guard whole.first == home, whole.count == 1 || whole[1] == UInt8(ascii: "/") else {
            return [UInt8(ascii: "/")] + whole
        }
        return whole.count <= 2 ? [UInt8(ascii: ".")] : Array(whole.dropFirst(2))
    }

    /// Whether `name` is worth asking for on `session`.
    func has(_ name: SFTPExtension, _ session: SFTPSession) -> Bool {
        session.has(name) && !state.value.lacking.contains(name)
    }

    /// The server announced `name` and refused it as unknown.
    func lacks(_ name: SFTPExtension) { state.update { _ = $0.lacking.insert(name) } }

    /// Whether a look at a file that was written has shown its size: then no other way to look is needed.
    var showsSizes: Bool {
        get { state.value.showsSizes }
        set { state.update { $0.showsSizes = newValue } }
    }

    var looks: Looks { state.value.looks }

    func lacks(_ look: any WritableKeyPath<Looks, Bool> & Sendable) { state.update { $0.looks[keyPath: look] = true } }

    /// The number of this account on the server, from a file that it has made; nil where that is not known.
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

    /// Whether `RENAME` to `path` refuses what is there as surely as a hard link does, because it is one.
    ///
    /// The banner is the SSH server's, which may have been given another server for SFTP: two extensions show OpenSSH's
    /// own.
    func renamesByLink(to path: ProviderPath, _ session: SFTPSession) -> Bool {
        renamesAsOpenSSH(session) && state.value.linking == path.parent
    }

    /// Whether `RENAME` of a file is a hard link wherever the file system has such, and else comes after a look.
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

    /// Whether `LSTAT` may look behind a link, as ProFTPD's does: servers that set attributes of links know them from
    /// what is behind.
    func mayFollow(_ session: SFTPSession) -> Bool { !session.has(.lsetstat) }

    /// Whether a file that was opened for writing was seen to keep what is in it.
    var keepsContent: Bool { state.value.keepsContent }

    /// A file was opened for writing, and kept what is in it, or lost it.
    func keeps(content: Bool) {
        state.update { state in
            state.keepsContent = content
            if !content { state.isHonest = false }
        }
    }

    /// Whether the server does what it says that it does.
    ///
    /// Some say "done" to a hard link and make none; they also take `EXCL` for nothing, replace with `RENAME`, and
    /// empty a file that is opened for writing. Tried once, with names that are not there.
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
