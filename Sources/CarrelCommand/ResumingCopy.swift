import Carrel
import Foundation

/// A copy that leaves what came, when it stops, and goes on there next time.
///
/// The part lies beside the target under a name made of the target's name and the source's place, size and version. Before it is
/// added to, its first and last bytes are compared with the source's own; when they differ it is begun anew. Files of this machine are written
/// here; elsewhere the provider does it (`WriteOptions.resumption`).
struct ResumingCopy: Sendable {
    enum Result: Sendable {
        /// Bytes of the whole file.
        case copied(Int64)
        /// The target is this file already.
        case wasThere
    }

    let source: Place
    let target: Place
    let overwrite: Bool

    /// How much of the beginning, and of the end, is compared, in bytes.
    private static let proof: Int64 = 64 << 10

    func run(_ item: FileObject, progress: ProgressReporter) async throws -> Result {
        try await source.provider.withReader(path: source.path) { reader in
            let attributes = try await reader.attributes()
            if let existing = try await target.itemIfAny() {
                if try await isSame(existing, as: item, reader) { return .wasThere }
                if !overwrite { throw FileError.make(.fileWriteFileExists, path: target.path) }
                if existing.isDirectory { throw FileError.isADirectory(target.path, writing: true) }
            }
            guard let validator = attributes.validator else {
                // Without a version nothing proves that a part belongs to this file: the whole is copied.
                try await TreeCopy(overwrite: overwrite, preservesDates: true).copyFile(
                    source.path, of: source.provider, to: target.path, of: target.provider, modificationDate: item.modifiedDate,
                    progress: progress)
                return .copied(attributes.size)
            }
            let identity = identity(size: attributes.size, validator: validator)
            if target.provider is LocalFileProvider {
                let part = try TemporaryName.make(beside: target.path, for: identity)
                try await fill(part, from: reader, size: attributes.size, progress)
                try await publish(part, date: item.modifiedDate)
            } else {
                let options = WriteOptions(overwrite: overwrite, modificationDate: item.modifiedDate, resumption: identity)
                try await target.provider.writeContents(
                    path: target.path, from: try await reader.writeSource(), options: options, progress: progress)
            }
            return .copied(attributes.size)
        }
    }

    /// Whether parts can be gone on with there.
    static func works(to provider: any FileProvider) async throws -> Bool {
        if provider is LocalFileProvider { return true }
        return try await provider.capabilities().has(.resumingWrites)
    }

    /// The same for the same version of the same source, in every run.
    private func identity(size: Int64, validator: String) -> String {
        "\(source.provider.url(of: source.path).withoutSecrets.absoluteString)\u{0}\(size)\u{0}\(validator)"
    }

    private func fill(_ part: ProviderPath, from reader: any FileReader, size: Int64, _ progress: ProgressReporter) async throws {
        let file = try await BlockingThreads.shared.run { try Self.open(part) }
        var start = try await BlockingThreads.shared.run { try Self.size(of: file, part) }
        if try await !belongs(file, part, count: start, to: reader, size: size) {
            start = 0
            try await BlockingThreads.shared.run {
                guard ftruncate(file.raw, 0) == 0 else { throw FileError.make(errno: errno, path: part, writing: true) }
            }
        }
        progress.expect(size)
        progress.advance(by: start)
        if start < size {
            _ = try await reader.stream(.from(start), into: CountedSink(FileSink(file, path: target.path), progress))
        }
        try await BlockingThreads.shared.run {
            guard try Self.size(of: file, part) == size else {
                throw FileError.make(.fileReadCorruptFile, path: part, sentence: "“\(part)” is not as long as its source.")
            }
            guard fsync(file.raw) == 0 else { throw FileError.make(errno: errno, path: part, writing: true) }
        }
    }

