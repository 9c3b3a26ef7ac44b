import FileProviderCore
import Foundation

extension Flaw {
    /// Folders, moves, copies and removals that do something else.
    static let items: [Flaw] = [
        Flaw("merges folders", found: "Moving never merges folders") { hooks in
            hooks.move = { base, path, destination, overwrite in
                let target = try? await base.attributesOfItem(path: destination)
                let isFolder = try await base.attributesOfItem(path: path).isDirectory
                guard isFolder, target?.isDirectory == true else {
                    return try await base.moveItem(path: path, to: destination, overwrite: overwrite)
                }
                for item in try await base.contentsOfDirectory(path: path) {
                    try await base.moveItem(
                        path: item.path, to: try destination.appending(nameBytes: item.path.nameBytes),
                        overwrite: overwrite)
                }
                try await base.removeItem(path: path)
            }
        },
        Flaw("moves onto anything", found: "Without overwrite a move leaves a file in its way") { hooks in
            hooks.move = { base, path, destination, _ in
                try await base.moveItem(path: path, to: destination, overwrite: true)
            }
        },
        Flaw("moves onto full folders", found: "With overwrite a move never replaces a folder with content") { hooks in
            hooks.move = { base, path, destination, overwrite in
                if overwrite { try? await base.removeItem(path: destination, recursive: true) }
                try await base.moveItem(path: path, to: destination, overwrite: overwrite)
            }
        },
        Flaw("copies instead of moving", found: "A renamed file has its bytes, and its old name is gone") { hooks in
            hooks.move = { base, path, destination, overwrite in
                try await base.copyItem(path: path, to: destination, overwrite: overwrite)
            }
        },
        Flaw("copies without what lies deeper", found: "A copied folder has all it held, and the source stays") {
            hooks in
            hooks.copy = { base, path, destination, overwrite in
                try await base.copyItem(path: path, to: destination, overwrite: overwrite)
                guard try await base.attributesOfItem(path: destination).isDirectory else { return }
                for item in try await base.contentsOfDirectory(path: destination) where item.isDirectory {
                    try await base.removeItem(path: item.path)
                }
            }
        },
        Flaw(
            "shows folders while they are copied",
            found: [
                "Nobody sees part of a folder that is being copied",
                "A copy of a folder that is cancelled is there as a whole, or not at all",
            ]
        ) { hooks in
            hooks.copy = { base, path, destination, overwrite in
                guard try await base.attributesOfItem(path: path).isDirectory else {
                    return try await base.copyItem(path: path, to: destination, overwrite: overwrite)
                }
                try await base.createFolder(path: destination)
                for item in try await base.contentsOfDirectory(path: path) {
                    try await Task.sleep(for: .milliseconds(5))
                    try await base.copyItem(path: item.path, to: destination.appending(item.name))
                }
            }
        },
        Flaw("moves instead of copying", found: "A copied file has the same bytes, and the source stays") { hooks in
            hooks.copy = { base, path, destination, overwrite in
                try await base.moveItem(path: path, to: destination, overwrite: overwrite)
            }
        },
        Flaw("removes folders with content unasked", found: "A folder with content is not removed unless asked for") {
            hooks in
            hooks.remove = { base, path, _ in try await base.removeItem(path: path, recursive: true) }
        },
        Flaw("is content when nothing is there to remove", found: "Removing a missing item says that it is missing") {
            hooks in
            hooks.remove = { base, path, recursive in
                do { try await base.removeItem(path: path, recursive: recursive) } catch let error
                    where error.isNoSuchFile
                {}
            }
        },
        Flaw("removes nothing", found: "The kit's own folder goes with all it holds") { hooks in
            hooks.remove = { _, _, _ in }
        },
        Flaw("makes folders that exist", found: "Making a folder that exists is refused") { hooks in
            hooks.createFolder = { base, path in
                do { try await base.createFolder(path: path) } catch let error where error.isFileExists {}
            }
        },
        Flaw("makes missing parents of folders", found: "Making a folder without its parent is refused") { hooks in
            hooks.createFolder = { base, path in
                if (try? await base.attributesOfItem(path: path)) != nil {
                    return try await base.createFolder(path: path)
                }
                try await base.createFolderWithParents(path: path)
            }
        },
        Flaw("empties folders that exist", found: "Making a folder that exists leaves what it holds") { hooks in
            hooks.createFolder = { base, path in
                do { try await base.createFolder(path: path) } catch let error where error.isFileExists {
                    for item in try await base.contentsOfDirectory(path: path) {
                        try await base.removeItem(path: item.path)
                    }
                    throw error
                }
            }
        },
    ]

    /// Providers that say of themselves what is not so.
    static let selfDescription: [Flaw] = [
        Flaw("fails to tell its capabilities", found: "The provider tells its capabilities") { hooks in
            hooks.capabilities = { _ in throw URLError(.cannotConnectToHost) }
        },
        Flaw("does what it says it cannot", found: "Where removing trees is unavailable, it fails and changes nothing")
        { hooks in
            hooks.capabilities = { base in
                var capabilities = try await base.capabilities()
                capabilities[.recursiveRemoval] = .unavailable
                return capabilities
            }
        },
        Flaw(
            "ignores conditions that it does not have",
            found: "Where conditional writes are unavailable, one with a condition fails"
        ) { hooks in
            hooks.capabilities = { base in
                var capabilities = try await base.capabilities()
                capabilities[.conditionalWriting] = .unavailable
                return capabilities
            }
            hooks.write = { base, path, source, options in
                try await base.writeContents(
                    path: path, from: source, options: WriteOptions(overwrite: options.overwrite))
            }
        },
        Flaw("changes its capabilities", found: "Asking for the capabilities twice gives the same answer") { hooks in
            let asked = CollectedValues<Int>()
            hooks.capabilities = { base in
                var capabilities = try await base.capabilities()
                asked.append(1)
                capabilities.largestFile = Int64(1 << 30 + asked.values.count)
                return capabilities
            }
        },
        Flaw("invents free space", found: "Capacity and free space are sensible") { hooks in
            hooks.capabilities = { base in
                var capabilities = try await base.capabilities()
                capabilities[.storageProperties] = .native
                return capabilities
            }
            hooks.storage = { _ in VolumeObject(totalCapacity: 10, availableCapacity: 20) }
        },
        Flaw(
            "declares public links that nobody can ask for",
            found: "A provider that declares public links can be asked for them"
        ) {
            hooks in
            hooks.capabilities = { base in
                var capabilities = try await base.capabilities()
                capabilities[.publicLinks] = .native
                return capabilities
            }
        },
        Flaw("tells of what is directly in a folder alone", found: "A folder's tag tells of a write two folders down") {
            hooks in
            hooks.capabilities = { base in
                var capabilities = try await base.capabilities()
                capabilities[.treeTags] = .native
                return capabilities
            }
        },
        Flaw("has one URL for everything", found: "Every path has a URL of its own, percent-encoded") { hooks in
            hooks.url = { _, _ in URL(fileURLWithPath: "/") }
        },
        Flaw("shows the password", found: "Neither base URL nor description shows a user or password") { hooks in
            hooks.description = "Broken(https://user:secret@host/)"
        },
    ]
}
