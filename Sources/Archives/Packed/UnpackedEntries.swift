#if Formats
    import FileProviderCore
    import Foundation
    import Synchronization

    /// An entry's unpacked bytes: in memory if small, else in an unnamed file.
    enum UnpackedEntry: Sendable {
        case memory(Data)
        case file(FileDescriptor, count: Int64)

        /// The largest entry in memory; 8 MiB.
        static let maxSizeInMemory = 8 << 20

        var count: Int64 {
            switch self {
            case .memory(let data): Int64(data.count)
            case .file(_, let count): count
            }
        }

        /// Sends the part `range`, which lies inside, into `sink`.
        func stream(_ range: Range<Int64>, into sink: any ByteSink) async throws {
            let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: count)
            switch self {
            case .memory(let data):
                try await sink.take(data.dropFirst(Int(range.lowerBound)).prefix(range.count), extent: extent)
            case .file(let file, _):
                try await sink.take(Data(), extent: extent)
                for start in stride(from: range.lowerBound, to: range.upperBound, by: 256 << 10) {
                    let part = start..<min(start + 256 << 10, range.upperBound)
                    try await sink.take(try await BlockingThreads.shared.run { try file.bytes(part) })
                }
            }
        }
    }

    /// Collects an entry's bytes as they are unpacked.
    struct UnpackingBuffer {
        private var data = Data()
        private var file: FileDescriptor?
        private(set) var count: Int64 = 0

        mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
            count += Int64(bytes.count)
            if file == nil, count > Int64(UnpackedEntry.maxSizeInMemory) {
                let file = try FileDescriptor.unnamed()
                try data.withUnsafeBytes { try file.write($0, path: .root) }
                data = Data()
                self.file = file
            }
            if let file { try file.write(bytes, path: .root) } else { data.append(contentsOf: bytes) }
        }

        var entry: UnpackedEntry { file.map { .file($0, count: count) } ?? .memory(data) }
    }

    /// A bounded cache of unpacked entries: the least recently used is dropped first.
    final class UnpackedEntries: Sendable {
        private struct HeldEntry {
            var entry: UnpackedEntry
            var lastUse: Int
        }

        /// The most bytes in memory and in files.
        private let capacity: (memory: Int64, files: Int64)
        private let state = Mutex((held: [Int: HeldEntry](), uses: 0))

        init(memory: Int64, files: Int64) {
            capacity = (memory, files)
        }

        subscript(index: Int) -> UnpackedEntry? {
            state.withLock { state in
                state.uses += 1
                state.held[index]?.lastUse = state.uses
                return state.held[index]?.entry
            }
        }

        func insert(_ entry: UnpackedEntry, at index: Int) {
            state.withLock { state in
                state.uses += 1
                state.held[index] = HeldEntry(entry: entry, lastUse: state.uses)
                Self.trim(&state.held, to: capacity.memory) { !$0.isFile }
                Self.trim(&state.held, to: capacity.files) { $0.isFile }
            }
        }

        func removeAll() { state.withLock { $0.held = [:] } }

        private static func trim(_ held: inout [Int: HeldEntry], to capacity: Int64, of kind: (UnpackedEntry) -> Bool) {
            var ours = held.filter { kind($0.value.entry) }
            var total = ours.values.reduce(0) { $0 + $1.entry.count }
            // The newest entry stays, whatever its size: a reader is about to use it.
            while total > capacity, ours.count > 1, let oldest = ours.min(by: { $0.value.lastUse < $1.value.lastUse }) {
                total -= oldest.value.entry.count
                ours[oldest.key] = nil
                held[oldest.key] = nil
            }
        }
    }

    extension UnpackedEntry {
        fileprivate var isFile: Bool { if case .file = self { true } else { false } }
    }

    extension FileDescriptor {
        /// Creates a temporary file that vanishes with its descriptor.
        fileprivate static func unnamed() throws -> FileDescriptor {
            let path = FileManager.default.temporaryDirectory.appending(path: "carrel-\(UUID())").path(
                percentEncoded: false)
            let file = try FileDescriptor(path: path, flags: O_CREAT | O_EXCL | O_RDWR, mode: 0o600)
            unlink(path)
            return file
        }

        fileprivate func bytes(_ range: Range<Int64>) throws -> Data {
            var data = Data(count: range.count)
            var done = 0
            while done < range.count {
                let count = try data.withUnsafeMutableBytes { buffer in
                    try read(
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]),
                        at: range.lowerBound + Int64(done), path: .root)
                }
                guard count > 0 else { throw POSIXError(.EIO) }
                done += count
            }
            return data
        }
    }
#endif
