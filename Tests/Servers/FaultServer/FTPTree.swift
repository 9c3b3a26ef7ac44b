import Foundation

/// Files and folders by absolute path. A path is bytes, as on a Unix server: two spellings of one letter are two names.
struct FTPTree {
    /// A file, or a folder where there are no bytes.
    struct Node {
        var data: Data?
        var modified = Date()
        var mode: Int
        var isFolder: Bool { data == nil }
    }

    static let root = Array("/".utf8)
    private static let slash = UInt8(ascii: "/")

    var nodes = [root: Node(data: nil, mode: 0o755)]

    // MARK: Paths

    /// Without empty, "." and ".." parts; ".." of the root is the root.
    static func absolute(_ path: [UInt8], from folder: [UInt8] = root) -> [UInt8] {
        var parts: [ArraySlice<UInt8>] = []
        for part in (path.first == slash ? path : folder + [slash] + path).split(separator: slash) {
            switch String(decoding: part, as: UTF8.self) {
            case ".": continue
            case "..": _ = parts.popLast()
            default: parts.append(part)
            }
        }
        return [slash] + Array(parts.joined(separator: [slash]))
    }

    static func parent(_ path: [UInt8]) -> [UInt8] {
        let end = path.lastIndex(of: slash) ?? 0
        return end == 0 ? root : Array(path[..<end])
    }

    static func name(_ path: [UInt8]) -> [UInt8] { Array(path[((path.lastIndex(of: slash) ?? -1) + 1)...]) }

    /// Whether `path` is `folder` or lies below it.
    static func isInside(_ path: [UInt8], _ folder: [UInt8]) -> Bool {
        path == folder || folder == root || path.starts(with: folder + [slash])
    }

    // MARK: Questions

    func isFolder(_ path: [UInt8]) -> Bool { nodes[path]?.isFolder == true }

    func isFile(_ path: [UInt8]) -> Bool { nodes[path]?.isFolder == false }

    /// Sorted by their bytes.
    func children(_ folder: [UInt8]) -> [(name: [UInt8], node: Node)] {
        let start = folder == Self.root ? 1 : folder.count + 1
        return nodes.filter { path, _ in
            path.count > start && path[start - 1] == Self.slash && path.starts(with: folder)
                && !path[start...].contains(Self.slash)
        }
        .map { (Array($0.key[start...]), $0.value) }
        .sorted { $0.name.lexicographicallyPrecedes($1.name) }
    }

    // MARK: Changes

    mutating func put(_ data: Data, at path: [UInt8], modified: Date = Date()) {
        putFolder(Self.parent(path))
        nodes[path] = Node(data: data, modified: modified, mode: 0o644)
    }

    mutating func putFolder(_ path: [UInt8]) {
        if isFolder(path) { return }
        putFolder(Self.parent(path))
        nodes[path] = Node(data: nil, mode: 0o755)
    }

    mutating func removeAll(_ path: [UInt8]) {
        nodes = nodes.filter { $0.key == Self.root || !Self.isInside($0.key, path) }
    }

    /// Writes as `pwrite` does: a gap becomes zeros, what is behind stays.
    mutating func write(_ bytes: Data, at offset: Int, of path: [UInt8]) {
        guard var data = nodes[path]?.data else { return }
        nodes[path]?.data = nil  // So that the bytes below are changed where they are.
        if data.count < offset { data.append(Data(count: offset - data.count)) }
        data.replaceSubrange(offset..<min(data.count, offset + bytes.count), with: bytes)
        nodes[path]?.data = data
        nodes[path]?.modified = Date()
    }

    mutating func move(_ source: [UInt8], to target: [UInt8]) {
        for (path, node) in nodes where Self.isInside(path, source) {
            nodes[path] = nil
            nodes[target + path[source.count...]] = node
        }
    }

    mutating func copy(_ source: [UInt8], to target: [UInt8]) {
        for (path, node) in nodes where Self.isInside(path, source) { nodes[target + path[source.count...]] = node }
    }
}
