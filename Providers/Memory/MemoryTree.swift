import FileProviderCore
import Foundation

/// A file's bytes, which never change: a new content is a new value, so readers keep the version that they opened.
struct MemoryBytes: Sendable {
    /// The length of each piece but the last, in bytes.
    static let piece = 1 << 20

    private(set) var pieces: [Data] = []
    private(set) var size: Int64 = 0

    /// Adds bytes at the end.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while !rest.isEmpty {
            if pieces.isEmpty || pieces[pieces.count - 1].count == Self.piece { pieces.append(Data()) }
            let count = min(rest.count, Self.piece - pieces[pieces.count - 1].count)
            pieces[pieces.count - 1].append(contentsOf: rest[..<count])
            size += Int64(count)
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Adds all of `other` at the end.
    mutating func append(_ other: MemoryBytes) {
        for piece in other.pieces { piece.withUnsafeBytes { append($0) } }
    }

    /// Returns bytes from `offset`, which is in the file, up to the end of their piece, at most `limit`.
    func run(at offset: Int64, limit: Int) -> Data {
        let (index, start) = Int(offset).quotientAndRemainder(dividingBy: Self.piece)
        return pieces[index].dropFirst(start).prefix(limit)
    }
}

/// A file or a folder.
struct MemoryItem: Sendable {
    /// A file's content.
    var bytes: MemoryBytes?
    /// A folder's items, by name.
    var children: [[UInt8]: MemoryItem]?
    var modified: Date
    /// The version of a file's content, unique in its tree.
    var version = 0

    static func folder() -> MemoryItem { MemoryItem(children: [:], modified: Date()) }

    var tag: String? { bytes == nil ? nil : "\"\(version)\"" }

    /// Bytes of all files in it.
    var size: Int64 { (bytes?.size ?? 0) + (children?.values.reduce(0) { $0 + $1.size } ?? 0) }

    /// Items in it, itself included.
    var count: Int64 { 1 + (children?.values.reduce(0) { $0 + $1.count } ?? 0) }

    func object(at path: ProviderPath) -> FileObject {
        FileObject(
            path: path, type: bytes == nil ? .directory : .regular, size: bytes?.size, modifiedDate: modified,
            entryTag: tag)
    }

    /// Changes the item at `names` in place; nil if there is none.
    mutating func change<Value>(_ names: ArraySlice<ArraySlice<UInt8>>, _ body: (inout MemoryItem) throws -> Value)
        rethrows -> Value?
    {
        guard let name = names.first else { return try body(&self) }
        // The optional chain ends the recursion if there is no such child.
        return try children?[Array(name)]?.change(names.dropFirst(), body) ?? nil
    }
}

/// The content of a provider. Each method is one step under the provider's lock: it happens as a whole or not at all.
struct MemoryTree: Sendable {
    private var root = MemoryItem.folder()
    private let capacity: Int64?
    /// Bytes of all files, unfinished ones included.
    private(set) var used: Int64 = 0
    private var lastVersion = 0

    /// The most names in a path; a walk takes a little stack for each.
    private static let maxDepth = 256

    init(capacity: Int64?) {
        self.capacity = capacity
    }

    // MARK: Looking

    func item(at path: ProviderPath, writing: Bool) throws -> MemoryItem {
        var item = root
        var here = ProviderPath.root
        for name in path.components {
            guard let children = item.children else { throw FileError.notADirectory(here, writing: writing) }
            guard let child = children[Array(name)] else {
                throw FileError.make(errno: ENOENT, path: path, writing: writing)
            }
            item = child
            here = try here.appending(nameBytes: name)
        }
        return item
    }

    /// Returns the item at `path`; nil if there is none. Its folder must exist.
    func existing(at path: ProviderPath) throws -> MemoryItem? {
        guard let folder = path.parent else { throw FileError.make(errno: EEXIST, path: path, writing: true) }
        guard path.components.count <= Self.maxDepth else {
            throw FileError.make(errno: ENAMETOOLONG, path: path, writing: true)
        }
        guard let children = try item(at: folder, writing: true).children else {
            throw FileError.notADirectory(folder, writing: true)
        }
        return children[Array(path.nameBytes)]
    }

    /// Checks that an item may be put at `path`.
    ///
    /// - Returns: The file or empty folder that it replaces.
    @discardableResult
    func room(at path: ProviderPath, overwrite: Bool) throws -> MemoryItem? {
        guard let there = try existing(at: path) else { return nil }
        if !overwrite { throw FileError.make(errno: EEXIST, path: path, writing: true) }
        if there.children?.isEmpty == false { throw FileError.make(errno: ENOTEMPTY, path: path, writing: true) }
        return there
    }

    // MARK: Changing

