public import FileProviderCore
import Foundation

extension MemoryFileProvider {
    /// Opens a file. The reader keeps the version that it opened, even if the file is changed or removed.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadUnknown)` with `EISDIR` below it.
    public func open(path: ProviderPath) async throws -> any FileReader {
        let item = try tree.value.item(at: path, writing: false)
        guard let bytes = item.bytes else { throw FileError.isADirectory(path) }
        return MemoryReader(bytes, validator: item.tag, path: path)
    }

    /// Collects the bytes and puts them under their name in one step; `placement` makes no difference here.
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)`; `CocoaError(.fileNoSuchFile)` without its parent;
    ///   `CocoaError(.fileWriteOutOfSpace)` over the capacity; `CocoaError(.fileWriteUnknown)` for another version, or
    ///   a source whose length is not what it promised. Nothing is left behind.
    @discardableResult
    public func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        try Task.checkCancellation()
        _ = try tree.value.check(path, options)
        let write = MemoryWrite(path: path, tree: tree)
        do {
            try await write.pour(source)
            try Task.checkCancellation()
            return try tree.update { try $0.write(write.bytes, to: path, options: options) }.object(at: path)
        } catch {
            write.giveBack()
            throw error
        }
    }
}

extension MemoryFileProvider: FileProviderAppending {
    /// Collects the bytes and adds them in one step: an append that fails or is cancelled leaves the file as it was.
    ///
    /// - Throws: As the protocol says, and `CocoaError(.fileWriteOutOfSpace)` over the capacity.
    public func append(path: ProviderPath, from source: any WriteSource, createsFile: Bool) async throws -> FileObject {
        try Task.checkCancellation()
        try tree.value.checkAppending(to: path, createsFile: createsFile)
        let write = MemoryWrite(path: path, tree: tree)
        do {
            try await write.pour(source)
            try Task.checkCancellation()
            return try tree.update { try $0.append(write.bytes, to: path, createsFile: createsFile) }.object(at: path)
        } catch {
            write.giveBack()
            throw error
        }
    }
}

/// One content being collected.
private final class MemoryWrite: @unchecked Sendable {
    // Unchecked: one write owns it, and does one step at a time.
    private(set) var bytes = MemoryBytes()
    private let path: ProviderPath
    private let tree: LockedValue<MemoryTree>

    init(path: ProviderPath, tree: LockedValue<MemoryTree>) {
        self.path = path
        self.tree = tree
    }

    /// Reads all of `source`. The source may read a disk, so this runs on the disks' threads; none waits while it has
    /// nothing.
    func pour(_ source: any WriteSource) async throws {
        let length = source.length
        let from = try source.bytes(from: 0)
        let size = Int(min(Int64(MemoryBytes.piece), max(4096, length ?? .max)))
        while try await BlockingThreads.shared.run({ [self] flag in try take(from, length, by: size, flag) }) == .wait {
            try await from.waitUntilReady()
        }
        if let length, bytes.size != length { throw wrongLength(length) }
    }

    /// Reads what the source has now; returns `.ready` at its end.
    private func take(_ source: any ByteSource, _ length: Int64?, by size: Int, _ flag: CancellationFlag) throws
        -> FlowState
    {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            try flag.check()
            switch try source.read(into: buffer) {
            case .wait: return .wait
            case .end: return .ready
            case .bytes(let count):
                if let length, bytes.size + Int64(count) > length { throw wrongLength(length) }
                try tree.update { try $0.take(Int64(count), for: path) }
                bytes.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }

    /// Releases the capacity that a failed write had reserved.
    func giveBack() {
        // A release never fails.
        try? tree.update { try $0.take(-bytes.size, for: path) }
    }

    private func wrongLength(_ expected: Int64) -> CocoaError {
        FileError.make(
            .fileWriteUnknown, path: path,
            sentence: "The source of “\(path)” promised \(expected) bytes and gave another number. Nothing was kept."
        )
    }
}
