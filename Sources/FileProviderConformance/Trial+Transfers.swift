import FileProviderCore
import Foundation

/// The item at the destination of a move or a copy.
enum Obstacle: Sendable {
    case file
    case emptyFolder
    case tree
}

/// A move or a copy, so that both are tried by the same rules.
typealias Transfer =
    @Sendable (_ provider: any FileProvider, _ path: ProviderPath, _ destination: ProviderPath, _ overwrite: Bool)
    async throws -> Void

extension Trial {
    private func put(_ obstacle: Obstacle) async throws -> ProviderPath {
        switch obstacle {
        case .file: try await write("target", Pattern.data(40, seed: 7))
        case .emptyFolder: try await makeFolder("target")
        case .tree: try await makeTree("target")
        }
    }

    private func expectObstacle(_ obstacle: Obstacle, at path: ProviderPath, when: String) async throws {
        switch obstacle {
        case .file: try await expectBytes(Pattern.data(40, seed: 7), at: path, when: when)
        case .emptyFolder: try await expectNames([], in: path, when: when)
        case .tree: try await expectTree(path, when: when)
        }
    }

    /// Expects that a file does not replace `obstacle`, and that both are unchanged.
    func expectRefused(onto obstacle: Obstacle, overwrite: Bool, _ transfer: Transfer) async throws {
        let target = try await put(obstacle)
        let path = try await write("source")
        try await expectFailure("A file onto a taken name", .fileExists) {
            try await transfer(provider, path, target, overwrite)
        }
        try await expectNames(["source", "target"], when: "After it was refused")
        try await expectBytes(Pattern.data(100), at: path, when: "The source, after it was refused")
        try await expectObstacle(obstacle, at: target, when: "The target, after a file onto it was refused")
    }

    /// Expects that a file replaces `obstacle`.
    func expectReplaced(_ obstacle: Obstacle, _ transfer: Transfer) async throws {
        let target = try await put(obstacle)
        try await transfer(provider, try await write("source"), target, true)
        try await expectBytes(Pattern.data(100), at: target, when: "After a file replaced what was there")
    }

    /// Expects that a folder replaces `obstacle`.
    func expectTreeReplaces(_ obstacle: Obstacle, _ transfer: Transfer) async throws {
        let target = try await put(obstacle)
        try await transfer(provider, try await makeTree("source"), target, true)
        try await expectTree(target, when: "After a folder replaced what was there")
    }

    /// Expects that the folder `one` does not replace the folder `two`, with or without overwrite.
    func expectNoMerge(_ transfer: Transfer) async throws {
        let one = try await makeFolder("one")
        let two = try await makeFolder("two")
        try await write("one/a", Pattern.data(10))
        try await write("two/b", Pattern.data(20, seed: 2))
        for overwrite in [false, true] {
            try await expectFailure("A folder onto a folder with content (overwrite: \(overwrite))", .fileExists) {
                try await transfer(provider, one, two, overwrite)
            }
            try await expectNames(["a"], in: one, when: "The source, after it was refused")
            try await expectNames(["b"], in: two, when: "The target, after it was refused")
        }
    }
}
