import CLinux
import FileProviderCore
import Foundation

/// The names in a folder, one after the other, in a buffer of fixed size. Source: getdents64(2).
final class FolderListing: @unchecked Sendable {
    // Unchecked: a listing is read by one side, one call after the other.
    private let folder: FileDescriptor
    private let context: LocalContext
    private let keepsInodes: Bool
    private let buffer: UnsafeMutableRawBufferPointer
    private var position = 0
    private var filled = 0

    /// The information about an item in the folder itself, without a look at the item.
    struct Entry {
        /// Valid until the next entry is read; a NUL follows.
        let name: UnsafeBufferPointer<UInt8>
        /// False also if the file system does not say.
        let isFolder: Bool

        /// The name for a system call.
        var text: UnsafePointer<CChar> {
            // Never nil: a name has at least one byte.
            UnsafeRawPointer(name.baseAddress.unsafelyUnwrapped).assumingMemoryBound(to: CChar.self)
        }
    }

    init(of folder: FileDescriptor, context: LocalContext) throws {
        self.folder = FileDescriptor(owning: try context.check(openat(folder.raw, ".", LocalFlags.names)))
        self.context = context
        keepsInodes = folder.keepsInodes
        // Nothing throws from here on, so `deinit` runs.
        buffer = .allocate(byteCount: 64 << 10, alignment: 8)
    }

    deinit {
        buffer.deallocate()
    }

    /// Returns the next entry, without `.` and `..`; nil at the end.
    func nextEntry() throws -> Entry? {
        while true {
            if position == filled, try !fill() { return nil }
            let record = UnsafeRawPointer(buffer.baseAddress.unsafelyUnwrapped) + position
            let length = Int(record.loadUnaligned(fromByteOffset: 16, as: UInt16.self))
            // The kernel keeps this promise; if it did not, reading on would leave the buffer.
            guard length > Self.nameOffset, position + length <= filled else { throw context.error(EIO) }
            position += length
            let text = (record + Self.nameOffset).assumingMemoryBound(to: UInt8.self)
            let count = strnlen(UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self), length - Self.nameOffset)
            guard count > 0, count < length - Self.nameOffset else { throw context.error(EIO) }
            let isDots = text[0] == UInt8(ascii: ".") && (count == 1 || (count == 2 && text[1] == UInt8(ascii: ".")))
            if isDots { continue }
            let kind = record.load(fromByteOffset: 18, as: UInt8.self)
            return Entry(name: UnsafeBufferPointer(start: text, count: count), isFolder: kind == Self.folderKind)
        }
    }

    private static let nameOffset = 19
    private static let folderKind = UInt8(DT_DIR)

    private func fill() throws -> Bool {
        while true {
            let count = carrel_getdents(folder.raw, buffer.baseAddress, buffer.count)
            if count >= 0 {
                (position, filled) = (0, count)
                return count > 0
            }
            // A folder that was removed meanwhile has no names any more.
            if errno == ENOENT { return false }
            if errno != EINTR { throw context.error() }
        }
    }

    /// Returns the next name, without `.` and `..`; nil at the end.
    func next() throws -> [UInt8]? { try nextEntry().map { Array($0.name) } }

    /// Returns at most `limit` items; none at the end. Leaves out items that have vanished meanwhile.
    func page(of path: ProviderPath, limit: Int, _ flag: CancellationFlag) throws -> [FileObject] {
        var items: [FileObject] = []
        while items.count < limit, let entry = try nextEntry() {
            try flag.check()
            guard let status = ItemStatus(of: entry.text, in: folder, keepsInodes: keepsInodes) else {
                if errno == ENOENT { continue }
                throw context.below(Array(entry.name)).error()
            }
            var item = status.object(at: try path.appending(nameBytes: entry.name))
            if item.isSymbolicLink {
                guard let target = try linkTarget(of: entry) else { continue }
                item.linkTarget = target
            }
            items.append(item)
        }
        return items
    }

    /// Returns nil if the link is gone or is no longer a link.
    private func linkTarget(of entry: Entry) throws -> [UInt8]? {
        let name = Array(entry.name)
        do { return try LocalEntry(folder: folder, name: name).linkTarget(context.below(name)) } catch let error
            where error.isNoSuchFile || ((error as? CocoaError)?.underlying as? POSIXError)?.code == .EINVAL
        {
            return nil
        }
    }
}
