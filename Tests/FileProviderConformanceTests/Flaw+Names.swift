import FileProviderConformance
import FileProviderCore
import Foundation

extension Flaw {
    private static let allNames = HostileName.all.flatMap { [$0.fileBehaviour, $0.folderBehaviour] }

    private static func behaviours(of name: String) -> [String] {
        HostileName.all.filter { $0.bytes == Array(name.utf8) }.flatMap { [$0.fileBehaviour, $0.folderBehaviour] }
    }

    /// Names that become others.
    static let names: [Flaw] = [
        Flaw("shows other names than there are", found: allNames) { hooks in
            hooks.list = { base, path in
                try await base.contentsOfDirectory(path: path).map { item in
                    FileObject(
                        path: try path.appending(nameBytes: Array(item.path.nameBytes) + [0x78]), type: item.type,
                        size: item.size)
                }
            }
        },
        Flaw("copies to another name", found: allNames) { hooks in
            hooks.copy = { base, path, destination, overwrite in
                let other = try (destination.parent ?? .root).appending("other")
                try await base.copyItem(path: path, to: other, overwrite: overwrite)
            }
        },
        Flaw("loses a name when it moves", found: allNames) { hooks in
            hooks.move = { base, path, destination, overwrite in
                try await base.moveItem(path: path, to: destination, overwrite: overwrite)
                // On the way back only.
                if path.name == "plain" { try await base.removeItem(path: destination) }
            }
        },
        Flaw(
            "trims names",
            found: behaviours(of: "trailing blank ") + behaviours(of: "\tleading tab")
                + behaviours(of: "trailing line\n")
        ) {
            hooks in changesNames(&hooks) { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        },
        Flaw("shows control characters as pictures", found: behaviours(of: "tab\there")) { hooks in
            changesNames(&hooks) { $0.replacingOccurrences(of: "\t", with: "␉") }
        },
        Flaw("cuts long names", found: HostileName.all.filter { $0.bytes.count == 255 }.map(\.fileBehaviour)) { hooks in
            changesNames(&hooks) { String($0.prefix(80)) }
        },
        Flaw("takes similar names for one", found: Behaviour.names(.names, with: " are two f")) { hooks in
            changesNames(&hooks) { name in
                let known = ["cafe\u{301}": "caf\u{E9}", "%41%2F": "A", "end ": "end", "CASE": "case"]
                return known.first { Array($0.key.utf8) == Array(name.utf8) }?.value ?? name
            }
        },
        Flaw("takes its own failures for bad names", found: behaviours(of: "a:b")) { hooks in
            hooks.write = { _, _, _, _ in throw URLError(.timedOut) }
            hooks.createFolder = { base, path in
                if path.name == "a:b" { throw URLError(.timedOut) }
                try await base.createFolder(path: path)
            }
        },
    ]

    /// Writes and makes folders under other names, and overwrites what is there.
    private static func changesNames(_ hooks: inout Hooks, _ change: @escaping @Sendable (String) -> String) {
        let changed: @Sendable (ProviderPath) throws -> ProviderPath = { path in
            try path.isRoot ? path : (path.parent ?? .root).appending(change(path.name))
        }
        hooks.write = { base, path, source, options in
            var options = options
            options.overwrite = true
            return try await base.writeContents(path: try changed(path), from: source, options: options)
        }
        hooks.createFolder = { base, path in
            do { try await base.createFolder(path: try changed(path)) } catch let error where error.isFileExists {}
        }
    }
}
