import FileProviderCore
import Foundation

extension Behaviour {
    /// Fifty tasks on one provider: each result, and the final content, is exact.
    static let fiftyTasks: [Behaviour] = [
        Behaviour(
            "Fifty tasks write, list, read, move, copy and remove in one folder", .ability(.writing), .ability(.moving)
        ) { trial in
            try await inParallel(50) { try await trial.work($0, in: "") }
            try await trial.expectWork(of: 0..<50, in: "")
        },
        Behaviour("Fifty tasks work in a folder each", .ability(.writing), .ability(.moving)) { trial in
            try await inParallel(50) { index in
                try await trial.makeFolder("\(index)")
                try await trial.work(index, in: "\(index)/")
            }
            try await trial.expectNames((0..<50).map(String.init), when: "After fifty tasks")
            for index in 0..<50 { try await trial.expectWork(of: index..<index + 1, in: "\(index)/") }
        },
        Behaviour("Fifty tasks read parts of one file through one reader", .ability(.writing), .ability(.rangedReading))
        { trial in
            let all = Pattern.data(500_000)
            let path = try await trial.write("file", all)
            try await trial.provider.withReader(path: path) { reader in
                try await inParallel(50) { index in
                    let range = index * 9_900..<index * 9_900 + 10_101
                    let found = try await reader.read(Int64(range.lowerBound)..<Int64(range.upperBound))
                    try expect(
                        found == all[range.clamped(to: 0..<all.count)],
                        "Bytes \(range), read by one of fifty tasks, are others.")
                }
            }
        },
        Behaviour("Fifty operations with handlers at once each end once, with their own result", .ability(.writing)) {
            trial in
            let handled = (0..<50).map { _ in CompletionRecorder<(any Error)?>() }
            for (index, handled) in handled.enumerated() {
                let path = try trial.at("file \(index)").string
                _ = handled.start {
                    trial.provider.writeContents(
                        path: path, contents: Pattern.data(1000 + index, seed: UInt64(index + 1)), completionHandler: $0
                    )
                }
            }
            for handled in handled { if let error = await handled.firstValue() { throw error } }
            try await CompletionRecorder.expectOne(handled, what: "Fifty writes at once")
            try await trial.expectNames((0..<50).map { "file \($0)" }, when: "After fifty writes at once")
            try await inParallel(50) { index in
                let path = try trial.at("file \(index)")
                try await trial.expectBytes(
                    Pattern.data(1000 + index, seed: UInt64(index + 1)), at: path, when: "Write \(index) of fifty")
            }
        },
    ]
}

extension Trial {
    /// The bytes that task `index` writes.
    private func data(_ index: Int) -> Data { Pattern.data(4000 + index * 37, seed: UInt64(index + 1)) }

    /// One task's work: writes, finds, reads and moves a file; every third file is copied, every fifth is removed.
    fileprivate func work(_ index: Int, in folder: String) async throws {
        let path = try await write("\(folder)new \(index)", data(index))
        let names = try await list(path.parent).map(\.path)
        try expect(
            names.contains(path),
            "Expected task \(index) of fifty to see its own file in the listing, but it is not there.")
        try await expectBytes(data(index), at: path, when: "Task \(index) of fifty")
        let moved = try at("\(folder)moved \(index)")
        try await provider.moveItem(path: path, to: moved)
        if index.isMultiple(of: 3) { try await provider.copyItem(path: moved, to: try at("\(folder)copy \(index)")) }
        if index.isMultiple(of: 5) { try await provider.removeItem(path: moved, recursive: false) }
        try await expectMissing(path, when: "After task \(index) of fifty moved it")
    }

    fileprivate func expectWork(of tasks: Range<Int>, in folder: String) async throws {
        let moved = tasks.filter { !$0.isMultiple(of: 5) }
        let copied = tasks.filter { $0.isMultiple(of: 3) }
        try await expectNames(
            moved.map { "moved \($0)" } + copied.map { "copy \($0)" }, in: try at(folder), when: "After fifty tasks")
        for index in moved {
            try await expectBytes(data(index), at: try at("\(folder)moved \(index)"), when: "The file of task \(index)")
        }
        for index in copied {
            try await expectBytes(data(index), at: try at("\(folder)copy \(index)"), when: "The copy of task \(index)")
        }
    }
}
