import FileProviderCore
import Foundation

extension Behaviour {
    /// Many operations at once.
    static let concurrency: [Behaviour] = [
        Behaviour("Twenty tasks read and write at once", .ability(.writing)) { trial in
            let shared = try await trial.write("shared", Pattern.data(30_000))
            try await inParallel(20) { index in
                if index.isMultiple(of: 2) {
                    let data = Pattern.data(10_000 + index, seed: UInt64(index + 2))
                    let path = try await trial.write("file \(index)", data)
                    try await trial.expectBytes(data, at: path, when: "Task \(index) of twenty")
                } else {
                    try await trial.expectBytes(Pattern.data(30_000), at: shared, when: "Task \(index) of twenty")
                    _ = try await trial.list()
                }
            }
            let names = stride(from: 0, to: 20, by: 2).map { "file \($0)" }
            try await trial.expectNames(names + ["shared"], when: "After twenty tasks")
        },
        Behaviour("Twenty readers of one file get the same bytes", .ability(.writing)) { trial in
            let path = try await trial.write("file", Pattern.data(80_000))
            try await inParallel(20) { index in
                try await trial.expectBytes(Pattern.data(80_000), at: path, when: "Reader \(index) of twenty")
            }
        },
        Behaviour("Eight tasks that make the same folders all succeed") { trial in
            let path = try trial.at("a/b/c")
            try await inParallel(8) { _ in try await trial.provider.createFolderWithParents(path: path) }
            try await trial.expectFolder(path, when: "A folder made by eight tasks")
        },
        Behaviour("Of eight tasks that remove one file one succeeds, and the file is gone", .ability(.writing)) {
            trial in
            let path = try await trial.write("file")
            let removed = CollectedValues<Int>()
            try await inParallel(8) { index in
                // All but one of the removals come too late.
                guard (try? await trial.provider.removeItem(path: path, recursive: false)) != nil else { return }
                removed.append(index)
            }
            try expect(!removed.values.isEmpty, "Expected one of eight removals to succeed, but none did.")
            try await trial.expectNames([], when: "After eight removals of one file")
        },
        Behaviour(
            "Writers of one file leave one of their versions whole", .ability(.writing), .ability(.atomicReplacement)
        ) { trial in
            let path = try await trial.write("file", Pattern.data(50_000))
            let versions = (1...6).map { Pattern.data(50_000 + $0, seed: UInt64($0)) }
            try await inParallel(6) { index in
                // A storage may refuse some of the concurrent writers; it never mixes their bytes.
                _ = try? await trial.provider.writeContents(path: path, contents: versions[index], overwrite: true)
            }
            let found = try await trial.provider.contents(path: path)
            try expect(
                (versions + [Pattern.data(50_000)]).contains(found),
                "Expected one whole version, but a mixture arrived.")
            try await trial.expectNames(["file"], when: "After six writers of one file")
        },
        Behaviour("Listing goes on while others write", .ability(.writing)) { trial in
            try await inParallel(2) { worker in
                for index in 0..<12 {
                    if worker == 0 {
                        try await trial.write("file \(index)", Data([1]))
                    } else {
                        _ = try await trial.list()
                    }
                }
            }
            try await trial.expectNames((0..<12).map { "file \($0)" }, when: "After writes during listings")
        },
        Behaviour("Handlers come one at a time, in the order in which operations end", .ability(.writing)) { trial in
            let path = try await trial.write("file").string
            let inside = CollectedValues<Int>()
            let done = CollectedValues<Int>()
            let all = Signal()
            for _ in 0..<20 {
                trial.provider.attributesOfItem(path: path) { _, _ in
                    inside.append(1)
                    Thread.sleep(forTimeInterval: 0.001)
                    done.append(inside.values.count)
                    if done.values.count == 20 { all.fire() }
                }
            }
            await all.wait()
            try expect(
                done.values == Array(1...20), "Expected handlers one after the other, but two ran at the same time.")
        },
    ]
}