    /// Opens the part to add to it. Its name can be foretold, so what lies there must be a file of this user's, and nobody else's turn.
    private static func open(_ part: ProviderPath) throws -> FileDescriptor {
        let raw = (Array("/".utf8) + part.bytes).withName {
            Glibc.open($0, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o666)
        }
        guard raw >= 0 else { throw FileError.make(errno: errno, path: part, writing: true) }
        let file = FileDescriptor(owning: raw)
        var status = stat()
        guard fstat(raw, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_nlink == 1 else {
            throw FileError.make(.fileWriteUnknown, path: part, sentence: "“\(part)” is not a part that this user left.")
        }
        guard flock(raw, LOCK_EX | LOCK_NB) == 0 else {
            throw FileError.make(.fileWriteUnknown, path: part, sentence: "“\(part)” is being written by another copy.")
        }
        return file
    }

    private static func size(of file: FileDescriptor, _ part: ProviderPath) throws -> Int64 {
        var status = stat()
        guard fstat(file.raw, &status) == 0 else { throw FileError.make(errno: errno, path: part, writing: false) }
        return Int64(status.st_size)
    }

    private func belongs(
        _ file: FileDescriptor, _ part: ProviderPath, count: Int64, to reader: any FileReader, size: Int64
    ) async throws -> Bool {
        if count == 0 { return true }
        guard count <= size else { return false }
        let ranges = [0..<min(Self.proof, count), max(0, count - Self.proof)..<count]
        let ours = try await BlockingThreads.shared.run {
            try ranges.map { range in
                var data = Data(count: range.count)
                let got = try data.withUnsafeMutableBytes { try file.read(into: $0, at: range.lowerBound, path: part) }
                return data.prefix(got)
            }
        }
        return try await reader.read(ranges) == ours
    }

    /// Whether an earlier try had finished this file: `--resume` keeps modification times, so they tell.
    private func isSame(_ existing: FileObject, as item: FileObject, _ reader: any FileReader) async throws -> Bool {
        let size = try await reader.attributes().size
        guard existing.isRegularFile, existing.size == size, let date = item.modifiedDate, let own = existing.modifiedDate,
            abs(date.timeIntervalSince(own)) < 1
        else { return false }
        let range = max(0, size - Self.proof)..<size
        let ours = try await target.provider.contents(path: target.path, part: .range(range))
        return try await reader.read(range) == ours
    }

    private func publish(_ part: ProviderPath, date: Date?) async throws {
        if let date {
            try await BlockingThreads.shared.run {
                let seconds = date.timeIntervalSince1970.rounded(.down)
                let time = timespec(tv_sec: Int(seconds), tv_nsec: Int((date.timeIntervalSince1970 - seconds) * 1e9))
                let done = (Array("/".utf8) + part.bytes).withName { utimensat(AT_FDCWD, $0, [time, time], AT_SYMLINK_NOFOLLOW) }
                guard done == 0 else { throw FileError.make(errno: errno, path: part, writing: true) }
            }
        }
        try await target.provider.moveItem(path: part, to: target.path, overwrite: overwrite)
    }

    /// Makes the folders below `source` in `target` and lists the files with their places there.
    static func files(of source: Place, into target: Place) async throws -> [(FileObject, Place)] {
        if source.provider === target.provider, target.path == source.path || target.path.isBelow(source.path) {
            throw FileError.make(
                .fileWriteInvalidFileName, path: target.path, sentence: "“\(source.path)” cannot be copied into itself (“\(target.path)”).")
        }
        try await target.provider.createFolderWithParents(path: target.path)
        let found = Collected<FileObject>()
        try await source.provider.walk(path: source.path) { found.append($0) }
        var files: [(FileObject, Place)] = []
        for item in found.values {
            var place = target
            place.path = target.path.appending(item.path.relative(to: source.path) ?? .root)
            if item.isDirectory {
                try await target.provider.createFolderWithParents(path: place.path)
            } else {
                files.append((item, place))
            }
        }
        return files
    }
}

/// Passes bytes on and counts them into a progress.
private final class CountedSink: ByteSink {
    private let base: any ByteSink
    private let progress: ProgressReporter

    init(_ base: any ByteSink, _ progress: ProgressReporter) {
        self.base = base
        self.progress = progress
    }

    func begin(_ extent: FileExtent) throws { try base.begin(extent) }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        let flow = try base.write(bytes)
        progress.advance(by: Int64(bytes.count))
        return flow
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }
}
