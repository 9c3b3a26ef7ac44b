import FileProviderCore
import Foundation
import MemoryFileProvider
import SampleBooks
import Synchronization
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

/// Books at a provider in memory, opened as apps do, with a remote fetcher that answers with the address it was asked
/// for.
struct Shelf {
    let provider = MemoryFileProvider()
    private let asked = MutexValue([String]())

    /// A ZIP archive of entries in the order given.
    static func zip(_ entries: [(String, String)]) throws -> Data {
        try ZIPBuilder.data { builder in
            for (name, text) in entries { try builder.deflate(name, text) }
        }
    }

    /// Puts an archive at `path`.
    func pack(_ path: String, entries: [(String, String)]) async throws {
        try await provider.writeContents(path: ProviderPath(path), contents: Self.zip(entries))
    }

    /// Puts files into the folder at `path`.
    func spread(_ path: String, _ files: [(String, String)]) async throws {
        for (name, text) in files {
            let file = try ProviderPath("\(path)/\(name)")
            var folder = ProviderPath.root
            for part in file.components.dropLast() {
                folder = try folder.appending(nameBytes: part)
                if (try? await provider.attributesOfItem(path: folder)) == nil {
                    try await provider.createFolder(path: folder)
                }
            }
            try await provider.writeContents(path: file, contents: Data(text.utf8), overwrite: true)
        }
    }

    var options: OpeningOptions {
        var options = OpeningOptions()
        let asked = asked
        options.remote = {
            ProxyFetcher(string: { link in
                asked.value.withLock { $0.append(link.href) }
                return "from \(link.href)"
            })
        }
        return options
    }

    /// What was asked of the remote fetcher.
    var requests: [String] { asked.value.withLock { $0 } }

    func open(_ path: String) async throws -> Publication {
        try await Publication.open(path: ProviderPath(path), of: provider, options: options)
    }

    /// Packs, opens, and asks for nothing else.
    func open(_ path: String, _ entries: [(String, String)]) async throws -> Publication {
        try await pack(path, entries: entries)
        return try await open(path)
    }

    /// The error that opening ends with.
    func failure(_ path: String, _ entries: [(String, String)]) async throws -> CocoaError? {
        do {
            _ = try await open(path, entries)
            return nil
        } catch {
            return error as? CocoaError
        }
    }
}

/// A lock that structs can copy.
final class MutexValue<Value: Sendable>: Sendable {
    let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
}

extension Publication {
    /// The whole resource at `href` as text.
    func text(_ href: String) async throws -> String { try await get(href).readAsString() }

    /// The kinds of trouble, in order.
    var tags: [String] { warnings.map(\.tag) }
}

/// A Readium manifest with the members given.
func manifestJSON(_ members: [String: JSONValue], metadata: [String: JSONValue] = ["title": "A Book"]) -> String {
    JSONValue.object(members.merging(["metadata": .object(metadata)]) { $1 }).jsonString
}
