import FileProviderCore
import Foundation

/// The environment of one behaviour: the provider, and a folder that no other behaviour uses.
struct Trial: Sendable {
    let provider: any FileProvider
    let capabilities: Capabilities
    let folder: ProviderPath
    let connect: Conformance.Connect?

    /// Returns the path of `relative` in the trial's folder.
    func at(_ relative: String) throws -> ProviderPath { folder.appending(try ProviderPath(relative)) }

    /// The most seconds by which two reports of one modification time may differ; a `Date` itself has a precision of
    /// about 10⁻⁷.
    var timeStep: Double { max(1e-6, capabilities.timePrecision ?? 1) }

    /// Writes a new file.
    @discardableResult
    func write(_ name: String, _ bytes: Data = Pattern.data(100)) async throws -> ProviderPath {
        let path = try at(name)
        try await provider.writeContents(path: path, contents: bytes)
        return path
    }

    @discardableResult
    func makeFolder(_ name: String) async throws -> ProviderPath {
        let path = try at(name)
        try await provider.createFolder(path: path)
        return path
    }

    func list(_ path: ProviderPath? = nil) async throws -> [FileObject] {
        try await provider.contentsOfDirectory(path: path ?? folder)
    }

    /// Removes a folder with everything in it, by the means of the provider.
    func removeTree(_ path: ProviderPath) async throws {
        if capabilities.has(.recursiveRemoval) { return try await provider.removeItem(path: path) }
        try await provider.removeTree(path: path, progress: ProgressReporter()) { [provider] in
            try await provider.removeItem(path: $0, recursive: false)
        }
    }
}

extension Trial {
    /// Expects a folder, by default the trial's own, to have exactly these names.
    func expectNames(_ names: [String], in path: ProviderPath? = nil, when: String) async throws {
        let folder = path ?? folder
        try await expectPaths(try names.map { try folder.appending($0) }, in: folder, when: when)
    }

    /// Expects a folder, by default the trial's own, to have exactly these items.
    func expectPaths(_ paths: [ProviderPath], in path: ProviderPath? = nil, when: String) async throws {
        let found = try await list(path).map(\.path).sorted()
        let expected = paths.sorted()
        if found == expected { return }
        let surplus = found.filter { !expected.contains($0) }.map(\.name)
        if let temporary = surplus.first(where: TemporaryName.matches) {
            throw Unmet("\(when): expected no temporary names, but “\(temporary)” was left behind.")
        }
        throw Unmet("\(when): expected the listing \(shown(expected)), but it was \(shown(found)).")
    }

    private func shown(_ paths: [ProviderPath]) -> String {
        let names = paths.prefix(12).map { "“\($0.name)”" }.joined(separator: ", ")
        return paths.isEmpty ? "to be empty" : paths.count > 12 ? "\(names)… (\(paths.count))" : names
    }

    func expectBytes(_ expected: Data, at path: ProviderPath, when: String) async throws {
        let found: Data
        do { found = try await provider.contents(path: path) } catch {
            throw Unmet("\(when): expected “\(path.name)” to be readable, but it failed with \(describe(error))")
        }
        try expect(
            found == expected,
            "\(when): expected the \(expected.count) bytes written, but \(difference(found, from: expected)).")
    }

    func expectMissing(_ path: ProviderPath, when: String) async throws {
        try await expectFailure("\(when): looking at “\(path.name)”", .noSuchFile) {
            _ = try await provider.attributesOfItem(path: path)
        }
    }

    func expectFolder(_ path: ProviderPath, when: String) async throws {
        let item = try await provider.attributesOfItem(path: path)
        try expect(
            item.isDirectory, "\(when): expected “\(path.name)” to be a folder, but its type is \(item.type.rawValue).")
    }

    /// Creates a small tree called `name`: `top`, `deep/inner`, and the empty folder `bare`.
    @discardableResult
    func makeTree(_ name: String) async throws -> ProviderPath {
        let root = try await makeFolder(name)
        try await makeFolder("\(name)/deep")
        try await makeFolder("\(name)/bare")
        try await write("\(name)/top", Pattern.data(300, seed: 11))
        try await write("\(name)/deep/inner", Pattern.data(5000, seed: 12))
        return root
    }

    /// Expects the tree of ``makeTree(_:)`` at `root`, complete.
    func expectTree(_ root: ProviderPath, when: String) async throws {
        try await expectNames(["bare", "deep", "top"], in: root, when: when)
        try await expectNames(["inner"], in: root.appending("deep"), when: when)
        try await expectNames([], in: root.appending("bare"), when: when)
        try await expectBytes(Pattern.data(300, seed: 11), at: root.appending("top"), when: when)
        try await expectBytes(Pattern.data(5000, seed: 12), at: root.appending("deep").appending("inner"), when: when)
    }
}

/// Runs `body` `count` times at once, with 0, 1, 2…
func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<count { group.addTask { try await body(index) } }
        try await group.waitForAll()
    }
}
