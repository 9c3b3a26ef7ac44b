import FileProviderCore
import Foundation

/// A folder on this machine's disk for the length of one piece of work, which nobody else may enter.
struct ScratchFolder: Sendable {
    private let url: URL

    init() async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "carrel-\(UUID().uuidString)")
        try await BlockingThreads.shared.run {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        }
        self.url = url
    }

    func file(_ name: String) -> URL { url.appending(path: name) }

    func remove() async {
        let url = url
        // What is left of it lies in the system's temporary folder and is swept there.
        try? await BlockingThreads.shared.run { try FileManager.default.removeItem(at: url) }
    }
}

extension FileProviderReadWrite {
    /// Reads the file at `path` into the new local file `url`.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` for one of more than `limit` bytes, of which no more is read;
    ///   `CocoaError(.fileReadCorruptFile)` where it ends early.
    func fetch(_ path: ProviderPath, to url: URL, limit: Int64) async throws {
        try await withReader(path: path) { reader in
            let size = try await reader.attributes().size
            guard size <= limit else { throw FileError.make(.fileReadTooLarge, path: path) }
            let handle = try await BlockingThreads.shared.run {
                try Data().write(to: url, options: .withoutOverwriting)
                return try FileHandle(forWritingTo: url)
            }
            var count: Int64 = 0
            for try await piece in reader.bytes(.range(0..<max(1, size))) {
                count += Int64(piece.count)
                guard count <= size else { throw FileError.changedWhileReading(path) }
                try await BlockingThreads.shared.run { try handle.write(contentsOf: piece) }
            }
            try await BlockingThreads.shared.run { try handle.close() }
            guard count == size else { throw FileError.endedEarly(path, after: count, of: size) }
        }
    }
}
