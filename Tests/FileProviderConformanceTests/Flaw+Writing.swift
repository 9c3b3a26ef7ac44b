import FileProviderCore
import Foundation

extension Flaw {
    /// Writes that leave something else than they should.
    static let writing: [Flaw] = [
        Flaw("overwrites unasked", found: "Without overwrite an existing file is kept") { hooks in
            hooks.write = { base, path, source, options in
                var options = options
                options.overwrite = true
                return try await base.writeContents(path: path, from: source, options: options)
            }
        },
        Flaw("leaves temporary names", found: "A write leaves no temporary name") { hooks in
            hooks.write = { base, path, source, options in
                try await base.writeContents(path: try TemporaryName.make(beside: path), contents: Data())
                return try await base.writeContents(path: path, from: source, options: options)
            }
        },
        Flaw("leaves a part when the source fails", found: "A source that fails leaves nothing, and its error arrives")
        { hooks in
            hooks.write = { base, path, source, options in
                do { return try await base.writeContents(path: path, from: source, options: options) } catch let error
                    where !error.isFileExists
                {
                    try await base.writeContents(path: path, contents: Data([1]), overwrite: true)
                    throw error
                }
            }
        },
        Flaw("hides the source's error", found: "A source that fails at once leaves nothing") { hooks in
            hooks.write = { base, path, source, options in
                do { return try await base.writeContents(path: path, from: source, options: options) } catch {
                    throw FileError.make(.fileWriteUnknown, path: path)
                }
            }
        },
        Flaw("takes any length", found: "A source shorter than it said fails and leaves nothing") { hooks in
            hooks.write = { try await $0.writeContents(path: $1, from: LengthlessSource(base: $2), options: $3) }
        },
        Flaw("removes before it writes", found: "A source that fails keeps the old file") { hooks in
            hooks.write = { base, path, source, options in
                // A name that is free is no fault.
                if options.overwrite { try? await base.removeItem(path: path, recursive: false) }
                return try await base.writeContents(path: path, from: source, options: options)
            }
        },
        Flaw("lets readers see a gap", found: "Readers see the old file or the new one, never a part") { hooks in
            hooks.write = { base, path, source, options in
                if options.overwrite { try? await base.removeItem(path: path, recursive: false) }
                try await Task.sleep(for: .milliseconds(2))
                return try await base.writeContents(path: path, from: source, options: options)
            }
        },
        Flaw("looks first and writes then", found: "Of eight writers of a new file exactly one wins") { hooks in
            hooks.write = { base, path, source, options in
                var options = options
                let isTaken = (try? await base.attributesOfItem(path: path)) != nil
                if isTaken, !options.overwrite { throw FileError.make(.fileWriteFileExists, path: path) }
                try await Task.sleep(for: .milliseconds(20))
                options.overwrite = true
                return try await base.writeContents(path: path, from: source, options: options)
            }
        },
        Flaw("ignores cancelling", found: "A cancelled write ends, and leaves nothing") { hooks in
            hooks.write = { base, path, source, options in
                try await Task { try await base.writeContents(path: path, from: source, options: options) }.value
            }
        },
        Flaw("ignores conditions", found: "A conditional write with an old version is refused") { hooks in
            hooks.write = { base, path, source, options in
                var options = options
                options.ifMatch = nil
                return try await base.writeContents(path: path, from: source, options: options)
            }
        },
        Flaw("ignores the modification time", found: "A write sets the modification time it is given") { hooks in
            hooks.write = { base, path, source, options in
                var options = options
                options.modificationDate = nil
                return try await base.writeContents(path: path, from: source, options: options)
            }
        },
        Flaw("replaces a folder with content", found: "A folder with content is never replaced by a file") { hooks in
            hooks.write = { base, path, source, options in
                if options.overwrite { try? await base.removeItem(path: path, recursive: true) }
                return try await base.writeContents(path: path, from: source, options: options)
            }
        },
        Flaw("makes missing parents", found: "A write without its parent is refused") { hooks in
            hooks.write = { base, path, source, options in
                try await base.createFolderWithParents(path: path.parent ?? .root)
                return try await base.writeContents(path: path, from: source, options: options)
            }
        },
        Flaw("composes names", found: "A composed and a decomposed name are two files, or one is refused") { hooks in
            hooks.write = { base, path, source, options in
                var options = options
                options.overwrite = true
                let composed = try ProviderPath(path.string.precomposedStringWithCanonicalMapping)
                return try await base.writeContents(path: composed, from: source, options: options)
            }
        },
    ]
}
