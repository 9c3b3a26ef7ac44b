import Carrel
import FileProviderUndo
import Foundation
import SampleBooks
import Testing

/// Operations drawn by a seed on a small tree, so that names collide often.
struct UndoScript {
    private var numbers: SeededNumbers
    private var writes = 0
    private let provider: any FileProvider & FileProviderUndoable
    private let folder: ProviderPath
    private let names: [String]

    init(
        seed: UInt64, provider: any FileProvider & FileProviderUndoable, folder: ProviderPath,
        names: [String] = ["a", "b", "c"]
    ) {
        numbers = SeededNumbers(seed: seed)
        self.provider = provider
        self.folder = folder
        self.names = names
    }

    mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &numbers) }

    /// A name in a folder of the tree, taken or not; seldom one in no folder.
    private mutating func location(in tree: [String: Data?]) throws -> ProviderPath {
        let isAnyItem = number(below: 20) == 0
        let folders = [folder.string] + tree.keys.filter { isAnyItem || tree[$0] == .some(nil) }.sorted()
        return try ProviderPath(folders[number(below: folders.count)]).appending(names[number(below: names.count)])
    }

    /// An item of the tree; seldom none.
    private mutating func item(of tree: [String: Data?]) throws -> ProviderPath {
        let items = tree.keys.sorted()
        return items.isEmpty || number(below: 10) == 0
            ? try location(in: tree) : try ProviderPath(items[number(below: items.count)])
    }

    /// Draws an operation and carries it out. Some are refused by the tree's own rules.
    ///
    /// - Returns: The operation; nil when it was refused.
    mutating func step(in tree: [String: Data?]) async throws -> FileOperationType? {
        let (one, location) = (try item(of: tree), try location(in: tree))
        let overwrite = number(below: 2) == 0
        // A tree that has grown large shrinks again.
        let kind = tree.count > 20 ? 9 : number(below: 10)
        writes += 1
        let operation: FileOperationType =
            switch kind {
            case 0...1: .create(path: location.string)
            case 2...4: .modify(path: location.string)
            case 5...6: .move(source: one.string, destination: location.string)
            case 7: .copy(source: one.string, destination: location.string)
            default: .remove(path: one.string)
            }
        let wasPossible = try await provider.canUndo(operation: operation)
        do {
            switch operation {
            case .create: try await provider.createFolder(path: location)
            case .modify:
                try await provider.writeContents(path: location, contents: Data("\(writes)".utf8), overwrite: overwrite)
            case .move: try await provider.moveItem(path: one, to: location, overwrite: overwrite)
            case .copy: try await provider.copyItem(path: one, to: location, overwrite: overwrite)
            default: try await provider.removeItem(path: one, recursive: overwrite)
            }
        } catch is CocoaError { return nil }
        #expect(wasPossible, "\(operation)")
        #expect(try await provider.canUndo(operation: operation), "\(operation)")
        return operation
    }

    /// Every item of the tree with its bytes, the trash left out.
    func snapshot() async throws -> [String: Data?] {
        let items = CollectedValues<FileObject>()
        try await provider.walk(path: folder) { items.append($0) }
        var tree: [String: Data?] = [:]
        for item in items.values {
            tree[item.path.string] = item.isDirectory ? .some(nil) : try await provider.contents(path: item.path)
        }
        return tree
    }

    /// Carries out `count` operations, then undoes and redoes them, wholly and in part, and compares the tree after
    /// each.
    mutating func run(count: Int) async throws {
        let stack = provider.undoManager
        stack.levels = .max
        var states = [try await snapshot()]
        var operations: [FileOperationType] = []
        for _ in 0..<count {
            if let operation = try await step(in: states[states.count - 1]) {
                operations.append(operation)
                states.append(try await snapshot())
            } else {
                #expect(
                    try await snapshot() == states.last, "after an operation that was refused, behind \(operations)")
            }
            if number(below: 12) == 0 { try await goBack(number(below: 4), states: &states, operations: &operations) }
        }
        #expect(operations.count > count / 3)
        for _ in 0..<2 {
            for index in operations.indices.reversed() {
                #expect(try await stack.undo())
                #expect(
                    try await snapshot() == states[index],
                    "undoing \(operations[index]), the last of \(operations[...index])")
            }
            #expect(try await !stack.undo())
            for index in operations.indices {
                #expect(try await stack.redo())
                #expect(
                    try await snapshot() == states[index + 1],
                    "redoing \(operations[index]), the last of \(operations[...index])")
            }
            #expect(try await !stack.redo())
        }
    }

    /// Undoes some steps and redoes some of these; what comes next starts from there.
    private mutating func goBack(
        _ steps: Int, states: inout [[String: Data?]], operations: inout [FileOperationType]
    ) async throws {
        var count = operations.count
        for _ in 0..<min(steps, count) {
            #expect(try await provider.undoManager.undo())
            count -= 1
            #expect(try await snapshot() == states[count], "undoing \(operations[count])")
        }
        for _ in 0..<number(below: operations.count - count + 1) {
            #expect(try await provider.undoManager.redo())
            count += 1
            #expect(try await snapshot() == states[count], "redoing \(operations[count - 1])")
        }
        if count == operations.count { return }
        // Whatever comes next ends the other branch.
        let marker = try folder.appending("marker \(writes)")
        try await provider.createFolder(path: marker)
        #expect(!provider.undoManager.canRedo)
        operations = operations[..<count] + [.create(path: marker.string)]
        states = states[...count] + [try await snapshot()]
    }
}
