import FileProviderCore
import Foundation

extension Behaviour {
    /// Copying to a free name.
    static let copying: [Behaviour] = [
        Behaviour("A copied file has the same bytes, and the source stays", .ability(.writing)) { trial in
            let path = try await trial.write("source", Pattern.data(70_000))
            let target = try trial.at("target")
            try await trial.provider.copyItem(path: path, to: target)
            try await trial.expectNames(["source", "target"], when: "After a copy")
            try await trial.expectBytes(Pattern.data(70_000), at: path, when: "The source of a copy")
            try await trial.expectBytes(Pattern.data(70_000), at: target, when: "A copy")
        },
        Behaviour("A copy is a file of its own", .ability(.writing)) { trial in
            let path = try await trial.write("source")
            let target = try trial.at("target")
            try await trial.provider.copyItem(path: path, to: target)
            try await trial.provider.writeContents(path: path, contents: Pattern.data(30, seed: 2), overwrite: true)
            try await trial.expectBytes(Pattern.data(100), at: target, when: "A copy, after its source was changed")
        },
        Behaviour("An empty file can be copied", .ability(.writing)) { trial in
            let path = try await trial.write("source", Data())
            try await trial.provider.copyItem(path: path, to: try trial.at("target"))
            try await trial.expectBytes(Data(), at: try trial.at("target"), when: "A copy of an empty file")
        },
        Behaviour("A copied folder has all it held, and the source stays", .ability(.writing)) { trial in
            let tree = try await trial.makeTree("tree")
            let target = try trial.at("copy")
            try await trial.provider.copyItem(path: tree, to: target)
            try await trial.expectTree(tree, when: "The source of a copy")
            try await trial.expectTree(target, when: "A copy")
        },
        Behaviour("Copying what is missing is refused", .ability(.writing)) { trial in
            let (path, target) = (try trial.at("missing"), try trial.at("target"))
            try await expectFailure("Copying a missing item", .noSuchFile) {
                try await trial.provider.copyItem(path: path, to: target)
            }
            try await trial.expectNames([], when: "After a refused copy")
        },
        Behaviour("Copying to a missing parent is refused", .ability(.writing), .makingParents(false)) { trial in
            let path = try await trial.write("file")
            let target = try trial.at("missing/file")
            try await expectFailure("Copying to a missing parent", .noSuchFile) {
                try await trial.provider.copyItem(path: path, to: target)
            }
            try await trial.expectNames(["file"], when: "After a refused copy")
        },
        Behaviour("Copying a folder into itself is refused", .ability(.writing)) { trial in
            let tree = try await trial.makeTree("tree")
            for target in ["tree/inside", "tree/deep/inside"] {
                let target = try trial.at(target)
                try await expectFailure("Copying a folder into itself") {
                    try await trial.provider.copyItem(path: tree, to: target)
                }
            }
            try await trial.expectTree(tree, when: "After a refused copy")
        },
        Behaviour("Copying an item onto itself does not lose it", .ability(.writing)) { trial in
            let file = try await trial.write("file")
            let tree = try await trial.makeTree("tree")
            // Success and refusal are both correct.
            try? await trial.provider.copyItem(path: file, to: file, overwrite: true)
            try? await trial.provider.copyItem(path: tree, to: tree, overwrite: true)
            try await trial.expectBytes(Pattern.data(100), at: file, when: "After a copy of a file onto itself")
            try await trial.expectTree(tree, when: "After a copy of a folder onto itself")
        },
    ]

