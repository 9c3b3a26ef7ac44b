import FileProviderCore
import Foundation
import Sync

/// Memory and time of a sync of a million entries: `sync-memory-benchmark equal|upload|changed` `tree|flat`.
///
/// The storages are simulated. `equal`: both sides have everything already, and meet for the first time; then a run
/// with nothing to do. `upload`: the destination has nothing; a dry run, then all files arrive. `changed`: as `equal`,
/// both ways; then of ten files at the source four have other names, one is another version, and one is gone.
@main
struct SyncMemoryBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let shape: SimulatedStorage.Shape = arguments.contains("flat") ? .flat : .tree
        let folder = FileManager.default.temporaryDirectory.appending(path: "sync-memory-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let isUpload = arguments.contains("upload")
        let isChanging = arguments.contains("changed")
        let source = SimulatedStorage("one", shape: shape, isEmpty: false)
        let destination = SimulatedStorage("two", shape: shape, isEmpty: isUpload)
        var options = SyncOptions(direction: isChanging ? .twoWay : .mirror)
        options.removalLimit = .share(1)
        let sync = try await FolderSync(
            SyncFolder(ProviderLocation(provider: source, path: .root), label: "one"),
            SyncFolder(ProviderLocation(provider: destination, path: .root), label: "two"),
            state: folder.appending(path: "state.db"),
            options: options)
        if isUpload {
            try await measured("\(shape), dry run of a first upload") {
                let report = try await sync.plan { _ in }
                guard report.created >= SimulatedStorage.files else { report.isWrong() }
            }
            try await measured("\(shape), first upload") {
                let report = try await sync.run()
                guard report.created >= SimulatedStorage.files, report.isComplete else { report.isWrong() }
            }
        } else {
            for what in ["first run of equal sides", "nothing to do"] {
                try await measured("\(shape), \(what)") {
                    let report = try await sync.run()
                    guard !report.hasChanges, report.isComplete else { report.isWrong() }
                }
            }
        }
        if isChanging {
            source.isChanged.update { $0 = true }
            try await measured("\(shape), four of ten renamed, one changed, one removed") {
                let report = try await sync.run()
                let tenth = SimulatedStorage.files / 10
                guard report.moved == 4 * tenth, report.updated == tenth, report.removed == tenth, report.isComplete
                else {
                    report.isWrong()
                }
            }
        }
        try await sync.close()
    }

    private static func measured(_ what: String, _ body: @Sendable () async throws -> Void) async throws {
        let start = ContinuousClock.now
        try await body()
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        print("\(what): \(String(format: "%.1f", seconds)) s, peak \(usage.ru_maxrss / 1024) MiB")
    }
}

extension FolderSyncReport {
    fileprivate func isWrong() -> Never {
        fatalError(
            "\(created) created, \(updated) updated, \(moved) moved, \(removed) removed, \(failures) failed, \(postponed.count) postponed"
        )
    }
}

/// A storage that makes its listings up, and only counts what is written.
final class SimulatedStorage: FileProviderOperations, FileProviderReadWrite {
    static let type = "Simulated"
    static let files = 1_000_000
    private static let inFolder = 1000
    private static let time = Date(timeIntervalSince1970: 1_700_000_000)

    /// How the files lie.
    enum Shape: String {
        /// A thousand in each of a thousand folders.
        case tree
        /// All in one folder.
        case flat
    }

    let baseURL: URL?
    /// Whether of ten files four have other names, one is another version, and one is gone.
    let isChanged = LockedValue(false)
    private let shape: Shape
    private let isEmpty: Bool

    init(_ name: String, shape: Shape, isEmpty: Bool) {
        baseURL = URL(string: "simulated://\(name)/")
        self.shape = shape
        self.isEmpty = isEmpty
    }

    func capabilities() async throws -> Capabilities {
        Capabilities(
            [.writing: .native, .moving: .native, .settingModificationDate: .native], readCost: .local, timePrecision: 1
        )
    }

    func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        path.isRoot || path.name.hasPrefix("folder") ? FileObject(path: path, type: .directory) : file(path)
    }

    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        // The sync looks whether there is a trash to be emptied.
        if path.name == SyncOptions.trashName { throw FileError.make(errno: ENOENT, path: path, writing: false) }
        if isEmpty { return }
        if shape == .tree, path.isRoot {
            return try await page(
                (0..<Self.files / Self.inFolder).map {
                    FileObject(path: try path.appending("folder \($0)"), type: .directory)
                })
        }
        for start in stride(from: 0, to: shape == .flat ? Self.files : Self.inFolder, by: 1000) {
            try await page((start..<start + 1000).compactMap { try file($0, in: path) })
        }
    }

    private func file(_ number: Int, in folder: ProviderPath) throws -> FileObject? {
        let kind = isChanged.value ? number % 10 : 9
        if kind == 5 { return nil }
        var item = file(try folder.appending("a file with \(kind < 4 ? "another" : "a") name \(number).text"))
        if kind == 4 { item.modifiedDate = Self.time + 10 }
        item.identity = "\(folder) \(number)"
        return item
    }

    private func file(_ path: ProviderPath) -> FileObject {
        FileObject(path: path, type: .regular, size: 1, modifiedDate: Self.time)
    }

    func createFolder(path: ProviderPath) async throws {}
    func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {}
    func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {}

    func open(path: ProviderPath) async throws -> any FileReader { DataReader(Data([1]), path: path) }

    func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    { file(path) }
}
