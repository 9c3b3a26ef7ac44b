import FileProviderCore
import Foundation

extension Behaviour {
    /// Moving and renaming to a free name.
    static let moving: [Behaviour] = [
        Behaviour("A renamed file has its bytes, and its old name is gone", .ability(.writing), .ability(.moving)) {
            trial in
            let path = try await trial.write("old", Pattern.data(5000))
            let target = try trial.at("new")
            try await trial.provider.moveItem(path: path, to: target)
            try await trial.expectNames(["new"], when: "After a rename")
            try await trial.expectBytes(Pattern.data(5000), at: target, when: "After a rename")
            try await trial.expectMissing(path, when: "After a rename")
        },
        Behaviour("A file moves into another folder", .ability(.writing), .ability(.moving)) { trial in
            let path = try await trial.write("file", Pattern.data(5000))
            let folder = try await trial.makeFolder("folder")
            try await trial.provider.moveItem(path: path, to: try folder.appending("file"))
            try await trial.expectNames(["folder"], when: "After a move")
            try await trial.expectNames(["file"], in: folder, when: "After a move")
            try await trial.expectBytes(Pattern.data(5000), at: try folder.appending("file"), when: "After a move")
        },
        Behaviour("A folder moves with all it holds", .ability(.writing), .ability(.moving)) { trial in
            let tree = try await trial.makeTree("tree")
            let target = try await trial.makeFolder("folder").appending("moved")
            try await trial.provider.moveItem(path: tree, to: target)
            try await trial.expectNames(["folder"], when: "After a folder was moved")
            try await trial.expectTree(target, when: "After a folder was moved")
        },
        Behaviour("A rename can change case alone", .ability(.writing), .ability(.moving), .caseSensitivity) { trial in
            let path = try await trial.write("name")
            try await trial.provider.moveItem(path: path, to: try trial.at("Name"))
            try await trial.expectNames(["Name"], when: "After a rename by case")
        },
        Behaviour("Moving what is missing is refused", .ability(.moving)) { trial in
            let (path, target) = (try trial.at("missing"), try trial.at("target"))
            try await expectFailure("Moving a missing item", .noSuchFile) {
                try await trial.provider.moveItem(path: path, to: target)
            }
            try await trial.expectNames([], when: "After a refused move")
        },
        Behaviour("Moving what is missing leaves the target", .ability(.writing), .ability(.moving)) { trial in
            let target = try await trial.write("target")
            let path = try trial.at("missing")
            try await expectFailure("Moving a missing item over a file", .noSuchFile) {
                try await trial.provider.moveItem(path: path, to: target, overwrite: true)
            }
            try await trial.expectBytes(Pattern.data(100), at: target, when: "After a refused move")
        },
        Behaviour("Moving to a missing parent is refused", .ability(.writing), .ability(.moving), .makingParents(false))
        { trial in
            let path = try await trial.write("file")
            let target = try trial.at("missing/file")
            try await expectFailure("Moving to a missing parent", .noSuchFile) {
                try await trial.provider.moveItem(path: path, to: target)
            }
            try await trial.expectNames(["file"], when: "After a refused move")
            try await trial.expectBytes(Pattern.data(100), at: path, when: "After a refused move")
        },
        Behaviour("Moving a folder into itself is refused", .ability(.writing), .ability(.moving)) { trial in
            let tree = try await trial.makeTree("tree")
            for target in ["tree/inside", "tree/deep/inside"] {
                let target = try trial.at(target)
                try await expectFailure("Moving a folder into itself") {
                    try await trial.provider.moveItem(path: tree, to: target)
                }
            }
            try await trial.expectNames(["tree"], when: "After a refused move")
            try await trial.expectTree(tree, when: "After a refused move")
        },
        Behaviour("Moving an item onto itself does not lose it", .ability(.writing), .ability(.moving)) { trial in
            let file = try await trial.write("file")
            let tree = try await trial.makeTree("tree")
            // Success and refusal are both correct.
            try? await trial.provider.moveItem(path: file, to: file, overwrite: true)
            try? await trial.provider.moveItem(path: tree, to: tree, overwrite: true)
            try await trial.expectNames(["file", "tree"], when: "After moves of items onto themselves")
            try await trial.expectBytes(Pattern.data(100), at: file, when: "After a move of a file onto itself")
            try await trial.expectTree(tree, when: "After a move of a folder onto itself")
        },
    ]

    /// Moving to a taken name.
    static let movingOnto: [Behaviour] = [
        Behaviour("Without overwrite a move leaves a file in its way", .ability(.writing), .ability(.moving)) { trial in
            try await trial.expectRefused(onto: .file, overwrite: false) {
                try await $0.moveItem(path: $1, to: $2, overwrite: $3)
            }
        },
        Behaviour("Without overwrite a move leaves an empty folder in its way", .ability(.writing), .ability(.moving)) {
            trial in
            try await trial.expectRefused(onto: .emptyFolder, overwrite: false) {
                try await $0.moveItem(path: $1, to: $2, overwrite: $3)
            }
        },
        Behaviour("With overwrite a move never replaces a folder with content", .ability(.writing), .ability(.moving)) {
            trial in
            try await trial.expectRefused(onto: .tree, overwrite: true) {
                try await $0.moveItem(path: $1, to: $2, overwrite: $3)
            }
        },
        Behaviour("Moving never merges folders", .ability(.writing), .ability(.moving)) { trial in
            try await trial.expectNoMerge { try await $0.moveItem(path: $1, to: $2, overwrite: $3) }
            try await trial.expectNames(["one", "two"], when: "After a refused move")
        },
        Behaviour("With overwrite a move replaces a file", .ability(.writing), .ability(.moving)) { trial in
            try await trial.expectReplaced(.file) { try await $0.moveItem(path: $1, to: $2, overwrite: $3) }
            try await trial.expectNames(["target"], when: "After a move onto a file")
        },
        Behaviour("With overwrite a file moves onto an empty folder", .ability(.writing), .ability(.moving)) { trial in
            try await trial.expectReplaced(.emptyFolder) { try await $0.moveItem(path: $1, to: $2, overwrite: $3) }
            try await trial.expectNames(["target"], when: "After a move onto an empty folder")
        },
        Behaviour("With overwrite a folder moves onto an empty folder", .ability(.writing), .ability(.moving)) {
            trial in
            try await trial.expectTreeReplaces(.emptyFolder) { try await $0.moveItem(path: $1, to: $2, overwrite: $3) }
            try await trial.expectNames(["target"], when: "After a move onto an empty folder")
        },
        Behaviour("With overwrite a folder moves onto a file", .ability(.writing), .ability(.moving)) { trial in
            try await trial.expectTreeReplaces(.file) { try await $0.moveItem(path: $1, to: $2, overwrite: $3) }
            try await trial.expectNames(["target"], when: "After a move onto a file")
        },
    ]
}
