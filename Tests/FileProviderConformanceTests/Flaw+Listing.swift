import FileProviderCore
import Foundation

extension Flaw {
    /// Listings and attributes that do not tell what is there.
    static let listing: [Flaw] = [
        Flaw("lists what was there before", found: "A listing shows own writes, renames and removals at once") {
            hooks in
            let seen = LockedValue<[ProviderPath: [FileObject]]>([:])
            hooks.list = { base, path in
                if let known = seen.value[path] { return known }
                let items = try await base.contentsOfDirectory(path: path)
                seen.update { $0[path] = items }
                return items
            }
        },
        Flaw("lists entries twice", found: "A listing shows direct children alone") { hooks in
            hooks.list = { base, path in
                let items = try await base.contentsOfDirectory(path: path)
                return items + items
            }
        },
        Flaw("lists the folder itself", found: "An empty folder lists nothing, not even itself") { hooks in
            hooks.list = { base, path in
                try await [base.attributesOfItem(path: path)] + base.contentsOfDirectory(path: path)
            }
        },
        Flaw("lists the whole tree", found: "A listing shows direct children alone") { hooks in
            hooks.list = { base, path in
                let items = CollectedValues<FileObject>()
                try await base.walk(path: path) { items.append($0) }
                return items.values
            }
        },
        Flaw("drops an entry of a large folder", found: "A folder of 300 entries is listed in full") { hooks in
            hooks.list = { base, path in
                let items = try await base.contentsOfDirectory(path: path)
                return items.count > 255 ? Array(items.dropLast()) : items
            }
        },
        Flaw("decodes what was never encoded", found: "A file called “percent %41 literal” keeps its name") { hooks in
            hooks.list = { base, path in
                try await base.contentsOfDirectory(path: path).map { item in
                    let name = item.name.removingPercentEncoding ?? item.name
                    return FileObject(path: try path.appending(name), type: item.type, size: item.size)
                }
            }
        },
        Flaw("lists a file as an empty folder", found: "Listing a file says that it is no folder") { hooks in
            hooks.list = { base, path in
                try await base.attributesOfItem(path: path).isDirectory ? base.contentsOfDirectory(path: path) : []
            }
        },
        Flaw("lies about the size", found: "A file's attributes tell path, name, type and size") { hooks in
            hooks.attributes = { base, path in
                var item = try await base.attributesOfItem(path: path)
                item.size = item.size.map { $0 + 1 }
                return item
            }
        },
        Flaw("has other sizes in listings", found: "A file's entry in the listing says what its attributes say") {
            hooks in
            hooks.list = { base, path in
                try await base.contentsOfDirectory(path: path).map { item in
                    var item = item
                    item.size = item.size.map { $0 / 2 }
                    return item
                }
            }
        },
        Flaw("keeps its entry tags", found: "A listing tells a version that changes with the bytes") { hooks in
            hooks.list = { base, path in
                try await base.contentsOfDirectory(path: path).map { item in
                    var item = item
                    item.entryTag = "\"always\""
                    return item
                }
            }
        },
        Flaw("fails with the wrong error", found: "Attributes of a missing item say that it is missing") { hooks in
            hooks.attributes = { base, path in
                do { return try await base.attributesOfItem(path: path) } catch {
                    throw FileError.make(.fileReadUnknown, path: path)
                }
            }
        },
        Flaw("never ends", found: "A removed name can be used again") { hooks in
            // Unsafe, because nobody ever resumes it, nor is told.
            hooks.remove = { _, _, _ in await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
        },
    ]
}
