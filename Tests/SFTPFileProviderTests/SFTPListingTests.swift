import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

import SFTPFileProvider

/// Looking at items and folders.
@Suite struct SFTPListingTests {
    @Test func `Awkward names are listed, looked at and read as they are`() async throws {
        let names: [[UInt8]] = [
            Array(" leading".utf8), Array("trailing ".utf8), Array("a\nb".utf8), Array("a\\b".utf8),
            Array("*?[x]'\"$`".utf8),
            Array("caf\u{E9}".utf8), Array("cafe\u{301}".utf8), [0xFF, 0xFE], Array("-rf".utf8), Array("...".utf8),
            Array("~".utf8),
            Array(repeating: 0x61, count: 255),
        ]
        try await withSFTPProvider(files: [:]) { double, provider in
            for (index, name) in names.enumerated() {
                double.put(Data([UInt8(index)]), atBytes: Array("/f/".utf8) + name)
            }
            let items = try await provider.contentsOfDirectory(path: ProviderPath("f"))
            #expect(Set(items.map { Array($0.path.nameBytes) }) == Set(names))
            for (index, name) in names.enumerated() {
                let path = try ProviderPath("f").appending(nameBytes: name)
                try await #expect(provider.attributesOfItem(path: path).size == 1)
                try await #expect(provider.contents(path: path) == Data([UInt8(index)]))
            }
        }
    }

