import FileProviderCore
import Foundation

extension Behaviour {
    /// Creating folders.
    static let folders: [Behaviour] = [
        Behaviour("A new folder is there and empty") { trial in
            let path = try await trial.makeFolder("folder")
            try await trial.expectFolder(path, when: "A new folder")
            try await trial.expectNames([], in: path, when: "A new folder")
        },
        Behaviour("Making a folder that exists is refused") { trial in
            let path = try await trial.makeFolder("folder")
            try await expectFailure("Making a folder that exists", .fileExists) {
                try await trial.provider.createFolder(path: path)
            }
        },
        Behaviour("Making a folder that exists leaves what it holds", .ability(.writing)) { trial in
            let tree = try await trial.makeTree("tree")
            try await expectFailure("Making a folder that exists") { try await trial.provider.createFolder(path: tree) }
            try await trial.expectTree(tree, when: "After a refused folder")
        },
        Behaviour("Making a folder where a file lies is refused", .ability(.writing)) { trial in
            let path = try await trial.write("file")
            try await expectFailure("Making a folder over a file", .fileExists) {
                try await trial.provider.createFolder(path: path)
            }
            try await trial.expectBytes(Pattern.data(100), at: path, when: "After a refused folder")
        },
        Behaviour("Making a folder without its parent is refused", .makingParents(false)) { trial in
            let path = try trial.at("missing/folder")
            try await expectFailure("Making a folder without its parent", .noSuchFile) {
                try await trial.provider.createFolder(path: path)
            }
            try await trial.expectNames([], when: "After a refused folder")
        },
        Behaviour("Making a folder below a file is refused", .ability(.writing)) { trial in
            let file = try await trial.write("file")
            let path = try trial.at("file/folder")
            try await expectFailure("Making a folder below a file") {
                try await trial.provider.createFolder(path: path)
            }
            try await trial.expectBytes(Pattern.data(100), at: file, when: "After a refused folder")
        },
        Behaviour("Folders can lie 20 deep") { trial in
            let path = try trial.at((1...20).map { "level \($0)" }.joined(separator: "/"))
            try await trial.provider.createFolderWithParents(path: path)
            try await trial.expectFolder(path, when: "The folder 20 levels down")
            try await trial.expectNames(["level 20"], in: path.parent, when: "The folder above it")
        },
        Behaviour("Making a folder with its parents twice is fine") { trial in
            let path = try trial.at("a/b/c")
            try await trial.provider.createFolderWithParents(path: path)
            try await trial.provider.createFolderWithParents(path: path)
            try await trial.expectFolder(path, when: "A folder made twice with its parents")
        },
        Behaviour("Making a folder with its parents leaves what is there", .ability(.writing)) { trial in
            let tree = try await trial.makeTree("tree")
            try await trial.provider.createFolderWithParents(path: try trial.at("tree/deep"))
            try await trial.expectTree(tree, when: "After making folders that were there")
        },
        Behaviour("Making a folder with its parents over a file is refused", .ability(.writing)) { trial in
            let file = try await trial.write("file")
            try await expectFailure("Making a folder with its parents over a file", .fileExists) {
                try await trial.provider.createFolderWithParents(path: file)
            }
            let below = try trial.at("file/folder/deep")
            try await expectFailure("Making a folder with its parents below a file") {
                try await trial.provider.createFolderWithParents(path: below)
            }
            try await trial.expectBytes(Pattern.data(100), at: file, when: "After a refused folder")
        },
    ]
}
