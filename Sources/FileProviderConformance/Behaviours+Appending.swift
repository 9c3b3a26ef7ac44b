import FileProviderCore
import Foundation

extension Behaviour {
    /// Adding bytes at the end of a file.
    static let appending: [Behaviour] = adding + refusing + interrupted

    private static let adding: [Behaviour] = [
        Behaviour(lookingOnly: "A provider that declares appending can be asked for it", .ability(.appending)) {
            trial in
            try expect(
                trial.provider is any FileProviderAppending,
                "Expected a provider that declares appending to conform to FileProviderAppending, but it does not.")
        },
        Behaviour("Appended bytes come behind those that were there", .ability(.writing), .ability(.appending)) {
            trial in
            let path = try await trial.write("file", Pattern.data(5000))
            try await trial.provider.appendContents(path: path, contents: Pattern.data(70_000, seed: 2))
            try await trial.provider.appendContents(path: path, contents: Pattern.data(1, seed: 3))
            try await trial.expectNames(["file"], when: "After two appends")
            try await trial.expectBytes(
                Pattern.data(5000) + Pattern.data(70_000, seed: 2) + Pattern.data(1, seed: 3), at: path,
                when: "After two appends")
        },
        Behaviour("An append to a missing file makes it", .ability(.writing), .ability(.appending)) { trial in
            let path = try trial.at("file")
            try await trial.provider.appendContents(path: path, contents: Pattern.data(300))
            try await trial.expectNames(["file"], when: "After an append to a missing file")
            try await trial.expectBytes(Pattern.data(300), at: path, when: "After an append to a missing file")
        },
        Behaviour("An append of nothing leaves the bytes", .ability(.writing), .ability(.appending)) { trial in
            let path = try await trial.write("file")
            try await trial.provider.appendContents(path: path, contents: Data())
            try await trial.expectBytes(Pattern.data(100), at: path, when: "After an append of nothing")
        },
        Behaviour(
            "What an append returns, attributes and listing agree on the size", .ability(.writing), .ability(.appending)
        ) { trial in
            let path = try await trial.write("file", Pattern.data(5000))
            let file = try await trial.provider.appendContents(path: path, contents: Pattern.data(234))
            try expect(
                file.path == path && file.isRegularFile,
                "Expected the file “\(path.name)”, but it is \(file.path), \(file.type.rawValue).")
            let sizes = [
                file.size, try await trial.provider.attributesOfItem(path: path).size,
                try await trial.list().first?.size,
            ].compactMap(\.self)
            try expect(Set(sizes) == [5234], "Expected 5234 bytes each time, but they are \(sizes).")
        },
        Behaviour("A source of unknown length can be appended", .ability(.writing), .ability(.appending)) { trial in
            let path = try await trial.write("file")
            let source = ScriptedSource(Pattern.data(90_000, seed: 2), length: nil, pauses: true)
            try await trial.provider.appendContents(path: path, from: source)
            try await trial.expectBytes(
                Pattern.data(100) + Pattern.data(90_000, seed: 2), at: path,
                when: "After an append of unknown length")
        },
        Behaviour("An append reports every byte once", .ability(.writing), .ability(.appending)) { trial in
            let path = try await trial.write("file")
            let progress = ProgressReporter()
            try await trial.provider.appendContents(
                path: path, from: DataSource(Pattern.data(300_000)), progress: progress)
            try expect(
                progress.completed == 300_000 && progress.total == 300_000,
                "Expected 300000 of 300000 bytes, but it was \(progress.completed) of \(progress.total ?? -1).")
        },
    ]