    @Test(arguments: [true, false]) func `The folder itself and the one above are left out`(listsDots: Bool)
        async throws
    {
        var settings = SFTPDouble.Settings()
        settings.listsDots = listsDots
        settings.entriesPerReply = 1
        try await withSFTPProvider(settings) { _, provider in
            try await #expect(
                provider.contentsOfDirectory(path: .root).map(\.name).sorted() == ["book", "old", "shelf"])
            try await #expect(provider.contentsOfDirectory(path: ProviderPath("shelf")).map(\.name) == ["one"])
        }
    }

    @Test func `Names that no path can hold, and those that come twice, are left out and counted at the end`()
        async throws
    {
        let names = ["..", "a/b", "good", "../old", "", "a\u{0}b", ".", "good", "fine"].map { Array($0.utf8) }
        let settings = SFTPDouble.Settings { $0.kind == .readdir && $0.occurrence == 1 ? [.names(names)] : [] }
        try await withSFTPProvider(settings, options: { $0.cache = CachePolicy(lifetime: 60) }) { double, provider in
            let listed = LockedValue([String]())
            let error = try await SFTPFaults.mustFail {
                try await provider.contentsOfDirectory(path: .root) { page in listed.update { $0 += page.map(\.name) } }
            }
            #expect(listed.value.starts(with: ["good", "fine"]) && error.unusableNames?.count == 5, "\(error)")
            #expect(error.unusableNames?.first == "a/b" && error.sentence.contains("a/b"), "\(error.sentence)")
            // A listing that is not whole is not remembered as one.
            double.setAnswer { $0.kind == .readdir && $0.occurrence.isMultiple(of: 2) ? [.names(names)] : [] }
            double.resetCounts()
            _ = try await provider.contentsOfDirectory(path: .root)
            #expect(double.counts.requests[.opendir] == 1)
        }
    }

    @Test func `A folder of which names were left out is not removed, and not taken for empty`() async throws {
        // The first answer of each listing.
        let begun = LockedValue<Set<[UInt8]>>([])
        let settings = SFTPDouble.Settings { request in
            request.kind == .readdir && begun.update { $0.insert(request.handle).inserted }
                ? [.names([Array("a/b".utf8)])] : []
        }
        try await withSFTPProvider(settings) { double, provider in
            let error = try await SFTPFaults.mustFail {
                try await provider.removeItem(path: ProviderPath("shelf"), recursive: true)
            }
            #expect(error.unusableNames?.count == 1 && double.exists("/shelf"), "\(error)")
            let full = try await SFTPFaults.mustFail {
                try await provider.removeItem(path: ProviderPath("shelf"), recursive: false)
            }
            #expect(full.posixCode == .ENOTEMPTY && double.exists("/shelf"), "\(full)")
        }
    }

    @Test func `A large folder comes whole, in few round trips`() async throws {
        var settings = SFTPDouble.Settings()
        settings.latency = 0.02
        try await withSFTPProvider(settings) { double, provider in
            double.putEntries(10_000, in: "/many")
            try await provider.checkReachability()
            double.resetCounts()
            let items = try await provider.contentsOfDirectory(path: ProviderPath("many"))
            #expect(items.count == 10_000 && Set(items.map(\.name)).count == 10_000)
            #expect(double.counts.roundTrips <= 20, "\(double.counts.roundTrips)")
        }
    }

    @Test func `Types, sizes, times, permissions and owners are told`() async throws {
        try await withSFTPProvider(files: [:]) { double, provider in
            double.put(Data("12345".utf8), at: "/file", mode: 0o640, modified: 1_700_000_000)
            double.putFolder("/folder", mode: 0o750)
            double.putLink(to: "file", at: "/link")
            for items in try await [
                provider.contentsOfDirectory(path: .root),
                [
                    provider.attributesOfItem(path: ProviderPath("file")),
                    provider.attributesOfItem(path: ProviderPath("folder")),
                    provider.attributesOfItem(path: ProviderPath("link")),
                ],
            ] {
                let found = Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0) })
                #expect(
                    found["file"]?.type == .regular && found["file"]?.size == 5 && found["file"]?.permissions == 0o640)
                #expect(found["file"]?.modifiedDate == Date(timeIntervalSince1970: 1_700_000_000))
                #expect(found["file"]?[.sftpOwner] == 1_000 && found["file"]?[.sftpGroup] == 1_000)
                #expect(
                    found["folder"]?.type == .directory && found["folder"]?.size == nil
                        && found["folder"]?.permissions == 0o750)
                #expect(found["link"]?.type == .symbolicLink)
            }
        }
    }

    @Test(arguments: [0, 1, 3, 9] as [UInt32]) func `A server that tells no permissions has types in its lines`(
        told: UInt32
    ) async throws {
        var settings = SFTPDouble.Settings()
        settings.attributes = told
        try await withSFTPProvider(settings) { double, provider in
            double.putLink(to: "book", at: "/link")
            let items = try await provider.contentsOfDirectory(path: .root)
            let types = Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.type) })
            #expect(types == ["book": .regular, "old": .regular, "shelf": .directory, "link": .symbolicLink])
        }
    }

    @Test func `What is no folder, or not there, is told as such`() async throws {
        try await withSFTPProvider { _, provider in
            let file = try await SFTPFaults.mustFail {
                try await provider.contentsOfDirectory(path: ProviderPath("book"))
            }
            #expect(file.posixCode == .ENOTDIR, "\(file)")
            for path in ["nothing", "nothing/below", "book/below"] {
                let error = try await SFTPFaults.mustFail {
                    try await provider.contentsOfDirectory(path: ProviderPath(path))
                }
                #expect(error.isNoSuchFile, "\(path): \(error)")
                let other = try await SFTPFaults.mustFail {
                    try await provider.attributesOfItem(path: ProviderPath(path))
                }
                #expect(other.isNoSuchFile && other.cocoaCode == .fileReadNoSuchFile, "\(path): \(other)")
            }
        }
    }

    @Test func `A server that opens what is no folder is found out by reading it`() async throws {
        // asyncssh gives a handle and refuses to read it.
        let settings = SFTPDouble.Settings { request in
            switch request.kind {
            case .readdir: [.status(.noSuchFile, "Not a directory")]
            default: []
            }
        }
        try await withSFTPProvider(settings) { double, provider in
            double.putFolder("/nothing")
            double.setAnswer { request in
                if request.kind == .stat || request.kind == .lstat, request.path == "/nothing" {
                    return [.status(.noSuchFile)]
                }
                return request.kind == .readdir ? [.status(.noSuchFile, "No such file")] : []
            }
            let error = try await SFTPFaults.mustFail {
                try await provider.contentsOfDirectory(path: ProviderPath("nothing"))
            }
            #expect(error.isNoSuchFile, "\(error)")
        }
    }

    @Test func `A link to a folder is listed as a link, and what is behind it when it is asked for`() async throws {
        for settings in [SFTPDouble.Settings(), .proFTPD] {
            try await withSFTPProvider(settings) { double, provider in
                double.putLink(to: "shelf", at: "/way")
                double.putLink(to: "nowhere", at: "/dangling")
                for name in ["way", "dangling"] {
                    let item = try await provider.attributesOfItem(path: ProviderPath(name))
                    #expect(item.isSymbolicLink)
                }
                try await #expect(provider.contentsOfDirectory(path: ProviderPath("way")).map(\.name) == ["one"])
                let types = try await provider.contentsOfDirectory(path: .root).filter(\.isSymbolicLink).map(\.name)
                    .sorted()
                #expect(types == ["dangling", "way"])
            }
        }
    }

    @Test func `A listing that is cancelled in the middle gives its handle back`() async throws {
        let settings = SFTPDouble.Settings { $0.kind == .readdir ? [.endless] : [] }
        try await withSFTPProvider(settings) { double, provider in
            let pages = LockedValue(0)
            let task = Task {
                try await provider.contentsOfDirectory(path: .root) { _ in pages.update { $0 += 1 } }
            }
            try await eventually { pages.value > 20 }
            task.cancel()
            let error = try await SFTPFaults.mustFail { try await task.value }
            #expect(error is CancellationError)
            try await eventually { double.counts.openHandles == 0 }
            double.setAnswer { _ in [] }
            try await SFTPActivity.list.run(provider)
        }
    }

    @Test func `A page that throws ends the listing with its own error`() async throws {
        try await withSFTPProvider { _, provider in
            await #expect(throws: CocoaError(.executableNotLoadable)) {
                try await provider.contentsOfDirectory(path: .root) { _ in throw CocoaError(.executableNotLoadable) }
            }
        }
    }
}
