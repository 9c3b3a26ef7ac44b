import FileProviderCore
import Foundation

extension Flaw {
    /// Readers that break their word.
    static let reading: [Flaw] = [
        Flaw("ignores ranges", found: "Reading a range in the middle gives exactly that") { hooks in
            hooks.stream = { base, _, sink in try await base.stream(.whole, into: sink) }
        },
        Flaw("loses the last byte", found: "A file of 4097 bytes from memory comes back byte for byte") { hooks in
            hooks.stream = { base, part, sink in
                let range = part.resolved(size: try await base.attributes().size)
                return try await base.stream(
                    .range(range.lowerBound..<max(range.lowerBound, range.upperBound - 1)), into: sink)
            }
        },
        Flaw("takes a suffix for an offset", found: "Reading a suffix gives exactly that") { hooks in
            hooks.stream = { base, part, sink in
                guard case .suffix(let count) = part else { return try await base.stream(part, into: sink) }
                return try await base.stream(.from(count), into: sink)
            }
        },
        Flaw("fails past the end", found: "Reading a range far past the end gives exactly that") { hooks in
            hooks.stream = { base, part, sink in
                let size = try await base.attributes().size
                if case .range(let range) = part, range.lowerBound > size {
                    throw FileError.make(.fileReadUnknown, path: base.path)
                }
                return try await base.stream(part, into: sink)
            }
        },
        Flaw("tells the sink twice", found: "Reading the whole gives exactly that") { hooks in
            hooks.stream = { try await $0.stream($1, into: BrokenSink($2, begins: 2)) }
        },
        Flaw("does not tell the sink", found: "Reading the whole gives exactly that") { hooks in
            hooks.stream = { try await $0.stream($1, into: BrokenSink($2, begins: 0)) }
        },
        Flaw("lies about the extent", found: "Reading all from 1 gives exactly that") { hooks in
            hooks.stream = { base, part, sink in
                var extent = try await base.stream(part, into: sink)
                extent.offset = 0
                return extent
            }
        },
        Flaw("does not wait for the sink", found: "A slow sink is waited for") { hooks in
            hooks.stream = { try await $0.stream($1, into: BrokenSink($2, obeys: false)) }
        },
        Flaw("hides the sink's error", found: "A sink that throws ends the transfer, and its error arrives") { hooks in
            hooks.stream = { base, part, sink in
                do { return try await base.stream(part, into: sink) } catch {
                    throw FileError.make(.fileReadUnknown, path: base.path)
                }
            }
        },
        Flaw(
            "does not stop reading when cancelled", found: "Cancelling a read whose sink takes nothing ends it at once"
        ) { hooks in
            hooks.stream = { base, part, sink in try await Task { try await base.stream(part, into: sink) }.value }
        },
        Flaw("mixes versions", found: "A reader never mixes two versions of a file") { hooks in
            hooks.open = { base, path in
                BrokenReader(try await base.open(path: path)) { _, part, sink in
                    try await base.withReader(path: path) { try await $0.stream(part, into: sink) }
                }
            }
        },
        Flaw(
            "never tells another version",
            found: [
                "A version that the caller has is not read again, another one is",
                "Only the version that is wanted is read",
            ]
        ) { hooks in
            hooks.open = { base, path in
                RangedFileReader(path: path, cost: .local) { part, _, sink in
                    try await base.withReader(path: path) { reader in
                        let size = try await reader.attributes().size
                        return (
                            try await reader.stream(part, into: sink), FileReaderAttributes(size: size, validator: "1")
                        )
                    }
                }
            }
        },
        Flaw("reads folders as empty files", found: "Reading a folder as a file says that it is a folder") { hooks in
            hooks.open = { base, path in
                guard try await base.attributesOfItem(path: path).isDirectory else {
                    return try await base.open(path: path)
                }
                return RangedFileReader(path: path, cost: .local) { _, _, _ in
                    (FileExtent(offset: 0, count: 0, size: 0), FileReaderAttributes(size: 0))
                }
            }
        },
    ]
}
