import FileProviderCore
import Foundation

/// Two files that only grow: bytes, and a line of JSON for each change. The changes together give the box's contents.
/// A last line without its end, which a crash may leave, is ignored and overwritten. Calls block on the disk.
struct Box: Sendable {
    struct Item: Codable, Sendable {
        var extents: [Range<Int64>]?  // where the file's bytes lie; nil for a folder
        var modified = Date()
        var tag = String(UInt64.random(in: .min ... .max), radix: 36)
        var size: Int64? { extents?.reduce(0) { $0 + Int64($1.count) } }
        func object(at path: ProviderPath) -> FileObject {
            FileObject(
                path: path, type: size == nil ? .directory : .regular, size: size, modifiedDate: modified, entryTag: tag
            )
        }
    }
    private let bytes, changes: FileHandle
    private(set) var end: Int64
    private var endOfChanges: UInt64 = 0
    private(set) var items = [ProviderPath.root: Item()]
    init(path: String) throws {
        bytes = try Self.open(path)
        changes = try Self.open(path + ".index")
        guard flock(bytes.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw FileError.make(.fileLocking, path: path, sentence: "“\(path)” is in use by another process.")
        }
        end = Int64(try bytes.seekToEnd())
        let lines =
            try changes.readToEnd()?.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) ?? []
        for line in lines.dropLast() {
            do { try apply(JSONDecoder().decode([String: Item?].self, from: line)) } catch {
                throw FileError.make(.fileReadCorruptFile, path: path + ".index", underlying: error)
            }
            endOfChanges += UInt64(line.count + 1)
        }
    }
    func unlock() { flock(bytes.fileDescriptor, LOCK_UN) }  // closing would leave it to a child that is being started
    private static func open(_ path: String) throws -> FileHandle {
        let raw = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        guard raw >= 0 else { throw FileError.make(errno: errno, path: try ProviderPath(path), writing: true) }
        return FileHandle(fileDescriptor: raw, closeOnDealloc: true)
    }
    func read(_ range: Range<Int64>) throws -> Data {
        try bytes.seek(toOffset: UInt64(range.lowerBound))
        guard let piece = try bytes.read(upToCount: range.count), piece.count == range.count else {
            throw FileError.make(.fileReadCorruptFile, path: "", sentence: "The box ends too early.")
        }
        return piece
    }
    /// Adds bytes and tells where they lie.
    mutating func append(_ piece: Data) throws -> Range<Int64> {
        try bytes.seek(toOffset: UInt64(end))
        try bytes.write(contentsOf: piece)
        end += Int64(piece.count)
        return end - Int64(piece.count)..<end
    }
    /// Sees the bytes onto the disk, then the change that names them.
    mutating func commit(_ change: [ProviderPath: Item?]) throws {
        // ASCII: equal Strings may differ in bytes
        let named = Dictionary(uniqueKeysWithValues: change.map { ($0.percentEncoded, $1) })
        let line = try JSONEncoder().encode(named) + Data("\n".utf8)
        try bytes.synchronize()
        try changes.seek(toOffset: endOfChanges)
        try changes.write(contentsOf: line)
        try changes.synchronize()
        endOfChanges += UInt64(line.count)
        try apply(named)
    }
    private mutating func apply(_ change: [String: Item?]) throws {
        for (path, item) in change { items[try ProviderPath(percentEncoded: path)] = item }
    }
    func item(_ path: ProviderPath, writing: Bool = false) throws -> Item {
        guard let item = items[path] else { throw FileError.make(errno: ENOENT, path: path, writing: writing) }
        return item
    }
    func below(_ path: ProviderPath) -> [ProviderPath] { items.keys.filter { $0.isBelow(path) } }
    /// Whether an item may come to `path`.
    func check(_ path: ProviderPath, _ options: WriteOptions) throws {
        guard let parent = path.parent else { throw FileError.make(.fileWriteFileExists, path: path) }
        if try item(parent, writing: true).extents != nil { throw FileError.notADirectory(parent, writing: true) }
        if items[path] != nil, !options.overwrite { throw FileError.make(.fileWriteFileExists, path: path) }
        if items[path] != nil, !below(path).isEmpty {
            throw FileError.make(errno: ENOTEMPTY, path: path, writing: true)
        }
        if let tag = options.ifMatch, items[path]?.tag != tag {
            throw FileError.make(.fileWriteUnknown, path: path, sentence: "“\(path)” has another version now.")
        }
    }
    mutating func put(_ item: Item, at path: ProviderPath, _ options: WriteOptions = WriteOptions()) throws
        -> FileObject
    {
        try check(path, options)
        try commit([path: item])
        return item.object(at: path)
    }
    /// Puts the item at `path`, with all below it, at `target`, and returns the bytes of that.
    mutating func graft(_ path: ProviderPath, to target: ProviderPath, overwrite: Bool, isMove: Bool) throws -> Int64 {
        _ = try item(path, writing: true)
        if path.isRoot || path == target || target.isBelow(path) {
            throw FileError.make(.fileWriteInvalidFileName, path: target)
        }
        try check(target, WriteOptions(overwrite: overwrite))
        var change: [ProviderPath: Item?] = [:]
        for old in below(path) + [path] {
            if isMove { change.updateValue(nil, forKey: old) }
            change[target.appending(old.relative(to: path) ?? .root)] = try item(old)
        }
        try commit(change)
        return change.values.reduce(0) { $0 + ($1?.size ?? 0) }
    }
}
