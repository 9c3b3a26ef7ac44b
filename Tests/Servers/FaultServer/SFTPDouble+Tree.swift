import FileProviderCore
public import Foundation

extension SFTPDouble {
    // MARK: What is there

    /// The file's bytes; nil for a folder and where nothing is. Links at the end are not followed, here and below.
    public func file(_ path: String) -> Data? {
        node(path).flatMap { $0.kind == .file ? Data($0.content.read(at: 0, count: $0.content.size)) : nil }
    }

    /// The file's bytes in a range, fewer at its end.
    public func bytes(_ path: String, _ range: Range<Int>) -> Data {
        Data(node(path)?.content.read(at: range.lowerBound, count: range.count) ?? [])
    }

    /// Whether the file is so many bytes of ``pattern(_:)``; takes no memory.
    public func isPattern(_ path: String, size: Int) -> Bool {
        guard let content = node(path)?.content, content.size == size else { return false }
        return stride(from: 0, to: size, by: 1 << 20).allSatisfy { offset in
            let count = min(1 << 20, size - offset)
            return content.read(at: offset, count: count) == SFTPTree.pattern(at: offset, count: count)
        }
    }

    /// The bytes of the pattern in a range.
    public static func pattern(_ range: Range<Int>) -> Data {
        Data(SFTPTree.pattern(at: range.lowerBound, count: range.count))
    }

    /// Whether something is there.
    public func exists(_ path: String) -> Bool { node(path) != nil }

    /// In bytes; nil where nothing is.
    public func size(_ path: String) -> Int? { node(path)?.size }

    /// The permission bits; nil where nothing is.
    public func mode(_ path: String) -> UInt32? { node(path)?.mode }

    /// In seconds since 1970; nil where nothing is.
    public func modified(_ path: String) -> UInt32? { node(path)?.modified }

    /// In seconds since 1970; nil where nothing is.
    public func accessed(_ path: String) -> UInt32? { node(path)?.accessed }

    /// Where a link points; nil where none is.
    public func target(_ path: String) -> String? {
        node(path).flatMap { $0.kind == .link ? String(decoding: $0.target, as: UTF8.self) : nil }
    }

    /// How many names a file has; nil where nothing is.
    public func links(_ path: String) -> Int? { node(path)?.links }

    /// All paths but the root, sorted by their bytes, those of folders with a slash at the end; bytes that are not
    /// UTF-8 are replaced.
    public var paths: [String] {
        let tree = state.update { $0.tree }
        var found: [[UInt8]] = []
        var folders = [(SFTPTree.root, [SFTPTree.slash])]
        while let (folder, path) = folders.popLast() {
            for (name, id) in tree.nodes[folder]?.children ?? [:] {
                let isFolder = tree.nodes[id]?.kind == .folder
                found.append(path + name + (isFolder ? [SFTPTree.slash] : []))
                if isFolder { folders.append((id, path + name + [SFTPTree.slash])) }
            }
        }
        return found.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private func node(_ path: String) -> SFTPTree.Node? {
        state.update { state in (try? state.tree.find(Array(path.utf8), follow: false)).flatMap { state.tree.nodes[$0] }
        }
    }

    // MARK: What is to be there

    /// Puts a file there, with the folders above it, whatever was there before.
    public func put(_ data: Data, at path: String, mode: UInt32 = 0o644, modified: UInt32? = nil) {
        put(data, atBytes: Array(path.utf8), mode: mode, modified: modified)
    }

    /// Puts a file there whose path need not be UTF-8.
    public func put(_ data: Data, atBytes path: [UInt8], mode: UInt32 = 0o644, modified: UInt32? = nil) {
        replace(
            path,
            by: SFTPTree.Node(
                kind: .file, mode: mode, content: SFTPTreeContent(data), modified: modified ?? SFTPTree.now))
    }

    /// Puts a file of so many bytes of ``pattern(_:)`` there, which take no memory.
    public func putPattern(_ size: Int, at path: String, mode: UInt32 = 0o644) {
        replace(Array(path.utf8), by: SFTPTree.Node(kind: .file, mode: mode, content: SFTPTreeContent(patternOf: size)))
    }

    /// Puts a symbolic link there.
    public func putLink(to target: String, at path: String) {
        replace(Array(path.utf8), by: SFTPTree.Node(kind: .link, mode: 0o777, target: Array(target.utf8)))
    }

    /// Puts a folder there, with the folders above it; one that is there stays.
    public func putFolder(_ path: String, mode: UInt32? = nil) {
        state.update { state in
            let id = state.tree.makeFolders(Array(path.utf8))
            if let mode { state.tree.nodes[id]?.mode = mode }
        }
    }

    /// Puts so many files with the names `entry-00000`, `entry-00001` … into a folder, the first empty, each a byte
    /// longer than the last.
    public func putEntries(_ count: Int, in folder: String) {
        state.update { state in
            let id = state.tree.makeFolders(Array(folder.utf8))
            for index in 0..<count {
                let digits = "\(index)"
                let name = "entry-" + String(repeating: "0", count: max(0, 5 - digits.count)) + digits
                let location = SFTPTree.Location(folder: id, name: Array(name.utf8), id: nil)
                _ = try? state.tree.add(
                    SFTPTree.Node(kind: .file, mode: 0o644, content: SFTPTreeContent(patternOf: index)), at: location)
            }
        }
    }

    /// Removes what is there, with all below it.
    public func remove(_ path: String) {
        state.update { state in
            if let location = try? state.tree.locate(Array(path.utf8), follow: false), location.id != nil {
                try? state.tree.unlink(location)
            }
        }
    }

    private func replace(_ path: [UInt8], by node: SFTPTree.Node) {
        state.update { state in
            _ = state.tree.makeFolders(Array(path.prefix((path.lastIndex(of: SFTPTree.slash) ?? 0) + 1)))
            guard var location = try? state.tree.locate(path, follow: false) else { return }
            if location.id != nil { try? state.tree.unlink(location) }
            location.id = nil
            _ = try? state.tree.add(node, at: location)
        }
    }
}

extension SFTPTree {
    /// Makes the folders that are missing; names are taken as they are.
    ///
    /// - Returns: The last one.
    mutating func makeFolders(_ path: [UInt8]) -> Int {
        var here = Self.root
        for part in Self.parts(path) {
            if let next = nodes[here]?.children[part] {
                here = next
            } else if let next = try? add(
                Node(kind: .folder, mode: 0o755), at: Location(folder: here, name: part, id: nil))
            {
                here = next
            }
        }
        return here
    }
}
