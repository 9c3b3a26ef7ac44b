import FileProviderConformance
import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Testing

@Suite struct ConformanceTests {
    @Test func `a sound provider has no violation, and nothing is left in it`() async throws {
        let provider = MemoryFileProvider()
        let report = await Conformance(provider: provider, folder: .root, connect: { provider }).run()
        #expect(report.violations == [])
        #expect(report.isConforming)
        #expect(report.refused == [])
        #expect(report.passed.count > 400)
        #expect(try await provider.contentsOfDirectory(path: .root).isEmpty)
    }

    @Test func `what is in the folder before is there afterwards, and nothing else`() async throws {
        let provider = MemoryFileProvider()
        let folder = try ProviderPath("/shelf")
        try await provider.createFolder(path: folder)
        try await provider.writeContents(path: try folder.appending("book"), contents: Data([1, 2, 3]))
        let report = await Conformance(provider: provider, folder: folder) { $0.contains("copy") }.run()
        #expect(report.isConforming)
        #expect(try await provider.contentsOfDirectory(path: folder).map(\.name) == ["book"])
        #expect(try await provider.contentsOfDirectory(path: .root).map(\.name) == ["shelf"])
    }

    @Test func `the wrapper that flaws are built on is sound`() async {
        let report = await Conformance(provider: BrokenProvider(MemoryFileProvider()), folder: .root).run()
        #expect(report.violations == [])
    }

    @Test(arguments: Flaw.all) func `the kit finds a provider that`(flaw: Flaw) async {
        let (base, hooks) = (MemoryFileProvider(), flaw.hooks())
        let report = await Conformance(
            provider: BrokenProvider(base, hooks: hooks), folder: .root, timeout: .seconds(1),
            isIncluded: { flaw.behaviours.contains($0) || $0 == "A new folder is there and empty" },
            connect: { BrokenProvider(base, hooks: hooks) }
        ).run()
        #expect(!flaw.behaviours.isEmpty)
        #expect(Set(flaw.behaviours).subtracting(report.violations.map(\.behaviour)) == [], "\(report)")
        #expect(!report.isConforming)
        #expect(report.violations.allSatisfy { $0.sentence.hasSuffix(".") || $0.sentence.contains(":") })
    }

    @Test func `for each family of behaviours there is a provider that all of them find`() {
        let found = Set(Flaw.all.flatMap(\.behaviours))
        for group in [Behaviour.Group.sizes, .cancellation] {
            #expect(Set(Behaviour.names(group)).subtracting(found) == [])
        }
        #expect(HostileName.all.allSatisfy { found.contains($0.fileBehaviour) && found.contains($0.folderBehaviour) })
    }

    @Test func `tags that tell of whole trees are believed`() async {
        var hooks = Hooks()
        hooks.capabilities = { base in
            var capabilities = try await base.capabilities()
            capabilities[.treeTags] = .native
            return capabilities
        }
        hooks.attributes = { base, path in
            var item = try await base.attributesOfItem(path: path)
            guard item.isDirectory else { return item }
            let tags = CollectedValues<String>()
            try await base.walk(path: path) { tags.append("\($0.path) \($0.entryTag ?? "")") }
            item.entryTag = tags.values.sorted().joined(separator: ",")
            return item
        }
        let name = "A folder's tag tells of a write two folders down"
        let report = await Conformance(
            provider: BrokenProvider(MemoryFileProvider(), hooks: hooks), folder: .root, isIncluded: { $0 == name }
        ).run()
        #expect(report.outcome(of: name) == .passed)
    }

