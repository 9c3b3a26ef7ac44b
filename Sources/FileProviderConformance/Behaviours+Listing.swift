import FileProviderCore
import Foundation

extension Behaviour {
    /// Listings, and their agreement with the attributes of single items.
    static let listing: [Behaviour] = entries + freshness + large

    private static let entries: [Behaviour] = [
        Behaviour("An empty folder lists nothing, not even itself") { trial in
            try await trial.expectNames([], when: "A new folder")
        },
        Behaviour("A listing shows direct children alone", .ability(.writing)) { trial in
            let tree = try await trial.makeTree("tree")
            try await trial.expectNames(["tree"], when: "A folder with a tree in it")
            try await trial.expectNames(["bare", "deep", "top"], in: tree, when: "The tree")
        },
        Behaviour("A file's entry in the listing says what its attributes say", .ability(.writing)) { trial in
            try await trial.expectAgreement(at: try await trial.write("file", Pattern.data(1234)))
        },
        Behaviour("A folder's entry in the listing says what its attributes say") { trial in
            try await trial.expectAgreement(at: try await trial.makeFolder("folder"))
        },
        Behaviour("A file's attributes tell path, name, type and size", .ability(.writing)) { trial in
            let path = try await trial.write("file.txt", Pattern.data(1234))
            let item = try await trial.provider.attributesOfItem(path: path)
            try expect(item.path == path, "Expected the path \(path), but it is \(item.path).")
            try expect(item.name == "file.txt", "Expected the name “file.txt”, but it is “\(item.name)”.")
            try expect(item.isRegularFile, "Expected a file, but the type is \(item.type.rawValue).")
            try expect(
                item.size == 1234, "Expected 1234 bytes, but the size is \(item.size.map { "\($0)" } ?? "unknown").")
        },
        Behaviour("A folder's attributes tell path and type, and no size") { trial in
            let path = try await trial.makeFolder("folder")
            let item = try await trial.provider.attributesOfItem(path: path)
            try expect(
                item.path == path && item.name == "folder",
                "Expected the path \(path), but it is \(item.path), “\(item.name)”.")
            try expect(item.isDirectory, "Expected a folder, but the type is \(item.type.rawValue).")
            try expect(item.size == nil, "Expected no size, as for every folder, but it is \(item.size ?? 0).")
        },
        Behaviour("An empty file has the size 0 in attributes and listing", .ability(.writing)) { trial in
            let path = try await trial.write("empty", Data())
            let sizes = [
                try await trial.provider.attributesOfItem(path: path).size, try await trial.list().first?.size,
            ]
            try expect(sizes == [0, 0], "Expected the size 0 twice, but they are \(sizes).")
        },
        Behaviour("Listing a file says that it is no folder", .ability(.writing)) { trial in
            let path = try await trial.write("file")
            try await expectFailure("Listing a file", .notAFolder) { _ = try await trial.list(path) }
        },
        Behaviour("An error of the caller's page ends the listing and arrives", .ability(.writing)) { trial in
            try await trial.write("file")
            try await expectFailure("Listing with a page that throws", .deliberate) {
                try await trial.provider.contentsOfDirectory(path: trial.folder) {
                    if !$0.isEmpty { throw DeliberateFailure() }
                }
            }
        },
        Behaviour(
            lookingOnly: "What lies in a read-only folder is listed as its attributes say", .unavailable(.writing)
        ) { trial in
            let entries: [FileObject]
            do { entries = try await trial.list() } catch let error as CocoaError
                where error.code == .featureUnsupported
            {
                throw SkippedBehaviour(reason: "needs listings")
            }
            for entry in entries.prefix(5) { try await trial.expectAgreement(at: entry.path) }
        },
    ]

