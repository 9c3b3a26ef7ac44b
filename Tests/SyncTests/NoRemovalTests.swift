import FileProviderCore
import Foundation
import GRDB
import LocalFileProvider
import MemoryFileProvider
import ProviderDoubles
import Testing

@testable import Sync

/// What looks like a removal, or like the same version, and is none.
@Suite struct NoRemovalTests {
    private let left = SyncBed.memory("one")
    private let right = SyncBed.memory("two")

    /// Two folders of this machine and one beside them.
    private func withDisk(_ body: (_ bed: SyncBed, _ top: URL) async throws -> Void) async throws {
        let top = try TemporaryFolder()
        for name in ["one", "two", "elsewhere"] {
            try FileManager.default.createDirectory(
                at: top.url.appending(path: name), withIntermediateDirectories: true)
        }
        let bed = try SyncBed(
            .twoWay, source: LocalFileProvider(root: top.url.appending(path: "one")),
            destination: LocalFileProvider(root: top.url.appending(path: "two")))
        try await body(bed, top.url)
    }

    private func link(_ top: URL, _ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: top.appending(path: name).path, withDestinationPath: target)
    }

    @Test func `nothing is written through a link, and nothing removed for it`() async throws {
        try await withDisk { bed, top in
            try link(top, "two/d", to: "../elsewhere")
            try await bed.source.put("/d/x", "the only copy")
            try await bed.source.put("/y", "another")
            for _ in 1...2 {
                let report = try await bed.run()
                #expect(
                    report.isComplete && report.skipped.contains { $0.path.string == "/d" && $0.isLeftOut }, "\(report)"
                )
                #expect(try await bed.source.tree() == ["/d/", "/d/x the only copy", "/y another"])
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: top.appending(path: "elsewhere").path) == [])
            }
        }
    }

    @Test func `a folder that becomes a link takes nothing from the other side`() async throws {
        try await withDisk { bed, top in
            for name in ["d/x", "d/e/y", "z"] { try await bed.source.put("/" + name, name) }
            try await bed.run()
            try FileManager.default.moveItem(at: top.appending(path: "two/d"), to: top.appending(path: "elsewhere/d"))
            try link(top, "two/d", to: "../elsewhere/d")
            for options in [SyncOptions(direction: .twoWay), SyncOptions(direction: .mirror)] {
                bed.options.update { $0 = options }
                bed.options.update { $0.deletes = true }
                try await bed.run()
                #expect(try await bed.source.tree() == ["/d/", "/d/e/", "/d/e/y d/e/y", "/d/x d/x", "/z z"])
                #expect(FileManager.default.fileExists(atPath: top.appending(path: "elsewhere/d/e/y").path))
            }
        }
    }

    @Test func `one folder in the other is found over a link`() async throws {
        try await withDisk { bed, top in
            try FileManager.default.createDirectory(
                at: top.appending(path: "one/backup"), withIntermediateDirectories: true)
            try link(top, "mount", to: "one/backup")
            let source = SyncFolder(ProviderLocation(provider: bed.source, path: .root), label: "")
            let inside = SyncFolder(
                ProviderLocation(
                    provider: try LocalFileProvider(root: top.appending(path: "mount")), path: try ProviderPath("new")),
                label: "")
            await #expect { _ = try await FolderSync(source, inside, state: bed.state) } throws: { error in
                error.sentence.contains("neither may be, or be inside, the other")
            }
        }
    }

    @Test func `a state that lies in one of the folders takes no part`() async throws {
        try await withDisk { bed, top in
            try FileManager.default.createDirectory(
                at: top.appending(path: "one/.local"), withIntermediateDirectories: true)
            try link(top, "home", to: "one")
            let source = SyncFolder(ProviderLocation(provider: bed.source, path: .root), label: "")
            let right = SyncFolder(ProviderLocation(provider: bed.destination, path: .root), label: "")
            try await bed.source.put("/a", "a")
            let state = top.appending(path: "home/.local/state.db")
            var options = SyncOptions(direction: .twoWay)
            options.removalLimit = .share(1)
            for number in 1...2 {
                let sync = try await FolderSync(source, right, state: state, options: options)
                #expect(try await sync.run().created == (number == 1 ? 1 : 0))
                try await sync.close()
            }
            // The states of other pairs that lie beside it are this machine's own, too.
            #expect(try await bed.destination.tree() == ["/a a"])
            #expect(FileManager.default.fileExists(atPath: state.path))
            // What happens to it is no reason for a run.
            options.leftOut = [try ProviderPath(".local")]
            func concerns(_ path: String) throws -> Bool {
                try options.concerns(FileEvent(.modified, path: ProviderPath(path), type: .regular), in: source)
            }
            #expect(try !concerns(".local/state.db-wal") && concerns(".locale"))
        }
    }

    @Test func `a state that lies right in one of the folders takes no part`() async throws {
        try await withDisk { bed, top in
            let source = SyncFolder(ProviderLocation(provider: bed.source, path: .root), label: "")
            let right = SyncFolder(ProviderLocation(provider: bed.destination, path: .root), label: "")
            try await bed.source.put("/a", "a")
            try await bed.source.put("/s.dbx", "x")
            let sync = try await FolderSync(
                source, right, state: top.appending(path: "one/s.db"), options: SyncOptions(direction: .twoWay))
            #expect(try await sync.run().created == 2)
            try await sync.close()
            #expect(try await bed.destination.tree() == ["/a a", "/s.dbx x"])
        }
    }

    @Test func `a folder that can never be listed does not make every run the first`() async throws {
        let source = ControlledProvider("source")
        source.beforePath.update {
            $0 = { call, path in
                if call == "list", path.name == "d" { throw FileError.make(.fileReadNoPermission, path: path) }
            }
        }
        let bed = try SyncBed(.twoWay, source: source, destination: right)
        for name in ["d/hidden", "a", "b", "c"] { try await source.memory.put("/" + name, name) }
        #expect(try await bed.run().failures == 1)
        try await source.memory.remove("/a")
        let report = try await bed.run()
        #expect(report.removed == 1 && report.created == 0, "\(report)")
        #expect(try await right.texts() == ["b", "c"])
    }

    @Test(arguments: [SyncOptions.Direction.twoWay, .mirror])
    func `another disk in the place of a side stops the run, whatever changed elsewhere`(
        direction: SyncOptions.Direction
    ) async throws {
        let bed = try SyncBed(direction, source: left, destination: right)
        bed.options.update { $0.deletes = direction == .mirror }
        for number in 1...4 { try await left.put("/\(number)", "text \(number)") }
        try await bed.run()
        for number in 1...4 { try await left.remove("/\(number)") }
        try await left.createFolder(path: ProviderPath("lost+found"))
        try await right.put("/2", "edited")
        await #expect { try await bed.run() } throws: { $0.removalStop == .emptySide(.source, held: 4) }
        #expect(try await right.texts() == ["text 1", "edited", "text 3", "text 4"])
    }

    @Test func `a side where everything went to another folder has not lost it`() async throws {
        let bed = try SyncBed(.twoWay, source: left, destination: right)
        for number in 1...8 { try await left.put("/old/\(number)", "text \(number)") }
        try await bed.run()
        try await left.move("/old", "/new")
        try await right.put("/old/1", "edited")
        let report = try await bed.run()
        #expect(report.moved == 7 && report.removed == 0, "\(report)")
        #expect(try await bed.run().isComplete)
        #expect(try await left.tree() == right.tree())
        #expect(try await left.texts().count == 9)
    }

    @Test func `what a mirror kept is not removed when the pair becomes two-way`() async throws {
        let bed = try SyncBed(.mirror, source: left, destination: right)
        try await left.put("/a", "a")
        try await left.put("/f/b", "b")
        try await left.put("/c", "c")
        try await bed.run()
        try await left.remove("/a")
        try await left.remove("/f")
        try await bed.run()
        bed.options.update { $0.direction = .twoWay }
        let report = try await bed.run()
        #expect(report.removed == 0, "\(report)")
        #expect(try await left.tree() == ["/a a", "/c c", "/f/", "/f/b b"])
        #expect(try await right.tree() == ["/a a", "/c c", "/f/", "/f/b b"])
    }

    @Test func `what a mirror kept is not removed for a folder that has its name by then`() async throws {
        let bed = try SyncBed(.mirror, source: left, destination: right)
        for name in ["a", "b"] { try await left.put("/" + name, "only \(name)") }
        try await bed.run()
        try await left.remove("/a")
        try await bed.run()
        try await left.put("/a/x", "in a folder")
        bed.options.update { $0.direction = .twoWay }
        #expect(try await bed.run().isComplete)
        #expect(try await left.texts() == ["only a", "only b", "in a folder"])
        #expect(try await left.tree() == right.tree())
    }

    @Test func `the state of another user is refused`() async throws {
        let bed = try SyncBed(.twoWay, source: left, destination: right)
        bed.user.update { $0 = "alice" }
        try await left.put("/a", "a")
        try await bed.run()
        bed.user.update { $0 = "bob" }
        await #expect { try await bed.run() } throws: { $0.sentence.contains("two other folders") }
    }

    @Test func `what was removed before a run was cancelled is noted`() async throws {
        let bed = try SyncBed(.twoWay, source: left, destination: right)
        for number in 0..<40 { try await left.put("/\(number)", "\(number)") }
        try await left.put("/stays", "stays")
        try await bed.run()
        for number in 0..<15 { try await left.remove("/\(number)") }
        let removals = LockedValue(0)
        await #expect(throws: CancellationError.self) {
            try await bed.withSync { sync in
                try await sync.run { event in
                    guard case .began(let action, _) = event, action.kind == .remove else { return }
                    let number = removals.update { number in
                        number += 1
                        return number
                    }
                    // One step of the eight in flight is cancelled, and ends the run. It begins when another one is
                    // done.
                    if number == 9 { withUnsafeCurrentTask { $0?.cancel() } }
                }
            }
        }
        // What is gone on both sides is known to be: put back on one, it is new, and comes back on the other.
        let kept = Set(try await right.tree().map { $0.prefix { $0 != " " }.dropFirst() })
        let gone = (0..<15).map(String.init).filter { !kept.contains($0[...]) }
        for name in gone { try await left.put("/" + name, name) }
        let known = try await DatabaseQueue(path: bed.state.path).read {
            try Data.fetchAll($0, sql: "SELECT key FROM item")
        }
        let stillKnown = Set(known.map { String(decoding: $0, as: UTF8.self) }).intersection(gone)
        #expect(stillKnown.isEmpty && !gone.isEmpty, "\(stillKnown) of \(gone)")
        try await bed.run()
        #expect(Set(try await right.tree()).isSuperset(of: gone.map { "/\($0) \($0)" }))
    }

    @Test func `the limit of removals holds for all that a run removes, however often it looks`() async throws {
        try await withDisk { bed, top in
            bed.options.update { ($0.direction, $0.removalLimit) = (.twoWay, .count(3)) }
            let names = ["a", "b", "c", "d", "e", "both"]
            for name in names { try Data(name.utf8).write(to: top.appending(path: "one/\(name)")) }
            try await bed.run()
            for name in ["a", "b", "c"] { try FileManager.default.removeItem(at: top.appending(path: "one/\(name)")) }
            // A conflict, after which the run looks again.
            for side in ["one", "two"] {
                try Data("\(side)'s version".utf8).write(to: top.appending(path: "\(side)/both"))
            }
            await #expect {
                try await bed.withSync { sync in
                    try await sync.run { event in
                        guard case .done(let action) = event, action.kind == .conflict else { return }
                        for name in ["d", "e"] {
                            try? FileManager.default.removeItem(at: top.appending(path: "one/\(name)"))
                        }
                    }
                }
            } throws: {
                $0.removalStop == .overLimit(5, of: 6)
            }
            let left = Set(try FileManager.default.contentsOfDirectory(atPath: top.appending(path: "two").path))
            #expect(left.isSuperset(of: ["d", "e"]) && left.isDisjoint(with: ["a", "b", "c"]))
        }
    }

    @Test func `what a mirror left behind a link comes back when the link is gone`() async throws {
        try await withDisk { bed, top in
            let disk = FileManager.default
            for name in ["p/x", "y"] { try await bed.source.put("/" + name, name) }
            bed.options.update { $0.direction = .mirror }
            try await bed.run()
            try await bed.source.removeItem(path: ProviderPath("p"), recursive: true)
            try await bed.run()
            bed.options.update { $0.direction = .twoWay }
            try disk.moveItem(at: top.appending(path: "two/p"), to: top.appending(path: "aside"))
            try link(top, "two/p", to: "../aside")
            #expect(try await bed.run().leftOut == 1)
            try disk.removeItem(at: top.appending(path: "two/p"))
            try disk.moveItem(at: top.appending(path: "aside"), to: top.appending(path: "two/p"))
            let report = try await bed.run()
            #expect(report.removed == 0 && report.isComplete, "\(report)")
            #expect(try await bed.source.tree() == ["/p/", "/p/x p/x", "/y y"])
            #expect(try await bed.destination.tree() == bed.source.tree())
        }
    }

    @Test func `a new file with size, time and number of one that is gone is sent`() async throws {
        try await withDisk { bed, top in
            func unpack(_ name: String, _ text: String) throws -> Int {
                let file = top.appending(path: "one/\(name)")
                try Data(text.utf8).write(to: file)
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1e9)], ofItemAtPath: file.path)
                return try #require(FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int)
            }
            _ = try unpack("stays", "another file")
            for round in 0..<20 {
                let before = try unpack("\(round) v1", "content 1 of \(round)")
                try await bed.run()
                try FileManager.default.removeItem(at: top.appending(path: "one/\(round) v1"))
                let after = try unpack("\(round) v2", "content 2 of \(round)")
                try await bed.run()
                #expect(try await bed.destination.texts().contains("content 2 of \(round)"))
                // The disk has given the number again.
                if before == after { break }
            }
        }
    }

    @Test func `what a mirror kept and could not be brought back at once is not removed later`() async throws {
        let source = ControlledProvider("one")
        let bed = try SyncBed(.mirror, source: source, destination: right)
        for name in ["a", "b"] { try await source.memory.put("/" + name, name) }
        try await bed.run()
        try await source.memory.remove("/a")
        try await bed.run()
        bed.options.update { $0.direction = .twoWay }
        source.before.update {
            $0 = { call in
                if call == "write" { throw FileError.make(.fileWriteNoPermission, path: "/a", sentence: "Not now.") }
            }
        }
        #expect(try await bed.run().failures == 1)
        source.before.update { $0 = { _ in } }
        #expect(try await bed.run().removed == 0)
        #expect(try await source.memory.tree() == ["/a a", "/b b"])
        #expect(try await right.tree() == ["/a a", "/b b"])
        // What is removed from now on is removed.
        try await source.memory.remove("/a")
        #expect(try await bed.run().removed == 1)
    }

    @Test func `a mirror that removes nothing keeps a file whose name a folder takes`() async throws {
        let bed = try SyncBed(.mirror, source: left, destination: right)
        for name in ["f", "g"] { try await left.put("/" + name, "only \(name)") }
        try await bed.run()
        try await left.remove("/f")
        try await bed.run()
        try await left.put("/f/x", "in a folder")
        try await left.remove("/g")
        try await left.put("/g/x", "in another")
        try await bed.run()
        #expect(try await right.tree() == ["/f/", "/f/x in a folder", "/g/", "/g/x in another"])
        #expect(try await right.texts().isSuperset(of: ["only f", "only g"]))
    }

    @Test func `names that a server turns out to hide are not taken for removed`() async throws {
        let server = HidingStorage(right)
        let bed = try SyncBed(.twoWay, source: left, destination: server)
        for name in [".profile", "d/.hidden", "shown"] { try await left.put("/" + name, name) }
        for _ in 1...2 {
            // Another process, which knows nothing of the server yet.
            server.hasListed.update { $0 = false }
            let report = try await bed.run()
            #expect(report.removed == 0 && report.skipped.count == 2, "\(report)")
        }
        #expect(try await left.tree() == ["/.profile .profile", "/d/", "/d/.hidden d/.hidden", "/shown shown"])
        #expect(try await right.tree() == ["/d/", "/shown shown"])
    }

    @Test func `a folder that goes stays with names that the other side hides`() async throws {
        let bed = try SyncBed(.twoWay, source: left, destination: HidingStorage(right))
        for name in ["d/.git/x", "d/.store", "d/a", "e/b", "f"] { try await left.put("/" + name, name) }
        try await bed.run()
        for name in ["d", "e"] { try await right.removeItem(path: ProviderPath(name), recursive: true) }
        for _ in 1...2 {
            let report = try await bed.run()
            #expect(
                report.isComplete && report.skipped.contains { $0.path.string == "/d" && $0.isLeftOut }, "\(report)")
            #expect(try await left.tree() == ["/d/", "/d/.git/", "/d/.git/x d/.git/x", "/d/.store d/.store", "/f f"])
        }
    }
}

/// A storage whose listings hide names that begin with a dot, and which says so only once it has listed.
private final class HidingStorage: ForwardingProvider {
    static let type = "Hiding"
    let underlying: any FileProvider
    let hasListed = LockedValue(false)

    init(_ underlying: any FileProvider) {
        self.underlying = underlying
    }

    func capabilities() async throws -> Capabilities {
        var capabilities = try await underlying.capabilities()
        capabilities.listsEveryName = !hasListed.value
        return capabilities
    }

    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        hasListed.update { $0 = true }
        try await underlying.contentsOfDirectory(path: path) {
            try await page($0.filter { !$0.name.hasPrefix(".") })
        }
    }
}