    @Test func `a provider that writes without proof is sound`() async {
        var hooks = Hooks()
        hooks.write = { base, path, source, options in
            var written = try await base.writeContents(path: path, from: source, options: options)
            written.size = nil
            return written
        }
        let report = await Conformance(provider: BrokenProvider(MemoryFileProvider(), hooks: hooks), folder: .root) {
            Behaviour.names(.writing).contains($0) || Behaviour.names(.completion).contains($0)
        }.run()
        #expect(report.violations == [])
        #expect(
            report.outcome(of: "A write without a size in its result has arrived, or cannot be looked at") == .passed)
    }

    @Test func `a listing that reports what it leaves out is sound`() async {
        var hooks = Hooks()
        hooks.list = { base, path in try await base.contentsOfDirectory(path: path).filter { !$0.name.contains("\\") } }
        hooks.listed = { base, path in
            var names = UnusableNames()
            for item in try await base.contentsOfDirectory(path: path) where item.name.contains("\\") {
                names.add(item.name)
            }
            if !names.isEmpty { throw FileError.unusableNames(names, in: path) }
        }
        let kept = [
            "What a listing leaves out is reported at its end", "A walk gives every item, or says what was left out",
        ]
        let report = await Conformance(
            provider: BrokenProvider(MemoryFileProvider(), hooks: hooks), folder: .root,
            isIncluded: { kept.contains($0) }
        ).run()
        #expect(report.violations == [])
        #expect(kept.allSatisfy { report.outcome(of: $0) == .passed })
    }

    @Test func `a storage whose writes make folders is sound`() async {
        var hooks = Hooks()
        hooks.capabilities = { base in
            var capabilities = try await base.capabilities()
            capabilities.makesParentFolders = true
            return capabilities
        }
        hooks.write = { base, path, source, options in
            try await base.createFolderWithParents(path: path.parent ?? .root)
            return try await base.writeContents(path: path, from: source, options: options)
        }
        hooks.createFolder = { base, path in
            try await base.createFolderWithParents(path: path.parent ?? .root)
            try await base.createFolder(path: path)
        }
        hooks.move = { base, path, target, overwrite in
            _ = try await base.attributesOfItem(path: path)
            try await base.createFolderWithParents(path: target.parent ?? .root)
            try await base.moveItem(path: path, to: target, overwrite: overwrite)
        }
        hooks.copy = { base, path, target, overwrite in
            _ = try await base.attributesOfItem(path: path)
            try await base.createFolderWithParents(path: target.parent ?? .root)
            try await base.copyItem(path: path, to: target, overwrite: overwrite)
        }
        let report = await Conformance(provider: BrokenProvider(MemoryFileProvider(), hooks: hooks), folder: .root) {
            $0.contains("parent") || $0.contains("below a file") || $0.contains("where nothing is")
        }.run()
        #expect(report.violations == [])
        #expect(report.outcome(of: "A write without its parent makes the path") == .passed)
    }

    @Test func `a storage that cannot move is sound, and what needs moves is skipped by name`() async {
        let provider = UnmovingStorage(MemoryFileProvider())
        let report = await Conformance(provider: provider, folder: .root, connect: { provider }).run()
        #expect(report.violations == [])
        #expect(report.outcome(of: "A copied folder has all it held, and the source stays") == .passed)
        #expect(report.outcome(of: "Where moving is unavailable, it fails and changes nothing") == .passed)
        let skipped = report.skipped.filter { $0.behaviour == "A folder moves with all it holds" }
        #expect(skipped.map(\.sentence) == ["needs moving"])
        #expect(report.skipped.contains { $0.sentence == "needs atomicFolderCopying" })
    }

    @Test func `a violation does not end the run`() async throws {
        let flaw = try #require(Flaw.all.first { $0.name == "lies about the size" })
        let report = await Conformance(
            provider: BrokenProvider(MemoryFileProvider(), hooks: flaw.hooks()), folder: .root
        ).run()
        #expect(report.violations.count > 5)
        #expect(report.passed.count > 200)
        #expect(report.passed.count + report.violations.count + report.skipped.count >= Behaviour.all.count)
    }

    @Test func `a missing ability is skipped and named, not violated`() async {
        let provider = BrokenProvider(MemoryFileProvider(), hooks: .readOnly)
        let report = await Conformance(provider: provider, folder: .root).run()
        #expect(report.violations == [])
        #expect(report.skipped.count > 200)
        #expect(report.skipped.contains { $0.sentence == "needs writing" })
        #expect(report.outcome(of: "Where writing is unavailable, it fails and changes nothing") == .passed)
    }

    @Test func `names of behaviours are unique sentences, and there are enough`() {
        #expect(Behaviour.all.count >= 400)
        #expect(HostileName.all.count >= 19)
        #expect(Set(Behaviour.all.map(\.name)).count == Behaviour.all.count)
        #expect(Set(Behaviour.all.map(\.group)) == Set(Behaviour.Group.allCases).subtracting([.run]))
    }

    @Test func `a cancelled run skips the rest and cleans up`() async throws {
        let provider = MemoryFileProvider()
        let run = Task { await Conformance(provider: provider, folder: .root).run() }
        try await eventually { try await !provider.contentsOfDirectory(path: .root).isEmpty }
        run.cancel()
        let report = await run.value
        #expect(report.skipped.contains { $0.sentence == "the run was cancelled" })
        #expect(try await provider.contentsOfDirectory(path: .root).isEmpty)
    }
}

extension Hooks {
    /// Can look and read, and nothing else.
    fileprivate static var readOnly: Hooks {
        var hooks = Hooks()
        hooks.capabilities = { _ in
            Capabilities([.rangedReading: .native, .suffixReading: .derived], readCost: .request)
        }
        hooks.createFolder = { throw FileError.unsupported("make folders", by: "Broken", path: $1) }
        hooks.move = { _, path, _, _ in throw FileError.unsupported("move", by: "Broken", path: path) }
        hooks.remove = { _, path, _ in throw FileError.unsupported("remove", by: "Broken", path: path) }
        hooks.write = { _, path, _, _ in throw FileError.unsupported("write", by: "Broken", path: path) }
        hooks.storage = { _ in nil }
        return hooks
    }
}