    private static let freshness: [Behaviour] = [
        Behaviour("A listing shows own writes, renames and removals at once", .ability(.writing), .ability(.moving)) {
            trial in
            try await trial.expectNames([], when: "Before anything")
            let path = try await trial.write("one")
            try await trial.expectNames(["one"], when: "After a write")
            let other = try trial.at("two")
            try await trial.provider.moveItem(path: path, to: other)
            try await trial.expectNames(["two"], when: "After a rename")
            try await trial.provider.removeItem(path: other)
            try await trial.expectNames([], when: "After a removal")
        },
        Behaviour("Attributes and listing show a file's new size at once", .ability(.writing)) { trial in
            let path = try await trial.write("file", Pattern.data(10))
            _ = try await trial.provider.attributesOfItem(path: path)
            try await trial.provider.writeContents(path: path, contents: Pattern.data(20), overwrite: true)
            let sizes = [
                try await trial.provider.attributesOfItem(path: path).size, try await trial.list().first?.size,
            ]
            try expect(sizes == [20, 20], "Expected the size 20 twice after an overwrite, but they are \(sizes).")
        },
        Behaviour("A listing tells a version that changes with the bytes", .ability(.writing), .ability(.entryTags)) {
            trial in
            let path = try await trial.write("file", Pattern.data(10))
            let (old, again) = (try await trial.listedTag(), try await trial.listedTag())
            try expect(
                old != nil && old == again,
                "Expected the same entry tag twice, but it is \(old ?? "nil"), then \(again ?? "nil").")
            try await trial.provider.writeContents(path: path, contents: Pattern.data(20), overwrite: true)
            let new = try await trial.listedTag()
            try expect(
                new != nil && new != old,
                "Expected another entry tag after an overwrite, but it is still \(new ?? "nil").")
        },
        Behaviour("Listings show a folder as soon as it is made, and no more when it is removed") { trial in
            try await trial.expectNames([], when: "Before anything")
            let path = try await trial.makeFolder("folder")
            try await trial.expectNames(["folder"], when: "After a folder was made")
            try await trial.provider.removeItem(path: path, recursive: false)
            try await trial.expectNames([], when: "After it was removed")
        },
    ]

    private static let large: [Behaviour] = [
        Behaviour("A folder of 300 entries is listed in full", .ability(.writing)) { trial in
            let names = (0..<300).map { "entry \($0)" }
            try await inParallel(8) { worker in
                for index in stride(from: worker, to: names.count, by: 8) {
                    try await trial.write(names[index], Data([UInt8(index & 255)]))
                }
            }
            try await trial.expectNames(names, when: "A folder of 300 files")
        }
    ]
}

extension Trial {
    /// The entry tag of the only file listed; a server may call it weak at first and strong a moment later.
    fileprivate func listedTag() async throws -> String? {
        let tag = try await list().first?.entryTag
        return tag.map { $0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0 }
    }

    /// Expects an item's entry in its parent's listing to agree with its attributes.
    fileprivate func expectAgreement(at path: ProviderPath) async throws {
        let item = try await provider.attributesOfItem(path: path)
        let entries = try await list(path.parent ?? .root).filter { $0.path == path }
        guard entries.count == 1, let entry = entries.first else {
            throw Unmet("Expected “\(path.name)” once in the listing, but it is there \(entries.count) times.")
        }
        try expect(
            entry.type == item.type,
            "Expected one type, but it is \(entry.type) in the listing and \(item.type) by itself.")
        try expect(
            entry.name == item.name,
            "Expected one name, but it is “\(entry.name)” in the listing and “\(item.name)” by itself.")
        let sizes = [entry.size, item.size].compactMap { $0 }
        try expect(Set(sizes).count <= 1, "Expected one size, but it is \(sizes) in listing and attributes.")
        let tags = [entry.entryTag, item.entryTag].compactMap { $0 }
        try expect(Set(tags).count <= 1, "Expected one entry tag, but it is \(tags) in listing and attributes.")
        guard let listed = entry.modifiedDate, let own = item.modifiedDate else { return }
        let step = timeStep
        try expect(
            abs(listed.timeIntervalSince(own)) <= step,
            "Expected one modification time, but \(listed) and \(own) differ by more than \(step) s.")
    }
}
