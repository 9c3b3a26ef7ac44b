import FileProviderCore
public import Foundation

/// Stores checkpoints in a folder on this machine, one file for each entry of an archive.
///
/// Files are written atomically, even if the machine crashes. Several processes may use one folder. Other files in it
/// are left alone. All work is done on threads that may block. Only the user may read the files, because they contain
/// parts of the entries.
public final class FileCheckpointStore: CheckpointStore {
    /// The folder of the files.
    public let folder: URL
    /// The most bytes of all files together; the least recently used are removed first.
    public let capacity: Int64
    /// One change at a time, so that two callers cannot both measure the folder and both remove files. A dedicated
    /// thread, because each change waits for the disk, and the shared threads have other work.
    private let changing = BlockingThreads(count: 1, name: "carrel.checkpoints")

    private static let suffix = ".checkpoints"
    /// The age in seconds after which an unfinished file is considered abandoned by its process.
    private static let patience: TimeInterval = 24 * 3_600

    /// - Parameters:
    ///   - folder: A folder on this machine; created, with those above it, for the first file.
    ///   - capacity: In bytes, 256 MiB by default. A deflated entry of 180 MB takes 2 to 7 MB.
    public init(folder: URL, capacity: Int64 = 256 << 20) {
        self.folder = folder
        self.capacity = capacity
    }

    /// Returns the file's bytes and marks the file as used; nil for a file that is larger than any index.
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

    /// Writes the file, and removes others over the capacity. Data larger than ``capacity`` is not stored.
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

    /// Removes the least recently used files over the capacity, and abandoned parts.
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
