import FileProviderCore
import Foundation

/// A source of unknown length that keeps its first bytes in a temporary file of this machine while they are sent.
///
/// A server that wants the length first (411, RFC 9110, section 15.5.12) says so once the upload has begun, and a
/// source that can be read only once has lost its start by then. ``whole()`` reads the rest into the file, whose length
/// is known.
final class UploadSpool: WriteSource, @unchecked Sendable {
    // Unchecked: a source is read by one side at a time; what both sides look at is in `state`.
    /// Bytes that are kept while they are sent. A refusal comes long before so many are on their way.
    static let maxKeptBytes: Int64 = 64 << 20

    private struct State {
        var bytes: (any ByteSource)?
        var count: Int64 = 0
        var isKept = true
    }

    private let base: any WriteSource
    private let file: FileDescriptor
    private let state = LockedValue(State())

    /// - Throws: `CocoaError` if no temporary file can be made.
    init(_ base: any WriteSource) throws {
        self.base = base
        let name = FileManager.default.temporaryDirectory.appending(path: "carrel-\(UInt64.random(in: 0 ... .max))")
            .path
        file = try FileDescriptor(path: name, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        // The file has no name from here on, and ends with the process.
        unlink(name)
    }

    /// Never known: that is what the spool is for.
    var length: Int64? { nil }
    /// Whether the source can be read again, by itself or because all that was read is in the file.
    var isRepeatable: Bool { base.isRepeatable }

    /// The bytes of the source, kept as they are read.
    func bytes(from offset: Int64) throws -> any ByteSource {
        let bytes = try base.bytes(from: offset)
        state.update { state in
            // A second round begins the file again; one in the middle leaves a hole, and nothing is kept.
            state = State(bytes: bytes, isKept: offset == 0)
        }
        return KeptSource(spool: self, base: bytes)
    }

    private final class KeptSource: ByteSource {
        private let spool: UploadSpool
        private let base: any ByteSource

        init(spool: UploadSpool, base: any ByteSource) {
            self.spool = spool
            self.base = base
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep {
            let step = try base.read(into: buffer)
            if case .bytes(let count) = step { spool.keep(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            return step
        }

        func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }
    }

    /// A disk without room ends the keeping, not the upload.
    private func keep(_ bytes: UnsafeRawBufferPointer) {
        state.update { state in
            guard state.isKept else { return }
            let end = state.count + Int64(bytes.count)
            let isWritten = end <= Self.maxKeptBytes && (try? file.write(bytes, at: state.count, path: .root)) != nil
            (state.isKept, state.count) = (isWritten, isWritten ? end : state.count)
        }
    }

    /// Reads the rest of the source, or all of it if nothing was read yet, into the file.
    ///
    /// - Returns: The file as a source of known length that can be read again.
    /// - Throws: An error of the source or of the disk; `CocoaError(.fileWriteUnknown)` if more was read than was kept.
    func whole() async throws -> FileSource {
        let (begun, isKept, start) = state.update { ($0.bytes, $0.isKept, $0.count) }
        guard isKept || base.isRepeatable else { throw FileError.notRepeatable() }
        let bytes = if let begun, isKept { begun } else { try base.bytes(from: 0) }
        var count = begun != nil && isKept ? start : 0
        while let piece = try await bytes.next() {
            let end = count
            try await BlockingThreads.shared.run { [file] in
                try piece.withUnsafeBytes { try file.write($0, at: end, path: .root) }
            }
            count += Int64(piece.count)
        }
        return FileSource(file, length: count, path: .root)
    }
}