    /// Puts an item at `path`, or removes the one there. The caller has checked that its folder exists.
    private mutating func set(_ item: MemoryItem?, at path: ProviderPath) {
        root.change(path.components.dropLast()[...]) { folder in
            folder.children?[Array(path.nameBytes)] = item
            folder.modified = Date()
        }
    }

    mutating func createFolder(_ path: ProviderPath) throws {
        try room(at: path, overwrite: false)
        set(.folder(), at: path)
    }

    /// Puts a content, whose bytes were reserved before, at `path`.
    mutating func write(_ bytes: MemoryBytes, to path: ProviderPath, options: WriteOptions) throws -> MemoryItem {
        let before = try check(path, options)
        lastVersion += 1
        let file = MemoryItem(bytes: bytes, modified: options.modificationDate ?? Date(), version: lastVersion)
        set(file, at: path)
        used -= before?.size ?? 0
        return file
    }

    /// Adds a content, whose bytes were reserved before, to the file at `path`.
    mutating func append(_ bytes: MemoryBytes, to path: ProviderPath, createsFile: Bool) throws -> MemoryItem {
        var all = try checkAppending(to: path, createsFile: createsFile)?.bytes ?? MemoryBytes()
        all.append(bytes)
        lastVersion += 1
        let file = MemoryItem(bytes: all, modified: Date(), version: lastVersion)
        set(file, at: path)
        return file
    }

    /// Checks that bytes may be added at `path`.
    ///
    /// - Returns: The file; nil if it has to be created.
    @discardableResult
    func checkAppending(to path: ProviderPath, createsFile: Bool) throws -> MemoryItem? {
        if path.isRoot { throw FileError.isADirectory(path, writing: true) }
        guard let there = try existing(at: path) else {
            if createsFile { return nil }
            throw FileError.make(errno: ENOENT, path: path, writing: true)
        }
        if there.bytes == nil { throw FileError.isADirectory(path, writing: true) }
        return there
    }

    /// Checks that a file may be written at `path`.
    @discardableResult
    func check(_ path: ProviderPath, _ options: WriteOptions) throws -> MemoryItem? {
        if path.isRoot { throw FileError.isADirectory(path, writing: true) }
        if let expected = options.ifMatch, try existing(at: path)?.tag != expected {
            throw FileError.make(
                .fileWriteUnknown, path: path,
                sentence: "“\(path)” is no longer the version to replace. Look at it again before writing.")
        }
        return try room(at: path, overwrite: options.overwrite)
    }

    /// Reserves `count` bytes of the capacity; a negative number releases them.
    mutating func take(_ count: Int64, for path: ProviderPath) throws {
        if let capacity, count > 0, used + count > capacity {
            throw FileError.make(errno: ENOSPC, path: path, writing: true)
        }
        used += count
    }

    mutating func move(_ path: ProviderPath, to destination: ProviderPath, overwrite: Bool) throws {
        let item = try source(path, to: destination, verb: "moved")
        let before = try room(at: destination, overwrite: overwrite)
        set(nil, at: path)
        set(item, at: destination)
        used -= before?.size ?? 0
    }

    /// - Returns: Bytes of all files copied.
    mutating func copy(_ path: ProviderPath, to destination: ProviderPath, overwrite: Bool) throws -> Int64 {
        let item = try source(path, to: destination, verb: "copied")
        let before = try room(at: destination, overwrite: overwrite)
        let size = item.size
        try take(size, for: destination)
        set(item, at: destination)
        used -= before?.size ?? 0
        return size
    }

    /// - Returns: How many items went.
    mutating func remove(_ path: ProviderPath, recursive: Bool) throws -> Int64 {
        if path.isRoot { throw rootIsFixed("removed") }
        let item = try item(at: path, writing: true)
        if !recursive, item.children?.isEmpty == false {
            throw FileError.make(errno: ENOTEMPTY, path: path, writing: true)
        }
        set(nil, at: path)
        used -= item.size
        return item.count
    }

    /// The item to be moved or copied.
    private func source(_ path: ProviderPath, to destination: ProviderPath, verb: String) throws -> MemoryItem {
        if path.isRoot { throw rootIsFixed(verb) }
        if destination == path { throw FileError.make(errno: EEXIST, path: destination, writing: true) }
        if destination.isBelow(path) {
            throw FileError.make(
                .fileWriteInvalidFileName, path: destination,
                sentence: "“\(path)” cannot be \(verb) into itself (“\(destination)”).")
        }
        return try item(at: path, writing: true)
    }

    private func rootIsFixed(_ verb: String) -> CocoaError {
        FileError.make(
            .fileWriteNoPermission, path: ProviderPath.root, sentence: "The root of a provider cannot be \(verb).")
    }
}
