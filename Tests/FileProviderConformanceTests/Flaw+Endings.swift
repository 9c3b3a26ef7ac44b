import FileProviderConformance
import FileProviderCore
import Foundation

extension Flaw {
    private static func endings(_ words: String) -> [String] { Behaviour.names(.cancellation, with: words) }

    /// Operations with a handler that do not end as they say.
    static let endings: [Flaw] = [
        Flaw(
            "says that it is done",
            found: endings("ends once, done").filter { !$0.contains("random") } + endings("released")
                + Behaviour.names(.delegates).filter { !$0.contains("forbidden") }
        ) { hooks in
            hooks.list = { _, path in [FileObject(path: try path.appending("other"), type: .regular)] }
            hooks.attributes = { _, path in FileObject(path: path, type: .regular, size: 1) }
            hooks.stream = { base, _, sink in try await base.stream(.range(0..<1), into: sink) }
            hooks.createFolder = { if $1.name != "folder" { try await $0.createFolder(path: $1) } }
            hooks.move = { _, _, _, _ in }
            hooks.copy = { _, _, _, _ in }
            hooks.remove = { if $1.name != "file" { try await $0.removeItem(path: $1, recursive: $2) } }
            hooks.write = { base, path, source, options in
                if source is DataSource {
                    return try await base.writeContents(path: path, from: source, options: options)
                }
                return FileObject(path: path, type: .regular, size: source.length)
            }
        },
        Flaw("never says that nothing is there", found: endings("where nothing is")) { hooks in
            hooks.list = { base, path in try await found { try await base.contentsOfDirectory(path: path) } ?? [] }
            hooks.attributes = { base, path in
                try await found { try await base.attributesOfItem(path: path) }
                    ?? FileObject(path: path, type: .regular, size: 0)
            }
            hooks.open = { base, path in try await found { try await base.open(path: path) } ?? emptyReader(path) }
            hooks.createFolder = { base, path in _ = try await found { try await base.createFolder(path: path) } }
            hooks.move = { base, path, destination, _ in
                _ = try await found { try await base.moveItem(path: path, to: destination) }
            }
            hooks.copy = { base, path, destination, _ in
                _ = try await found { try await base.copyItem(path: path, to: destination) }
            }
            hooks.remove = { base, path, _ in _ = try await found { try await base.removeItem(path: path) } }
            hooks.write = { base, path, source, options in
                try await found { try await base.writeContents(path: path, from: source, options: options) }
                    ?? FileObject(path: path, type: .regular, size: source.length)
            }
        },
        Flaw("fails in another way when it is cancelled", found: endings("random")) { hooks in
            beforeEach(&hooks) { path in
                do { try await dawdle(path) } catch { throw URLError(.networkConnectionLost) }
            }
        },
        Flaw(
            "is half done when it is cancelled",
            found: endings("random").filter { $0.hasPrefix("Moving") || $0.hasPrefix("Copying") }
        ) {
            hooks in
            hooks.move = { base, path, destination, overwrite in
                try await base.copyItem(path: path, to: destination, overwrite: overwrite)
                try await dawdle(path)
                try await base.removeItem(path: path)
            }
            hooks.copy = { base, path, destination, overwrite in
                try await base.writeContents(path: destination, contents: Data([1]), overwrite: overwrite)
                try await dawdle(path)
                try await base.copyItem(path: path, to: destination, overwrite: true)
            }
        },
        Flaw(
            "drops what it does when it is released",
            found: ["Writing", "Sending"].map {
                "\($0) with a handler goes on when its provider is released, and ends once"
            }
        ) { hooks in
            let isReleased = CancellationFlag()
            hooks.released = { isReleased.cancel() }
            hooks.write = { base, path, source, options in
                if source is DataSource {
                    return try await base.writeContents(path: path, from: source, options: options)
                }
                let data = try await source.gathered()
                Task {
                    for _ in 0..<200 where !isReleased.isCancelled { try await Task.sleep(for: .milliseconds(5)) }
                    if !isReleased.isCancelled { try await base.writeContents(path: path, contents: data) }
                }
                return FileObject(path: path, type: .regular, size: source.length)
            }
        },
    ]

    /// Short in the round that measures, and in the others until the cancellation that comes by that measure.
    private static func dawdle(_ path: ProviderPath) async throws {
        try await Task.sleep(for: .milliseconds(path.string.contains("/round 0/") ? 60 : 500))
    }

    /// What `body` gives; nil when nothing is there.
    private static func found<Value>(_ body: () async throws -> Value) async throws -> Value? {
        do { return try await body() } catch let error where error.isNoSuchFile { return nil }
    }

    private static func emptyReader(_ path: ProviderPath) -> any FileReader {
        RangedFileReader(path: path, cost: .local) { _, _, _ in
            (FileExtent(offset: 0, count: 0, size: 0), FileReaderAttributes(size: 0))
        }
    }

    /// Puts `step` in front of each operation that a trial tries, and not in front of what prepares the trial.
    private static func beforeEach(
        _ hooks: inout Hooks, _ step: @escaping @Sendable (ProviderPath) async throws -> Void
    ) {
        hooks.list = { base, path in
            try await step(path)
            return try await base.contentsOfDirectory(path: path)
        }
        hooks.attributes = { base, path in
            try await step(path)
            return try await base.attributesOfItem(path: path)
        }
        hooks.stream = { base, part, sink in
            try await step(base.path)
            return try await base.stream(part, into: sink)
        }
        hooks.createFolder = { base, path in
            if path.name == "folder" { try await step(path) }
            try await base.createFolder(path: path)
        }
        hooks.move = { base, path, destination, overwrite in
            try await step(path)
            try await base.moveItem(path: path, to: destination, overwrite: overwrite)
        }
        hooks.copy = { base, path, destination, overwrite in
            try await step(path)
            try await base.copyItem(path: path, to: destination, overwrite: overwrite)
        }
        hooks.remove = { base, path, recursive in
            if path.name == "file" { try await step(path) }
            try await base.removeItem(path: path, recursive: recursive)
        }
        hooks.write = { base, path, source, options in
            if !(source is DataSource) { try await step(path) }
            return try await base.writeContents(path: path, from: source, options: options)
        }
    }
}
