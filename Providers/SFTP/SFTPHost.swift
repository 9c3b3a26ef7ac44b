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
        /// Whether `RENAME` replaces what is there; nil until that was seen.
        var renameReplaces: Bool?
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

    var renameReplaces: Bool? {
        get { state.value.renameReplaces }
        set { state.update { $0.renameReplaces = newValue } }
    }
}
