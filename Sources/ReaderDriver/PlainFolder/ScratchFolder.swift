import FileProviderCore
import Foundation

/// A private temporary folder on this machine's disk for one piece of work.
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
        // Leftovers are in the system's temporary folder and are cleaned up there.
        try? await BlockingThreads.shared.run { try FileManager.default.removeItem(at: url) }
    }
}

extension FileProviderReadWrite {
    /// Reads the file at `path` into the new local file `url`.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` if the file has more than `limit` bytes, without reading them;
    ///   `CocoaError(.fileReadCorruptFile)` if it ends early.
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
