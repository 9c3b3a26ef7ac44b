import FileProviderCore
import Foundation

extension Behaviour {
    /// Writing to a taken name.
    static let replacing: [Behaviour] = overwriting + conditions + races

    private static let overwriting: [Behaviour] = [
        Behaviour("Without overwrite an existing file is kept", .ability(.writing)) { trial in
            let path = try await trial.write("file")
            try await expectFailure("Writing over a file without overwrite", .fileExists) {
                try await trial.provider.writeContents(path: path, contents: Pattern.data(50, seed: 2))
            }
            try await trial.expectNames(["file"], when: "After a refused write")
            try await trial.expectBytes(Pattern.data(100), at: path, when: "After a refused write")
        },
        Behaviour("With overwrite a longer file is replaced in full", .ability(.writing)) { trial in
            let path = try await trial.write("file", Pattern.data(5000))
            try await trial.provider.writeContents(path: path, contents: Pattern.data(70, seed: 2), overwrite: true)
            try await trial.expectNames(["file"], when: "After an overwrite")
            try await trial.expectBytes(Pattern.data(70, seed: 2), at: path, when: "After an overwrite by less")
        },
        Behaviour("With overwrite a shorter file is replaced in full", .ability(.writing)) { trial in
            let path = try await trial.write("file", Pattern.data(70))
            try await trial.provider.writeContents(path: path, contents: Pattern.data(5000, seed: 2), overwrite: true)
            try await trial.expectBytes(Pattern.data(5000, seed: 2), at: path, when: "After an overwrite by more")
        },
        Behaviour("With overwrite a file is made where nothing was", .ability(.writing)) { trial in
            let path = try trial.at("file")
            try await trial.provider.writeContents(path: path, contents: Pattern.data(70), overwrite: true)
            try await trial.expectBytes(Pattern.data(70), at: path, when: "A write with overwrite to a free name")
        },
        Behaviour("Without overwrite an empty folder is kept", .ability(.writing)) { trial in
            let path = try await trial.makeFolder("folder")
            try await expectFailure("Writing over a folder without overwrite", .fileExists) {
                try await trial.provider.writeContents(path: path, contents: Data([1]))
            }
            try await trial.expectFolder(path, when: "After a refused write")
        },
        Behaviour("With overwrite an empty folder is replaced by a file", .ability(.writing)) { trial in
            let path = try await trial.makeFolder("folder")
            try await trial.provider.writeContents(path: path, contents: Pattern.data(70), overwrite: true)
            try await trial.expectNames(["folder"], when: "After a file replaced an empty folder")
            try await trial.expectBytes(Pattern.data(70), at: path, when: "After a file replaced an empty folder")
        },
        Behaviour("A folder with content is never replaced by a file", .ability(.writing)) { trial in
            let tree = try await trial.makeTree("tree")
            try await expectFailure("Writing over a folder with content", .fileExists) {
                try await trial.provider.writeContents(path: tree, contents: Data([1]), overwrite: true)
            }
            try await trial.expectNames(["tree"], when: "After a refused write")
            try await trial.expectTree(tree, when: "After a refused write")
        },
    ]

    private static let conditions: [Behaviour] = [
        Behaviour(
            "A conditional write with the right version is done", .ability(.writing), .ability(.conditionalWriting)
        ) { trial in
            let path = try await trial.write("file")
            try await trial.writeIfMatch(try await trial.tag(of: path), data: Pattern.data(70, seed: 2), to: path)
            try await trial.expectBytes(Pattern.data(70, seed: 2), at: path, when: "After a conditional write")
        },
        Behaviour(
            "A conditional write with an old version is refused", .ability(.writing), .ability(.conditionalWriting)
        ) { trial in
            let path = try await trial.write("file")
            let previous = try await trial.tag(of: path)
            try await trial.provider.writeContents(path: path, contents: Pattern.data(200, seed: 2), overwrite: true)
            try await expectFailure("Writing with the tag of a version that is gone", .versionChanged) {
                try await trial.writeIfMatch(previous, data: Pattern.data(70, seed: 3), to: path)
            }
            try await trial.expectNames(["file"], when: "After a refused conditional write")
            try await trial.expectBytes(Pattern.data(200, seed: 2), at: path, when: "After a refused conditional write")
        },
        Behaviour(
            "A conditional write to a file that is gone is refused", .ability(.writing), .ability(.conditionalWriting)
        ) { trial in
            let path = try await trial.write("file")
            let previous = try await trial.tag(of: path)
            try await trial.provider.removeItem(path: path)
            try await expectFailure("Writing with the tag of a removed file") {
                try await trial.writeIfMatch(previous, data: Pattern.data(70, seed: 3), to: path)
            }
            try await trial.expectNames([], when: "After a refused conditional write")
        },
    ]

