import FileProviderCore
import Foundation

extension Flaw {
    /// Storages that keep less than they get, listings that leave out items without a word, and folders that writing
    /// does not make.
    static let arriving: [Flaw] = [
        Flaw(
            "keeps less than it gets",
            found: ["What a write returns is there", "What a replacing write returns is there"]
        ) { hooks in
            hooks.write = { base, path, source, options in
                let written = try await base.writeContents(path: path, from: source, options: options)
                try await base.shorten(path)
                return written
            }
        },
        Flaw("keeps nothing", found: ["What a write returns is there", "What a replacing write returns is there"]) {
            hooks in
            hooks.write = { base, path, source, options in
                let written = try await base.writeContents(path: path, from: source, options: options)
                try await base.removeItem(path: path)
                return written
            }
        },
        Flaw(
            "keeps less and gives no size",
            found: "A write without a size in its result has arrived, or cannot be looked at"
        ) { hooks in
            hooks.write = { base, path, source, options in
                var written = try await base.writeContents(path: path, from: source, options: options)
                try await base.shorten(path)
                written.size = nil
                return written
            }
        },
        Flaw("reads a login page", found: "What is read has the size that was listed") { hooks in
            hooks.stream = { _, _, sink in
                let page = Data("<html>Please log in</html>".utf8)
                let extent = FileExtent(offset: 0, count: Int64(page.count), size: Int64(page.count))
                try sink.begin(extent)
                try await sink.send(page)
                return extent
            }
        },
        Flaw(
            "leaves names out without a word",
            found: [
                "What a listing leaves out is reported at its end",
                "A walk gives every item, or says what was left out",
            ]
        ) { hooks in
            hooks.list = { base, path in
                try await base.contentsOfDirectory(path: path).filter { !$0.name.contains("\\") }
            }
        },
        Flaw(
            "says that names were left out, and counts none", found: "What a listing leaves out is reported at its end"
        ) { hooks in
            hooks.list = { base, path in try await base.contentsOfDirectory(path: path) }
            hooks.listed = { _, path in throw FileError.unusableNames(UnusableNames(), in: path) }
        },
        Flaw(
            "says that writing makes folders, and does not make them",
            found: [
                "A write without its parent makes the path", "Making a folder without its parent makes the path",
                "Copying to a missing parent makes the path", "Moving to a missing parent makes the path",
            ]
        ) { hooks in
            hooks.capabilities = { try await $0.capabilitiesMakingParents() }
        },
        Flaw("makes a folder of a file in its way", found: "A write below a file leaves the file") { hooks in
            hooks.capabilities = { try await $0.capabilitiesMakingParents() }
            hooks.write = { base, path, source, options in
                if let parent = path.parent, try await base.attributesOfItem(path: parent).isRegularFile {
                    try await base.removeItem(path: parent)
                    try await base.createFolder(path: parent)
                }
                return try await base.writeContents(path: path, from: source, options: options)
            }
        },
    ]
}

extension FileProviderReadWrite {
    fileprivate func shorten(_ path: ProviderPath) async throws {
        let data = try await contents(path: path)
        try await writeContents(path: path, contents: data.prefix(data.count / 2), overwrite: true)
    }
}

extension FileProviderBasic {
    fileprivate func capabilitiesMakingParents() async throws -> Capabilities {
        var capabilities = try await capabilities()
        capabilities.makesParentFolders = true
        return capabilities
    }
}
