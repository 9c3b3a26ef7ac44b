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
    }

    let root: ProviderPath
    private let state = Locked(State())

    init(root: ProviderPath) {
        self.root = root
    }

    /// The path as the server takes it: absolute, or from the login folder on where its first name is `~`.
    func bytes(of path: ProviderPath) -> [UInt8] {
        let whole = root.appending(path).bytes
        let home = UInt8(ascii: "~")
        guard whole.first == home, whole.count == 1 || whole[1] == UInt8(ascii: "/") else { return [UInt8(ascii: "/")] + whole }
        return whole.count <= 2 ? [UInt8(ascii: ".")] : Array(whole.dropFirst(2))
    }

    /// Whether `name` is worth asking for on `session`.
    func has(_ name: SFTPExtension, _ session: SFTPSession) -> Bool { session.has(name) && !state.value.lacking.contains(name) }

    /// The server announced `name` and refused it as unknown.
    func lacks(_ name: SFTPExtension) { state.update { _ = $0.lacking.insert(name) } }

    var hasReversedLinks: Bool? {
        get { state.value.hasReversedLinks }
        set { state.update { $0.hasReversedLinks = newValue } }
    }

    /// Whether `LSTAT` may look behind a link, as ProFTPD's does: servers that set attributes of links know them from what is behind.
    func mayFollow(_ session: SFTPSession) -> Bool { !session.has(.lsetstat) }

    /// Whether the server does what it says that it does.
    ///
    /// Some say "done" to a hard link and make none; they also take `EXCL` for nothing, replace with `RENAME`, and empty a file that is
    /// opened for writing. Tried once, with names that are not there.
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