    private static let races: [Behaviour] = [
        Behaviour("Of eight writers of a new file exactly one wins", .ability(.writing), .native(.exclusiveCreation)) {
            trial in
            let path = try trial.at("file")
            let winners = CollectedValues<UInt64>()
            try await inParallel(8) { index in
                do {
                    try await trial.provider.writeContents(
                        path: path, contents: Pattern.data(20_000, seed: UInt64(index + 1)))
                    winners.append(UInt64(index + 1))
                } catch let error where error.isFileExists {
                    // A writer that came too late.
                }
            }
            let seeds = winners.values
            try expect(seeds.count == 1, "Expected exactly one of eight writers to win, but \(seeds.count) did.")
            try await trial.expectNames(["file"], when: "After eight writers")
            try await trial.expectBytes(
                Pattern.data(20_000, seed: seeds.first ?? 0), at: path, when: "The file of the one who won")
        },
        Behaviour(
            "Readers see the old file or the new one, never a part", .ability(.writing), .native(.atomicReplacement)
        ) { trial in
            let versions = (0..<4).map { Pattern.data(150_000 + $0, seed: UInt64($0 + 1)) }
            let path = try await trial.write("file", versions[0])
            let isOver = CancellationFlag()
            try await inParallel(4) { worker in
                if worker > 0 { return try await trial.watch(path, versions, until: isOver) }
                defer { isOver.cancel() }
                for round in 1...12 {
                    try await trial.provider.writeContents(path: path, contents: versions[round % 4], overwrite: true)
                }
            }
            try await trial.expectNames(["file"], when: "After twelve overwrites")
        },
    ]
}

extension Trial {
    fileprivate func writeIfMatch(_ tag: String, data: Data, to path: ProviderPath) async throws {
        try await provider.writeContents(
            path: path, from: DataSource(data), options: WriteOptions(overwrite: true, ifMatch: tag))
    }

    /// Returns the file's entry tag, or its reader's validator. A server may give a weak tag to a file that is younger
    /// than its clock's step.
    fileprivate func tag(of path: ProviderPath) async throws -> String {
        var tag = try await provider.attributesOfItem(path: path).entryTag
        for _ in 0..<3 where tag?.hasPrefix("W/") ?? false {
            try await Task.sleep(for: .seconds(1.1))
            tag = try await provider.attributesOfItem(path: path).entryTag
        }
        if let tag { return tag }
        let validator = try await provider.withReader(path: path) { try await $0.attributes().validator }
        guard let validator else {
            throw Unmet("Expected an entry tag, as conditional writing is declared, but there is none.")
        }
        return validator
    }

    /// Reads repeatedly while others write.
    fileprivate func watch(_ path: ProviderPath, _ versions: [Data], until isOver: CancellationFlag) async throws {
        while !isOver.isCancelled {
            do {
                let found = try await provider.contents(path: path)
                try expect(
                    versions.contains(found),
                    "Expected one version whole while it is replaced, but a mixture of \(found.count) bytes came."
                )
            } catch let error where error.isNoSuchFile {
                throw Unmet(
                    "Expected a version of the file while it is replaced, but it was not there: \(describe(error))")
            } catch let error where !(error is Unmet) {
                // “Changed while reading” is a correct answer.
            }
        }
    }
}
