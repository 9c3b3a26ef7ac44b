import FileProviderCore
public import Foundation

/// Keeps checkpoints in a folder of this machine, one file for each entry of an archive.
///
/// Files appear whole or not at all, also when the machine stops in the middle. Several processes may use one folder.
/// Other files in it are left alone. All work is done on threads that may block. As the files hold pieces of what the
/// entries say, only the user may read them.
public final class FileCheckpointStore: CheckpointStore {
    /// Where the files are.
    public let folder: URL
    /// The most bytes that all files together may have; those used longest ago go first.
    public let capacity: Int64
    /// One change at a time, so that two cannot both count the folder and both remove. A thread of its own, because
    /// each waits for the disk to have all, and those for disks have other work.
    private let changing = BlockingThreads(count: 1, name: "carrel.checkpoints")

    private static let suffix = ".checkpoints"
    /// A part that nobody has written to for so long, in seconds, was left by a process that is gone.
    private static let patience: TimeInterval = 24 * 3_600

    /// - Parameters:
    ///   - folder: Of this machine; made, with those above it, when the first file is.
    ///   - capacity: In bytes, 256 MiB unless said otherwise. A deflated entry of 180 MB takes 2 to 7 MB.
    public init(folder: URL, capacity: Int64 = 256 << 20) {
        self.folder = folder
        self.capacity = capacity
    }

    /// The file's bytes; the file counts as used now. Nil for what is larger than any index.
    public func load(_ key: String) async -> Data? {
        guard let file = file(for: key) else { return nil }
        return try? await BlockingThreads.shared.run {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            let data = try handle.read(upToCount: CheckpointIndex.maxEncodedSize + 1)
            try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: file.path)
            return data.flatMap { $0.count <= CheckpointIndex.maxEncodedSize ? $0 : nil }
        }
    }

    /// Writes the file, and removes others if there are too many bytes now. What is larger than ``capacity`` is not
    /// kept.
    public func save(_ data: Data, for key: String) async {
        guard let file = file(for: key), data.count <= capacity else { return }
        _ = try? await changing.run { [self] in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let directory = try FileDescriptor(path: folder.path, flags: O_RDONLY | O_DIRECTORY)
            let staged = try StagedFile(
                in: directory, target: try ProviderPath(file.lastPathComponent), permissions: 0o600)
            _ = try data.withUnsafeBytes { try staged.sink.write($0) }
            try staged.commit(overwrite: true)
            try trim()
        }
    }

    /// Removes the file.
    public func remove(_ key: String) async {
        guard let file = file(for: key) else { return }
        _ = try? await changing.run { try FileManager.default.removeItem(at: file) }
    }

    private func file(for key: String) -> URL? {
        guard !key.isEmpty, key.utf8.count <= 128, key.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || $0.isAlphanumeric })
        else { return nil }
        return folder.appending(path: key + Self.suffix)
    }

    /// Removes what was used longest ago while there is too much, and parts that were never finished.
    private func trim() throws {
        let keys: [URLResourceKey] = [.contentModificationDateKey, .fileSizeKey]
        var files: [(url: URL, size: Int64, date: Date)] = []
        for url in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: keys) {
            let isPart = TemporaryName.matches(url.lastPathComponent)
            guard isPart || url.lastPathComponent.hasSuffix(Self.suffix),
                let values = try? url.resourceValues(forKeys: Set(keys))
            else {
                continue
            }
            let date = values.contentModificationDate ?? .distantPast
            if !isPart {
                files.append((url, Int64(values.fileSize ?? 0), date))
            } else if date.timeIntervalSinceNow < -Self.patience {
                try? FileManager.default.removeItem(at: url)
            }
        }
        var total = files.reduce(0) { $0 + $1.size }
        for file in files.sorted(by: { $0.date < $1.date }) where total > capacity {
            total -= file.size
            try? FileManager.default.removeItem(at: file.url)
        }
    }
}

extension UInt8 {
    fileprivate var isAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }
}
