import FileProviderCore
import Foundation

extension Behaviour {
    /// Storages whose folders are only prefixes of names.
    static let makingParents: [Behaviour] = [
        Behaviour("A write without its parent makes the path", .ability(.writing), .makingParents(true)) { trial in
            let path = try trial.at("new/prefix/file")
            try await trial.provider.writeContents(path: path, contents: Pattern.data(100))
            try await trial.expectPath(to: path, when: "After a write")
        },
        Behaviour("A write below a file leaves the file", .ability(.writing), .makingParents(true)) { trial in
            let file = try await trial.write("file")
            let path = try trial.at("file/inner")
            // Both may exist, or the write is refused.
            _ = try? await trial.provider.writeContents(path: path, contents: Data([1]))
            try await trial.expectBytes(Pattern.data(100), at: file, when: "After a write below a file")
            try? await trial.provider.removeItem(path: path)
        },
        Behaviour("Making a folder without its parent makes the path", .makingParents(true)) { trial in
            let path = try trial.at("new/prefix/folder")
            try await trial.provider.createFolder(path: path)
            try await trial.expectFolder(path, when: "After a folder was made")
            try await trial.expectPath(to: path, when: "After a folder was made")
        },
        Behaviour("Copying to a missing parent makes the path", .ability(.writing), .makingParents(true)) { trial in
            let (path, target) = (try await trial.write("file"), try trial.at("new/prefix/file"))
            try await trial.provider.copyItem(path: path, to: target)
            try await trial.expectPath(to: target, when: "After a copy")
            try await trial.expectBytes(Pattern.data(100), at: target, when: "A copy to a missing parent")
        },
        Behaviour(
            "Moving to a missing parent makes the path", .ability(.writing), .ability(.moving), .makingParents(true)
        ) { trial in
            let (path, target) = (try await trial.write("file"), try trial.at("new/prefix/file"))
            try await trial.provider.moveItem(path: path, to: target)
            try await trial.expectPath(to: target, when: "After a move")
            try await trial.expectMissing(path, when: "The source of a move")
            try await trial.expectBytes(Pattern.data(100), at: target, when: "A move to a missing parent")
        },
    ]
}

extension Trial {
    /// Expects each folder from the trial's own to `path` to list the next name.
    fileprivate func expectPath(to path: ProviderPath, when: String) async throws {
        var item = path
        while let parent = item.parent, item.isBelow(folder) {
            let items = try await list(parent)
            try expect(
                items.contains { $0.path == item },
                "\(when): expected “\(item.name)” in the listing of “\(parent.name)”, but it is not there.")
            if item != path { try await expectFolder(item, when: when) }
            item = parent
        }
    }
}
