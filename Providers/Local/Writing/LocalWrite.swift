import FileProviderCore
import Foundation

/// One file being written: its target, and how it ends. All calls but ``pour(_:)`` block.
final class LocalWrite: Sendable {
    enum Target {
        case staged(StagedFile)
        case inPlace(FileDescriptor, isNew: Bool)
    }

    private let entry: LocalEntry
    let options: WriteOptions
    let context: LocalContext
    let target: Target
    private let file: FileDescriptor
    let sink: FileSink

    /// Checks that the write is allowed, and opens the file.
    init(entry: LocalEntry, options: WriteOptions, calls: KernelCalls, context: LocalContext) throws {
        self.entry = entry
        self.options = options
        self.context = context
        let before = try Self.check(entry, options, context)
        switch options.placement {
        case .published:
            let kept = before.flatMap { $0.type == .regular ? $0.permissions & 0o777 : nil }
            let permissions = Self.permissions(options) ?? kept
            let staged = try StagedFile(
                in: entry.folder(for: calls), target: context.path, permissions: permissions ?? 0o666,
                resuming: options.resumption, calls: calls)
            // The umask removed some bits.
            if let permissions { try Self.setPermissions(permissions, of: staged.file, context) }
            target = .staged(staged)
            file = staged.file
            sink = staged.sink
        case .inPlace:
            let (open, isNew) = try Self.openInPlace(entry, options: options, context: context)
            if options.permissions != nil { try Self.setPermissions(Self.mode(options), of: open, context) }
            target = .inPlace(open, isNew: isNew)
            file = open
            sink = FileSink(open, path: context.path)
        }
    }

    /// Returns the mode of a new file in place; until it is whole, its owner may write to it.
    private static func mode(_ options: WriteOptions) -> UInt32 { permissions(options).map { $0 | 0o600 } ?? 0o666 }

    /// A mount that gives all files the same permissions, and refuses others (FAT), has nothing to keep.
    private static func setPermissions(_ permissions: UInt32, of file: FileDescriptor, _ context: LocalContext) throws {
        if try ItemStatus(of: file, context).permissions & 0o777 == permissions { return }
        if fchmod(file.raw, permissions) != 0, ![EPERM, ENOTSUP].contains(errno) { throw context.error(errno) }
    }

    private static func permissions(_ options: WriteOptions) -> UInt32? {
        options.permissions.map { UInt32($0) & 0o777 }
    }

    /// - Returns: The item before the write.
    @discardableResult
    private static func check(_ entry: LocalEntry, _ options: WriteOptions, _ context: LocalContext) throws
        -> ItemStatus?
    {
        let before = try entry.status(context)
        if let expected = options.ifMatch, before?.type != .regular || before?.tag != expected {
            throw context.isOtherVersion
        }
        guard let before else { return nil }
        if !options.overwrite { throw context.error(EEXIST) }
        // The kernel will check again; checking now saves sending the bytes in vain.
        if before.type == .directory {
            let folder = try entry.open(LocalFlags.realFolder, context)
            if try FolderListing(of: folder, context: context).nextEntry() != nil { throw context.error(ENOTEMPTY) }
        }
        return before
    }

    /// O_EXCL decides who creates the file; an existing one is emptied only once it is known to be a regular file.
    private static func openInPlace(
        _ entry: LocalEntry, options: WriteOptions, context: LocalContext
    ) throws -> (file: FileDescriptor, isNew: Bool) {
        do {
            return (try entry.open(LocalFlags.write | O_CREAT | O_EXCL, mode: mode(options), context), true)
        } catch let error where error.isFileExists && options.overwrite {
            if try entry.status(context)?.type == .directory {
                try entry.unlink(context, flags: AT_REMOVEDIR)
                return (try entry.open(LocalFlags.write | O_CREAT | O_EXCL, mode: mode(options), context), true)
            }
            if entry.isTemporary {
                if let part = entry.ownPart(context) {
                    try context.check(ftruncate(part.raw, 0))
                    return (part, false)
                }
                // Another user has predicted the name. In a folder like /tmp, only the owner of the item or of the
                // folder can remove it.
                try entry.unlink(context)
                return (try entry.open(LocalFlags.write | O_CREAT | O_EXCL, mode: mode(options), context), true)
            }
            let file = try entry.open(LocalFlags.write, context)
            guard try ItemStatus(of: file, context).type == .regular else { throw context.special }
            try context.check(ftruncate(file.raw, 0))
            return (file, false)
        }
    }