    private static let refusing: [Behaviour] = [
        Behaviour("An append to a missing file that must exist is refused", .ability(.writing), .ability(.appending)) {
            trial in
            let path = try trial.at("missing")
            try await expectFailure("Appending to a missing file", .noSuchFile) {
                try await trial.provider.appendContents(path: path, contents: Data([1]), createsFile: false)
            }
            try await trial.expectNames([], when: "After a refused append")
        },
        Behaviour(
            "An append without the parent folder is refused", .ability(.writing), .ability(.appending),
            .makingParents(false)
        ) { trial in
            let path = try trial.at("missing/file")
            try await expectFailure("Appending without the parent folder", .noSuchFile) {
                try await trial.provider.appendContents(path: path, contents: Data([1]))
            }
            try await trial.expectNames([], when: "After a refused append")
        },
        Behaviour("An append to a folder is refused", .ability(.appending)) { trial in
            let path = try await trial.makeFolder("folder")
            try await expectFailure("Appending to a folder") {
                try await trial.provider.appendContents(path: path, contents: Data([1]))
            }
            try await trial.expectFolder(path, when: "After a refused append")
        },
        Behaviour(
            "Where appending is unavailable, it fails and changes nothing", .ability(.writing), .unavailable(.appending)
        ) { trial in
            let path = try await trial.write("file")
            try await expectFailure("Appending where that is unavailable") {
                try await trial.provider.appendContents(path: path, contents: Data([1]))
            }
            try await trial.expectNames(["file"], when: "After a refused append")
            try await trial.expectBytes(Pattern.data(100), at: path, when: "After a refused append")
        },
    ]

    private static let interrupted: [Behaviour] = [
        Behaviour(
            "An append whose source fails keeps the file, and of the source a beginning", .ability(.writing),
            .ability(.appending)
        ) { trial in
            let path = try await trial.write("file", Pattern.data(3000))
            let source = ScriptedSource(Pattern.data(50_000, seed: 2), length: 100_000, ending: .failure)
            try await expectFailure("Appending from a source that fails", .deliberate) {
                try await trial.provider.appendContents(path: path, from: source)
            }
            try await trial.expectBeginning(of: Pattern.data(50_000, seed: 2), behind: Pattern.data(3000), at: path)
        },
        Behaviour(
            "An append from a source shorter than it said fails, and keeps the file", .ability(.writing),
            .ability(.appending)
        ) { trial in
            let path = try await trial.write("file", Pattern.data(3000))
            let source = ScriptedSource(Pattern.data(600, seed: 2), length: 1000)
            try await expectFailure("Appending from a source that is shorter than it said") {
                try await trial.provider.appendContents(path: path, from: source)
            }
            try await trial.expectBeginning(of: Pattern.data(600, seed: 2), behind: Pattern.data(3000), at: path)
        },
        Behaviour(
            "A cancelled append ends, and keeps the file", .ability(.writing), .ability(.appending)
        ) { trial in
            let path = try await trial.write("file", Pattern.data(3000))
            let source = ScriptedSource(Pattern.data(8192, seed: 2), length: 100_000, ending: .stall)
            let appending = Task { try await trial.provider.appendContents(path: path, from: source) }
            try await withTaskCancellationHandler {
                defer { source.released.fire() }
                await source.reached.wait()
                appending.cancel()
                try await expectFailure("Cancelling an append", .cancelled) { _ = try await appending.value }
            } onCancel: {
                source.released.fire()
            }
            try await trial.expectBeginning(of: Pattern.data(8192, seed: 2), behind: Pattern.data(3000), at: path)
        },
    ]
}

extension Trial {
    /// Expects the file to have the old bytes, and as many of the new ones as have arrived.
    fileprivate func expectBeginning(of new: Data, behind kept: Data, at path: ProviderPath) async throws {
        let found: Data
        do { found = try await provider.contents(path: path) } catch {
            // A server may still be busy with the last bytes, and the file changes during the read.
            try await Task.sleep(for: .milliseconds(300))
            found = try await provider.contents(path: path)
        }
        try expect(
            found.starts(with: kept) && (kept + new).starts(with: found),
            "Expected the \(kept.count) old bytes and a beginning of the new ones, but \(found.count) others arrived.")
        try await expectNames([path.name], when: "After an append that ended early")
    }
}
