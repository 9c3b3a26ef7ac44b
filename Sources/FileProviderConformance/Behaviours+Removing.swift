import FileProviderCore
import Foundation

extension Behaviour {
    /// Removing files and folders.
    static let removing: [Behaviour] = [
        Behaviour("A removed file is gone, and its neighbours stay", .ability(.writing)) { trial in
            let path = try await trial.write("file")
            try await trial.write("file2")
            try await trial.provider.removeItem(path: path, recursive: false)
            try await trial.expectNames(["file2"], when: "After a removal")
            try await trial.expectMissing(path, when: "After a removal")
        },
        Behaviour("A removed empty folder is gone") { trial in
            let path = try await trial.makeFolder("folder")
            try await trial.provider.removeItem(path: path, recursive: false)
            try await trial.expectNames([], when: "After a removal")
            try await trial.expectMissing(path, when: "After a removal")
        },
        Behaviour("A folder with content is not removed unless asked for", .ability(.writing)) { trial in
            let tree = try await trial.makeTree("tree")
            try await expectFailure("Removing a folder with content, not recursively", .notEmpty) {
                try await trial.provider.removeItem(path: tree, recursive: false)
            }
            try await trial.expectTree(tree, when: "After a refused removal")
        },
        Behaviour("A folder with an empty folder in it counts as one with content") { trial in
            let path = try await trial.makeFolder("folder")
            try await trial.makeFolder("folder/inner")
            try await expectFailure("Removing a folder with a folder in it, not recursively", .notEmpty) {
                try await trial.provider.removeItem(path: path, recursive: false)
            }
            try await trial.expectNames(["inner"], in: path, when: "After a refused removal")
        },
        Behaviour("A folder is removed with all it holds", .ability(.writing), .ability(.recursiveRemoval)) { trial in
            let tree = try await trial.makeTree("tree")
            try await trial.write("tree2")
            try await trial.provider.removeItem(path: tree, recursive: true)
            try await trial.expectNames(["tree2"], when: "After a recursive removal")
            try await trial.expectMissing(try trial.at("tree/deep/inner"), when: "After a recursive removal")
        },
        Behaviour("A file can be removed recursively too", .ability(.writing)) { trial in
            try await trial.provider.removeItem(path: try await trial.write("file"), recursive: true)
            try await trial.expectNames([], when: "After a recursive removal of a file")
        },
        Behaviour("Removing twice fails the second time", .ability(.writing)) { trial in
            let path = try await trial.write("file")
            try await trial.provider.removeItem(path: path)
            try await expectFailure("Removing a second time", .noSuchFile) {
                try await trial.provider.removeItem(path: path)
            }
        },
        Behaviour("A removed name can be used again", .ability(.writing)) { trial in
            let path = try await trial.makeFolder("name")
            try await trial.provider.removeItem(path: path, recursive: false)
            try await trial.write("name", Pattern.data(30))
            try await trial.provider.removeItem(path: path, recursive: false)
            try await trial.makeFolder("name")
            try await trial.expectFolder(path, when: "A folder in place of a removed file")
        },
        Behaviour(
            "A removal counts no more items than it says there are", .ability(.writing), .ability(.recursiveRemoval)
        ) { trial in
            let tree = try await trial.makeTree("tree")
            let progress = ProgressReporter()
            try await trial.provider.removeItem(path: tree, recursive: true, progress: progress)
            let total = progress.total ?? progress.completed
            try expect(
                progress.completed <= total, "Expected at most \(total) items, but \(progress.completed) were counted.")
        },
    ]
}
