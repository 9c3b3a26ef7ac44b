public import Foundation
import Synchronization

/// An FTP server on loopback with a tree in memory, which does on demand what real servers do not.
///
/// In clear only. Each control connection has a thread, on which its transfers run too.
/// Source: RFC 959, 2389, 2428, 3659.
public final class FTPDouble: Sendable {
    struct State {
        var tree: FTPTree
        var answer: @Sendable (Command) -> [Fault]
        var commands: [Command] = []
        var occurrences: [String: Int] = [:]
        var violations: [String] = []
        var connections = 0
        var openConnections = 0
        var logins = 0
        var openLogins = 0
        var dataConnections = 0
        var control = (received: 0, sent: 0)
        var data = (received: 0, sent: 0)
    }

    let settings: Settings
    let state: Mutex<State>
    let controlCutter = Cutter()
    let dataCutter = Cutter()
    private let listener = Mutex<Listener?>(nil)

    /// - Parameter files: By absolute path; the folders above them come with them.
    /// - Throws: `POSIXError` when no port can be had.
    public init(_ settings: Settings = Settings(), files: [String: Data] = [:]) throws {
        self.settings = settings
        var tree = FTPTree()
        for (path, data) in files { tree.put(data, at: FTPTree.absolute(Array(path.utf8))) }
        state = Mutex(State(tree: tree, answer: settings.answer))
        let started = try Listener(isIPv6: settings.isIPv6) { [weak self] client in self?.serve(client) }
        listener.withLock { $0 = started }
    }

    deinit { stop() }

    /// On 127.0.0.1 or ::1, chosen by the system.
    public var port: Int { listener.withLock { $0?.port ?? 0 } }

    /// Where the server's root is.
    public func url(_ scheme: String = "ftp") -> URL {
        URL(string: "\(scheme)://\(settings.isIPv6 ? "[::1]" : "127.0.0.1"):\(port)/")!  // Well-formed by construction.
    }

    /// Closes every connection and the port; the threads end.
    public func stop() {
        listener.withLock { $0?.stop() }
    }

    // MARK: What came

    /// The commands so far, from all connections, in the order in which they were read.
    public var commands: [Command] { state.withLock { $0.commands } }

    /// What clients did that the protocol forbids, a sentence each that begins with the number of the connection.
    public var violations: [String] { state.withLock { $0.violations } }

    /// Control connections so far.
    public var connections: Int { state.withLock { $0.connections } }

    /// Control connections now; a thread each.
    public var openConnections: Int { state.withLock { $0.openConnections } }

    /// Logins that were let in so far.
    public var logins: Int { state.withLock { $0.logins } }

    /// Data connections that came about so far, passive and active.
    public var dataConnections: Int { state.withLock { $0.dataConnections } }

    /// Bytes on control connections so far.
    public var traffic: (received: Int, sent: Int) { state.withLock { $0.control } }

    /// Bytes on data connections so far.
    public var dataTraffic: (received: Int, sent: Int) { state.withLock { $0.data } }

    // MARK: Faults

    /// Says anew what is to go wrong, from the next command on; see ``Settings/answer``.
    public func setAnswer(_ answer: @escaping @Sendable (Command) -> [Fault]) { state.withLock { $0.answer = answer } }

    /// Has the control connection reset that comes so far, once; bytes count from now on, over all control connections.
    public func reset(_ cut: FaultServer.Cut) { controlCutter.set(cut) }

    /// Has the data connection reset that comes so far, once; bytes count from now on, over all data connections.
    ///
    /// The control connection stays, and its reply is 426.
    public func resetData(_ cut: FaultServer.Cut) { dataCutter.set(cut) }

    // MARK: The tree

    /// The file's bytes; nil for a folder and where nothing is.
    public func file(_ path: String) -> Data? { node(path)?.data }

    /// Whether something is there.
    public func exists(_ path: String) -> Bool { node(path) != nil }

    /// When it was changed last; nil where nothing is.
    public func modificationDate(_ path: String) -> Date? { node(path)?.modified }

    /// The permission bits that `SITE CHMOD` sets; nil where nothing is.
    public func mode(_ path: String) -> Int? { node(path)?.mode }

    /// All paths but the root, sorted by their bytes, those of folders with a slash at the end; bytes that are not
    /// UTF-8 are replaced.
    public var paths: [String] {
        let nodes = state.withLock { $0.tree.nodes }
        return nodes.keys.sorted { $0.lexicographicallyPrecedes($1) }.filter { $0 != FTPTree.root }
            .map { String(decoding: $0, as: UTF8.self) + (nodes[$0]?.data == nil ? "/" : "") }
    }

    /// Puts a file there, with the folders above it, whatever was there before.
    ///
    /// - Parameter encoding: Which bytes stand for the name.
    public func put(_ data: Data, at path: String, encoding: String.Encoding = .utf8, modified: Date = Date()) {
        let bytes = FTPTree.absolute([UInt8](path.data(using: encoding) ?? Data()))
        state.withLock { $0.tree.put(data, at: bytes, modified: modified) }
    }

    /// Puts a folder there, with the folders above it.
    public func putFolder(_ path: String) {
        state.withLock { $0.tree.putFolder(FTPTree.absolute(Array(path.utf8))) }
    }

    /// Removes what is there, with all below it.
    public func remove(_ path: String) {
        state.withLock { $0.tree.removeAll(FTPTree.absolute(Array(path.utf8))) }
    }

    private func node(_ path: String) -> FTPTree.Node? {
        state.withLock { $0.tree.nodes[FTPTree.absolute(Array(path.utf8))] }
    }

    // MARK: Connections

    private func serve(_ client: Int32) {
        let number = state.withLock { state in
            state.connections += 1
            state.openConnections += 1
            return state.connections
        }
        let session = FTPSession(self, client, number: number)
        session.run()
        state.withLock { state in
            state.openConnections -= 1
            if session.isLoggedIn { state.openLogins -= 1 }
        }
    }
}
