import FileProviderCore
import Foundation

/// An append to one file. All calls but ``pour(_:)`` block.
final class LocalAppend: Sendable {
    private let context: LocalContext
    private let sink: FileSink
    private let file: FileDescriptor
    /// The folder of the file, if the file was created here.
    private let folder: FileDescriptor?
    private let syncs: Bool

    /// Opens the file; with `createsFile`, creates it if there is none.
    init(path: ProviderPath, createsFile: Bool, resolver: LocalResolver, context: LocalContext) throws {
        self.context = context
        syncs = resolver.calls.contains(.fsync)
        var folder: FileDescriptor?
        do {
            file = try resolver.file(at: path, flags: Self.flags, context).file
        } catch let error where error.isNoSuchFile && createsFile {
            let entry = try resolver.entry(of: path, context)
            do {
                file = try entry.open(Self.flags | O_CREAT | O_EXCL, context)
                folder = entry.syncableFolder
            } catch let error where error.isFileExists {
                // Another process has created it meanwhile. Nothing is created behind a link without a target.
                file = try resolver.file(at: path, flags: Self.flags, context).file
            }
        }
        self.folder = folder
        sink = FileSink(file, path: context.path)
    }

    /// The kernel adds each write at the end that the file has then. Source: open(2).
    private static let flags = LocalFlags.write | O_APPEND

    /// Adds all of `source`, whose length has to be as promised. No thread waits while it has nothing.
    func pour(_ source: any WriteSource) async throws {
        let bytes = try source.bytes(from: 0)
        let length = source.length
        while let piece = try await bytes.next(upTo: LocalReader.piece) {
            try await BlockingThreads.shared.run { [self] flag in
                try flag.check()
                let count = sink.written + Int64(piece.count)
                if let length, count > length { throw wrongLength(count, of: length) }
                _ = try piece.withUnsafeBytes { try sink.write($0) }
            }
        }
        if let length, sink.written != length { throw wrongLength(sink.written, of: length) }
    }

    private func wrongLength(_ count: Int64, of expected: Int64) -> CocoaError {
        let given = count > expected ? "more than \(expected) bytes" : "\(count) of \(expected) bytes"
        return FileError.make(
            .fileWriteUnknown, path: context.path, url: context.url,
            sentence: "The source of “\(context.path)” gave \(given). \(sink.written) bytes were added to the file.")
    }

    /// Syncs the bytes to the disk.
    func finish() throws -> FileObject {
        if syncs {
            try context.check(fsync(file.raw))
            try folder?.syncNames(path: context.path)
        }
        return try ItemStatus(of: file, context).object(at: context.path)
    }
}
