import FileProviderConformance
import FileProviderCore
import Foundation

extension Flaw {
    /// Files that are not what was written, by a byte.
    static let bytes: [Flaw] = [
        Flaw("adds a byte", found: Behaviour.names(.sizes)) { hooks in
            hooks.write = { base, path, source, options in
                let data = try await source.gathered() + Data([0])
                return try await base.writeContents(path: path, from: DataSource(data), options: options)
            }
        },
        Flaw("reads a source twice", found: Behaviour.names(.sizes, with: "can be read once")) { hooks in
            hooks.write = { base, path, source, options in
                _ = try source.bytes(from: 0)
                return try await base.writeContents(path: path, from: source, options: options)
            }
        },
        Flaw("takes only sources with a length", found: Behaviour.names(.sizes, with: "unknown length")) { hooks in
            hooks.write = { base, path, source, options in
                guard source.length != nil else {
                    throw FileError.unsupported("write what has no length", by: "Broken", path: path)
                }
                return try await base.writeContents(path: path, from: source, options: options)
            }
        },
        Flaw(
            "is off by one behind its first buffer",
            found: [
                "Ranges around every place where a buffer may end are exact",
                "Ranges of every awkward length are exact",
                "Suffixes of every awkward length are exact",
            ]
        ) { hooks in
            hooks.stream = { base, part, sink in
                let range = part.resolved(size: try await base.attributes().size)
                guard range.upperBound > 65_536, part != .whole else { return try await base.stream(part, into: sink) }
                return try await base.stream(
                    .range(range.lowerBound..<max(range.lowerBound, range.upperBound - 1)), into: sink)
            }
        },
        Flaw(
            "refuses parts without a byte",
            found: ["Every part of an empty file is empty", "Every part of a file of one byte is that byte or nothing"]
        ) { hooks in
            hooks.stream = { base, part, sink in
                guard !part.resolved(size: try await base.attributes().size).isEmpty else {
                    throw FileError.make(.fileReadUnknown, path: base.path)
                }
                return try await base.stream(part, into: sink)
            }
        },
    ]
}

extension WriteSource {
    /// All bytes.
    func gathered() async throws -> Data {
        let source = try bytes(from: 0)
        var data = Data()
        while let piece = try await source.next() { data += piece }
        return data
    }
}
