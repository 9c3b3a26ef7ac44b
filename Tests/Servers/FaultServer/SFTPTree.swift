import Foundation

/// Files, folders and links as a Unix kernel keeps them: names are bytes and point to numbered nodes, which open
/// handles keep alive.
struct SFTPTree: Sendable {
    enum Kind: UInt32, Sendable {
        case file = 0o100_000
        case folder = 0o040_000
        case link = 0o120_000
    }

    struct Node: Sendable {
        var kind: Kind
        /// The permission bits alone.
        var mode: UInt32
        var content = SFTPTreeContent()
        var children: [[UInt8]: Int] = [:]
        /// Of a folder.
        var parent = SFTPTree.root
        /// Of a link.
        var target: [UInt8] = []
        var user: UInt32 = 1_000
        var group: UInt32 = 1_000
        var accessed = SFTPTree.now
        var modified = SFTPTree.now
        var links = 1
        var handles = 0

        var size: Int {
            switch kind {
            case .file: content.size
            case .folder: 4_096
            case .link: target.count
            }
        }
    }

    /// Where a path leads: a name in a folder and the node there, if any. The name is empty for a folder reached by
    /// "/", "." or "..".
    struct Location {
        var folder: Int
        var name: [UInt8]
        var id: Int?
    }

    static let root = 1
    static let slash = UInt8(ascii: "/")
    static var now: UInt32 { UInt32(truncatingIfNeeded: time(nil)) }

    var nodes = [root: Node(kind: .folder, mode: 0o755)]
    /// Where relative paths begin.
    var home = root
    private var nextID = root + 1

    // MARK: Paths

    static func parts(_ path: [UInt8]) -> [[UInt8]] { path.split(separator: slash).map(Array.init) }

    /// Where a path leads. Only its last part may be missing.
    ///
    /// - Parameter follow: Whether a link at the end is followed.
    /// - Throws: `POSIXError`.
    func locate(_ path: [UInt8], follow: Bool) throws -> Location {
        guard !path.isEmpty else { throw POSIXError(.ENOENT) }
        var here = path.first == Self.slash ? Self.root : home
        var rest = Array(Self.parts(path).reversed())
        var location = Location(folder: here, name: [], id: here)
        var hops = 0
        while let part = rest.popLast() {
            guard let node = nodes[here], node.kind == .folder else { throw POSIXError(.ENOTDIR) }
            guard node.mode & 0o100 != 0 else { throw POSIXError(.EACCES) }
            guard part.count <= 255 else { throw POSIXError(.ENAMETOOLONG) }
            if part == Array(".".utf8) || part == Array("..".utf8) {
                if part.count == 2 { here = node.parent }
                location = Location(folder: here, name: [], id: here)
                continue
            }
            guard let child = node.children[part], let next = nodes[child] else {
                guard rest.isEmpty else { throw POSIXError(.ENOENT) }
                return Location(folder: here, name: part, id: nil)
            }
            if next.kind == .link, follow || !rest.isEmpty {
                hops += 1
                guard hops <= 40 else { throw POSIXError(.ELOOP) }
                if next.target.first == Self.slash { here = Self.root }
                rest += Self.parts(next.target).reversed()
                location = Location(folder: here, name: [], id: here)
            } else {
                location = Location(folder: here, name: part, id: child)
                here = child
            }
        }
        return location
    }

    /// The node that is there.
    ///
    /// - Throws: `POSIXError`, `.ENOENT` where nothing is.
    func find(_ path: [UInt8], follow: Bool = true) throws -> Int {
        guard let id = try locate(path, follow: follow).id else { throw POSIXError(.ENOENT) }
        return id
    }

    /// The absolute path without links, also of what is not there yet.
    func realPath(_ path: [UInt8]) throws -> [UInt8] {
        let location = try locate(path.isEmpty ? Array(".".utf8) : path, follow: true)
        let above = self.path(ofFolder: location.folder)
        if location.name.isEmpty { return above }
        return (above.count == 1 ? above : above + [Self.slash]) + location.name
    }

    private func path(ofFolder id: Int) -> [UInt8] {
        var parts: [[UInt8]] = []
        var here = id
        while here != Self.root, let parent = nodes[here]?.parent {
            parts.append(nodes[parent]?.children.first { $0.value == here }?.key ?? [])
            here = parent
        }
        return [Self.slash] + Array(parts.reversed().joined(separator: [Self.slash]))
    }

    /// Fails where the owner lacks this permission: 4 to read, 2 to write, 1 to pass.
    func check(_ id: Int, _ permission: UInt32) throws {
        guard (nodes[id]?.mode ?? 0) & permission << 6 != 0 else { throw POSIXError(.EACCES) }
    }

    // MARK: Changes

    /// Puts a new node in a folder under a name that is free there.
    mutating func add(_ node: Node, at location: Location) throws -> Int {
        guard location.id == nil else { throw POSIXError(.EEXIST) }
        guard (nodes[location.folder]?.links ?? 0) > 0 else { throw POSIXError(.ENOENT) }
        try check(location.folder, 2)
        let id = nextID
        nextID += 1
        nodes[id] = node
        nodes[id]?.parent = location.folder
        enter(id, at: location)
        return id
    }

    /// Gives a node one more name.
    mutating func link(_ id: Int, at location: Location) throws {
        guard location.id == nil else { throw POSIXError(.EEXIST) }
        try check(location.folder, 2)
        nodes[id]?.links += 1
        enter(id, at: location)
    }

    private mutating func enter(_ id: Int, at location: Location) {
        nodes[location.folder]?.children[location.name] = id
        nodes[location.folder]?.modified = Self.now
    }

    /// Takes a name away, and the node with its last name and handle.
    mutating func unlink(_ location: Location) throws {
        guard let id = location.id, !location.name.isEmpty else { throw POSIXError(.EBUSY) }
        try check(location.folder, 2)
        nodes[location.folder]?.children[location.name] = nil
        nodes[location.folder]?.modified = Self.now
        nodes[id]?.links -= 1
        forget(id)
    }

    /// Frees a node that has neither names nor handles.
    mutating func forget(_ id: Int) {
        if let node = nodes[id], node.links <= 0, node.handles <= 0 { nodes[id] = nil }
    }

    /// As rename(2).
    mutating func rename(_ source: Location, to target: Location) throws {
        guard let id = source.id, let node = nodes[id] else { throw POSIXError(.ENOENT) }
        guard !source.name.isEmpty, !target.name.isEmpty else { throw POSIXError(.EBUSY) }
        if id == target.id { return }
        if node.kind == .folder {
            var here = target.folder
            while here != Self.root {
                guard here != id else { throw POSIXError(.EINVAL) }
                here = nodes[here]?.parent ?? Self.root
            }
        }
        try check(source.folder, 2)
        if let old = target.id, let there = nodes[old] {
            if node.kind == .folder, there.kind != .folder { throw POSIXError(.ENOTDIR) }
            if node.kind != .folder, there.kind == .folder { throw POSIXError(.EISDIR) }
            guard there.children.isEmpty else { throw POSIXError(.ENOTEMPTY) }
            try unlink(target)
        }
        try check(target.folder, 2)
        nodes[source.folder]?.children[source.name] = nil
        nodes[source.folder]?.modified = Self.now
        nodes[id]?.parent = target.folder
        enter(id, at: target)
    }
}
