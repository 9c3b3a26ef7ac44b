import FileProviderCore
import ReaderMessages

/// Removes leftovers of drivers: partially written files, and documents that no command used.
///
/// The age of a file counts from when this version of it was first seen: clocks of storages and drivers are not used.
struct StagingHousekeeping {
    /// Seconds between two looks.
    private static let pause = 600.0

    private let folder: StagingFolder
    private let documents: StagingFolder
    private let options: ApplicationOptions
    private let time: any TimeSource
    private let report: @Sendable (any Error) -> Void
    private var seen: [ProviderPath: (version: Version, since: Double)] = [:]
    private var nextLook = -Double.infinity

    private struct Version: Equatable {
        let size: Int64?
        let tag: String?
    }

    init(
        folder: StagingFolder, documents: StagingFolder, options: ApplicationOptions, time: any TimeSource,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        self.folder = folder
        self.documents = documents
        self.options = options
        self.time = time
        self.report = report
    }

    /// Removes files that are old enough. Call it while there is no command.
    /// - Throws: Errors of the listings. A file that can't be removed is reported and stays.
    mutating func tidy() async throws {
        guard time.elapsed >= nextLook else { return }
        nextLook = time.elapsed + Self.pause
        var files = try await folder.allFiles()
        if documents.path != folder.path { files += try await documents.allFiles() }
        var kept: [ProviderPath: (version: Version, since: Double)] = [:]
        for file in files {
            guard let age = largestAge(of: file) else { continue }
            do { kept[file.path] = try await look(at: file, removingAfter: age) } catch {
                try Task.checkCancellation()
                report(error)
            }
        }
        seen = kept
    }

    /// Returns the age at which a leftover file is removed. Other files return `nil`: the folder may have other uses,
    /// too.
    private func largestAge(of file: FileObject) -> Double? {
        let name = file.name.lowercased()
        // The report on a finished command whose driver died.
        if name.hasSuffix(".tmp") || TemporaryName.matches(file.name) || name == CommandStatus.fileName {
            return options.leftoverAge
        }
        return name.hasSuffix(".epub") && file.path.parent == documents.path ? options.documentAge : nil
    }

    private func look(at file: FileObject, removingAfter age: Double) async throws -> (version: Version, since: Double)?
    {
        let version = Version(size: file.size, tag: file.entryTag)
        guard let known = seen[file.path], known.version == version else { return (version, time.elapsed) }
        guard time.elapsed - known.since >= age else { return known }
        try await folder.provider.removeItem(path: file.path, recursive: false)
        return nil
    }
}
