import FileProviderCore
import Foundation

/// Parses a listing as it arrives.
final class FTPListingSink: ByteSink {
    private let state: LockedValue<FTPPages>

    init(_ pages: FTPPages) { state = LockedValue(pages) }

    /// The items received so far.
    var pages: FTPPages { state.value }

    /// - Throws: `CocoaError(.fileReadTooLarge)` past ``FTPPages/maxSize``.
    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        try state.update { try $0.add(bytes) }
        return .ready
    }
}

/// The items of a listing, some at a time.
struct FTPPages: Sendable {
    /// 256 MiB, about two million items.
    static let maxSize = 256 << 20
    /// The number of items to parse while the listing arrives. They take more memory than its bytes.
    private static let maxReady = 20_000

    private let path: ProviderPath
    private let charset: FTPCharset
    private var parser: any FTPListing
    private var ready: [[FileObject]] = []
    private var readyCount = 0
    /// Why parsing has stopped.
    private var failure: (any Error)?
    /// The bytes that were not parsed while the listing arrived.
    private var data = Data()
    private var offset = 0
    private var length = 0
    private var isFinished = false
    /// The paths of the items so far, to find names that are listed twice.
    private var names: Set<ProviderPath> = []

    init(_ parser: any FTPListing, path: ProviderPath, charset: FTPCharset) {
        self.parser = parser
        self.path = path
        self.charset = charset
    }

    var unreadable: FTPUnreadableLines { parser.unreadable }
    /// The items left out of the pages so far.
    var unusable: UnusableNames { parser.unusable }
    /// Whether the listing has no bytes.
    var isEmpty: Bool { length == 0 }

    fileprivate mutating func add(_ bytes: UnsafeRawBufferPointer) throws {
        length += bytes.count
        guard length <= Self.maxSize else {
            throw FileError.make(
                .fileReadTooLarge, path: path,
                sentence: "The listing of “\(path)” is larger than \(Self.maxSize >> 20) MiB.")
        }
        if failure != nil { return }
        if readyCount >= Self.maxReady { return data.append(contentsOf: bytes) }
        // A parse error is thrown later, so that the server can end the listing and the connection stays usable.
        do {
            let entries = try parser.parse(bytes)
            let items = objects(entries)
            readyCount += items.count
            ready.append(items)
        } catch { failure = error }
    }

    /// Returns the next page, or nil after the last.
    mutating func next() throws -> [FileObject]? {
        if !ready.isEmpty { return ready.removeFirst() }
        if let failure { throw failure }
        if isFinished { return nil }
        let piece = data[data.startIndex + offset..<min(data.endIndex, data.startIndex + offset + 128 << 10)]
        offset += piece.count
        var entries = try piece.withUnsafeBytes { try parser.parse($0) }
        if offset >= data.count {
            isFinished = true
            entries += try parser.finish()
        }
        return objects(entries)
    }

    private mutating func objects(_ entries: [FTPEntry]) -> [FileObject] {
        var items: [FileObject] = []
        items.reserveCapacity(entries.count)
        for entry in entries {
            if let child = try? path.appending(nameBytes: charset.component(of: entry.name)),
                names.insert(child).inserted
            {
                items.append(Self.object(entry, at: child, charset))
            } else {
                parser.unusable.add(nameBytes: entry.name)
            }
        }
        return items
    }

    static func object(_ entry: FTPEntry, at path: ProviderPath, _ charset: FTPCharset) -> FileObject {
        var object = FileObject(
            path: path, type: entry.type, size: entry.type == .directory ? nil : entry.size,
            modifiedDate: entry.modified)
        object.creationDate = entry.created
        object.permissions = entry.permissions
        object.linkTarget = entry.linkTarget.map { charset.path(of: $0) }
        object.identity = entry.identity
        return object
    }
}