    /// Copies of folders that are watched, and that end early.
    static let copyingAtomically: [Behaviour] = [
        Behaviour(
            "Nobody sees part of a folder that is being copied", .ability(.writing), .ability(.atomicFolderCopying)
        ) { trial in
            let (folder, names) = try await trial.makeManyFiles()
            let target = try trial.at("copy")
            let isOver = CancellationFlag()
            try await inParallel(2) { worker in
                if worker == 1 { return try await trial.watchCopy(target, names, until: isOver) }
                defer { isOver.cancel() }
                try await trial.provider.copyItem(path: folder, to: target)
            }
            try await trial.expectNames(names, in: target, when: "After a copy that another task watched")
        },
        Behaviour(
            "A copy of a folder that is cancelled is there as a whole, or not at all", .ability(.writing),
            .ability(.atomicFolderCopying)
        ) { trial in
            let (folder, names) = try await trial.makeManyFiles()
            for milliseconds in [0, 2, 20] {
                let target = try trial.at("copy \(milliseconds)")
                let copying = Task { try await trial.provider.copyItem(path: folder, to: target) }
                if milliseconds > 0 { try await Task.sleep(for: .milliseconds(milliseconds)) }
                copying.cancel()
                let result = await copying.result
                try await trial.expectWholeOrNothing(target, names)
                guard case .failure(let error) = result else { continue }
                try expect(
                    error.isCancellation, "Expected success or a cancellation error, but it was \(describe(error))")
            }
            try await trial.expectNames(names, in: folder, when: "The source of cancelled copies")
        },
    ]

    /// Copying to a taken name.
    static let copyingOnto: [Behaviour] = [
        Behaviour("Without overwrite a copy leaves a file in its way", .ability(.writing)) { trial in
            try await trial.expectRefused(onto: .file, overwrite: false) {
                try await $0.copyItem(path: $1, to: $2, overwrite: $3)
            }
        },
        Behaviour("Without overwrite a copy leaves an empty folder in its way", .ability(.writing)) { trial in
            try await trial.expectRefused(onto: .emptyFolder, overwrite: false) {
                try await $0.copyItem(path: $1, to: $2, overwrite: $3)
            }
        },
        Behaviour("With overwrite a copy never replaces a folder with content", .ability(.writing)) { trial in
            try await trial.expectRefused(onto: .tree, overwrite: true) {
                try await $0.copyItem(path: $1, to: $2, overwrite: $3)
            }
        },
        Behaviour("Copying never merges folders", .ability(.writing)) { trial in
            try await trial.expectNoMerge { try await $0.copyItem(path: $1, to: $2, overwrite: $3) }
        },
        Behaviour("With overwrite a copy replaces a file", .ability(.writing)) { trial in
            try await trial.expectReplaced(.file) { try await $0.copyItem(path: $1, to: $2, overwrite: $3) }
            try await trial.expectNames(["source", "target"], when: "After a copy onto a file")
        },
        Behaviour("With overwrite a file is copied onto an empty folder", .ability(.writing)) { trial in
            try await trial.expectReplaced(.emptyFolder) { try await $0.copyItem(path: $1, to: $2, overwrite: $3) }
        },
        Behaviour("With overwrite a folder is copied onto an empty folder", .ability(.writing)) { trial in
            try await trial.expectTreeReplaces(.emptyFolder) { try await $0.copyItem(path: $1, to: $2, overwrite: $3) }
        },
        Behaviour("With overwrite a folder is copied onto a file", .ability(.writing)) { trial in
            try await trial.expectTreeReplaces(.file) { try await $0.copyItem(path: $1, to: $2, overwrite: $3) }
        },
    ]
}

extension Trial {
    /// Creates a folder of a dozen files.
    fileprivate func makeManyFiles() async throws -> (folder: ProviderPath, names: [String]) {
        let folder = try await makeFolder("many")
        let names = (0..<12).map { "file \($0)" }
        for name in names { try await write("many/\(name)", Pattern.data(2000)) }
        return (folder, names)
    }

    /// Looks at the copy until it is over.
    fileprivate func watchCopy(_ target: ProviderPath, _ names: [String], until isOver: CancellationFlag) async throws {
        while !isOver.isCancelled {
            try await expectWholeOrNothing(target, names)
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    fileprivate func expectWholeOrNothing(_ target: ProviderPath, _ names: [String]) async throws {
        let found: [String]
        do { found = try await list(target).map(\.name) } catch let error where error.isNoSuchFile { return }
        try expect(
            found.sorted() == names.sorted(),
            "Expected all \(names.count) files in the copied folder, or no folder, but there are \(found.count).")
    }
}
