import FileProviderCore
import Foundation
import MemoryFileProvider

/// A memory whose calls fail as a test says, and which has fewer abilities if a test says so.
final class FaultyProvider: FileProvider {
    struct Failure: Error {}

    enum Fault: Sendable {
        /// The call fails.
        case refused
        /// The call does its work and fails, as when an answer is lost.
        case unanswered
        /// The task is cancelled, and the call does what it does then.
        case cancelled
    }

    /// When calls fail, counted from 1.
    struct Plan: Sendable {
        var failing = 0..<0
        var fault = Fault.refused
        var count = 0
    }

    static let type = "Faulty"
    let base = MemoryFileProvider()
    let plan = LockedValue(Plan())
    private let missing: Set<Capabilities.Ability>

    init(without missing: Set<Capabilities.Ability> = []) {
        self.missing = missing
    }

    var baseURL: URL? { base.baseURL }

    /// Lets the calls with these numbers fail, counted from now.
    func fail(_ numbers: Range<Int>, _ fault: Fault = .refused) {
        plan.update { $0 = Plan(failing: numbers, fault: fault) }
    }

    func heal() { plan.update { $0.failing = 0..<0 } }

    private func call<Value>(_ body: () async throws -> Value) async throws -> Value {
        let plan = plan.update { plan in
            plan.count += 1
            return plan
        }
        guard plan.failing.contains(plan.count) else { return try await body() }
        switch plan.fault {
        case .refused: throw Failure()
        case .unanswered:
            _ = try await body()
            throw Failure()
        case .cancelled:
            withUnsafeCurrentTask { $0?.cancel() }
            return try await body()
        }
    }

    func capabilities() async throws -> Capabilities {
        var capabilities = try await base.capabilities()
        for ability in missing { capabilities[ability] = .unavailable }
        return capabilities
    }

    func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        try await call { try await base.attributesOfItem(path: path) }
    }

    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        try await call { try await base.contentsOfDirectory(path: path, page: page) }
    }

    func createFolder(path: ProviderPath) async throws { try await call { try await base.createFolder(path: path) } }

    func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        try await call {
            try await base.moveItem(path: path, to: destination, overwrite: overwrite, progress: progress)
        }
    }

    func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        try await call {
            try await base.copyItem(path: path, to: destination, overwrite: overwrite, progress: progress)
        }
    }

    func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        try await call { try await base.removeItem(path: path, recursive: recursive, progress: progress) }
    }

    func open(path: ProviderPath) async throws -> any FileReader { try await call { try await base.open(path: path) } }

    func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        try await call { try await base.writeContents(path: path, from: source, options: options) }
    }
}

/// A time that a test sets.
final class TestClock: Sendable {
    private let time = LockedValue(Date(timeIntervalSince1970: 1_700_000_000))

    var now: Date { time.value }

    func advance(by seconds: TimeInterval) { time.update { $0 += seconds } }
}

extension FileProviderOperations where Self: FileProviderReadWrite {
    func write(_ text: String, to path: String, overwrite: Bool = false) async throws {
        try await writeContents(path: ProviderPath(path), contents: Data(text.utf8), overwrite: overwrite)
    }

    func text(_ path: String) async throws -> String {
        String(decoding: try await contents(path: ProviderPath(path)), as: UTF8.self)
    }

    func makeFolder(_ path: String) async throws { try await createFolder(path: ProviderPath(path)) }

    func move(_ path: String, to destination: String, overwrite: Bool = false) async throws {
        try await moveItem(path: ProviderPath(path), to: ProviderPath(destination), overwrite: overwrite)
    }

    func copy(_ path: String, to destination: String, overwrite: Bool = false) async throws {
        try await copyItem(path: ProviderPath(path), to: ProviderPath(destination), overwrite: overwrite)
    }

    func remove(_ path: String, recursive: Bool = true) async throws {
        try await removeItem(path: ProviderPath(path), recursive: recursive)
    }

    /// Something of everything that can be replaced, moved and removed.
    func fill() async throws {
        try await write("a", to: "/a")
        try await write("b", to: "/b")
        try await makeFolder("/empty")
        try await makeFolder("/full")
        try await write("inner", to: "/full/x")
    }

    /// Every item outside the trash with its text; folders end in a slash.
    func tree() async throws -> [String: String] {
        try await everything().filter { !$0.key.hasPrefix("/.carrel-trash") }
    }

    /// The texts of all files, those in the trash too.
    func texts() async throws -> Set<String> { Set(try await everything().values) }

    private func everything() async throws -> [String: String] {
        let items = CollectedValues<FileObject>()
        try await walk(path: .root) { items.append($0) }
        var tree: [String: String] = [:]
        for item in items.values {
            tree[item.path.string + (item.isDirectory ? "/" : "")] =
                item.isDirectory ? "" : try await text(item.path.string)
        }
        return tree
    }
}

/// What an operation throws; nil for nothing.
func failure(of body: () async throws -> Void) async -> (any Error)? {
    do {
        try await body()
        return nil
    } catch { return error }
}

/// Foundation's code of what an operation throws.
func code(of body: () async throws -> Void) async -> CocoaError.Code? { (await failure(of: body) as? CocoaError)?.code }
