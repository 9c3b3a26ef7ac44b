package import FileProviderCore
import Foundation

/// What running one of Poppler's programs as a ``ChildProcess`` takes.
package enum PopplerTool {
    /// Threads that wait for the programs.
    package static let threads = BlockingThreads(count: 4, name: "carrel.child")

    /// The path of the program called `tool`.
    ///
    /// - Parameters:
    ///   - searchPath: Folders to look in, with colons between.
    ///   - path: The file that it is needed for.
    /// - Throws: `CocoaError(.featureUnsupported)` with `ENOENT` below it when it is not installed.
    package static func find(
        _ tool: String, in searchPath: String = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
        for path: ProviderPath
    ) throws -> String {
        let found = searchPath.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(tool)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        if let found { return found }
        throw FileError.make(
            .featureUnsupported, path: path,
            sentence:
                "“\(path)” is a PDF file, and \(tool), which reads those, is not installed; Debian has it in poppler-utils.",
            underlying: POSIXError(.ENOENT))
    }

    /// A file in memory for one page. Pages of protected documents are decrypted, and must reach no disk.
    package static func pageFile() throws -> FileDescriptor { try FileDescriptor(inMemory: "carrel-page.pdf") }

    /// A file without a name in the folder for temporary files.
    package static func temporaryFile() async throws -> FileDescriptor {
        let name = FileManager.default.temporaryDirectory.appending(path: "carrel-\(UInt64.random(in: 0 ... .max)).pdf")
            .path
        return try await BlockingThreads.shared.run {
            let file = try FileDescriptor(path: name, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
            unlink(name)
            return file
        }
    }
}