    /// Reads all of `source`, whose length has to be as promised. No thread waits while it has nothing.
    func pour(_ source: any WriteSource) async throws {
        let length = source.length
        let bytes = try source.bytes(from: try await start(of: source))
        let buffer = TransferBuffer(count: Int(min(Int64(LocalReader.piece), max(4096, length ?? .max))))
        while try await BlockingThreads.shared.run({ [self] flag in try take(bytes, through: buffer, upTo: length, flag)
        }) == .wait {
            try await bytes.waitUntilReady()
        }
        if let length, sink.written != length { throw context.wrongLength(sink.written, of: length) }
    }

    /// Checks that all of a file arrived.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if it did not.
    func checkWhole(_ extent: FileExtent) throws {
        guard extent.count == extent.size, sink.written == extent.size else {
            throw FileError.make(
                .fileReadCorruptFile, path: context.path, url: context.url,
                sentence: "The source of “\(context.path)” ended after \(sink.written) of \(extent.size) bytes.")
        }
    }

    /// Reads what the source has now; returns `.ready` at its end.
    private func take(
        _ source: any ByteSource, through buffer: TransferBuffer, upTo length: Int64?, _ flag: CancellationFlag
    ) throws -> FlowState {
        while true {
            try flag.check()
            switch try source.read(into: buffer.bytes) {
            case .wait: return .wait
            case .end: return .ready
            case .bytes(let count):
                let written = sink.written + Int64(count)
                if let length, written > length { throw context.wrongLength(written, of: length) }
                _ = try sink.write(UnsafeRawBufferPointer(buffer.first(count)))
            }
        }
    }

    /// Syncs the file to the disk, and moves it into place.
    func commit() throws -> FileObject {
        switch target {
        case .staged(let staged):
            if options.ifMatch != nil { try Self.check(entry, options, context) }
            try staged.commit(overwrite: options.overwrite, modificationDate: options.modificationDate)
        case .inPlace(let file, let isNew):
            if let date = options.modificationDate { try context.check(file.setModified(date.fileTime)) }
            if let permissions = Self.permissions(options) { try Self.setPermissions(permissions, of: file, context) }
            try context.check(fsync(file.raw))
            if isNew { try entry.syncableFolder.syncNames(path: context.path) }
        }
        return try ItemStatus(of: file, context).object(at: context.path)
    }

    /// Removes the written file, unless it existed before and was changed in place.
    func discard() {
        switch target {
        case .staged(let staged): staged.discard()
        case .inPlace(let file, let isNew):
            guard isNew, let mine = try? ItemStatus(of: file, context), let there = try? entry.status(context),
                there.isSameItem(as: mine)
            else { return }
            try? entry.unlink(context)
        }
    }
}

extension LocalEntry {
    /// Whether the name is one of `TemporaryName`. Some of those can be predicted, and in a shared folder any user can
    /// take them first.
    var isTemporary: Bool { TemporaryName.matches(String(decoding: name, as: UTF8.self)) }

    /// Opens the part of an earlier write for writing; nil unless it is a regular file of this user with no other name.
    /// A write to a link, a hard link, a pipe or another user's file would go elsewhere.
    ///
    /// - Parameter flags: For open(2), which never follows a link and never waits for a pipe.
    func ownPart(_ context: LocalContext, flags: Int32 = LocalFlags.write) -> FileDescriptor? {
        guard let file = try? open(flags | O_NOFOLLOW | O_NONBLOCK, context),
            let status = try? ItemStatus(of: file, context),
            status.type == .regular, status.links == 1, status.owner == geteuid()
        else { return nil }
        return file
    }
}
