import FaultServer
import FileProviderCore
import Foundation
import Testing

import SFTPFileProvider

/// Making, moving and removing items, and what can be set of them.
@Suite struct SFTPItemTests {
    // MARK: Folders

    @Test func `A folder is made once`() async throws {
        var again = SFTPDouble.Settings()
        again.makesFoldersAgain = true
        for settings in [SFTPDouble.Settings(), again, .proFTPD, .rclone, .plain] {
            try await withSFTPProvider(settings) { double, provider in
                try await provider.createFolder(path: ProviderPath("new"))
                #expect(double.paths.contains("/new/"))
                for name in ["new", "book"] {
                    let error = try await SFTPFaults.mustFail {
                        try await provider.createFolder(path: ProviderPath(name))
                    }
                    #expect(error.isFileExists, "\(name): \(error)")
                }
                let error = try await SFTPFaults.mustFail {
                    try await provider.createFolder(path: ProviderPath("nothing/new"))
                }
                #expect(error.cocoaCode == .fileNoSuchFile, "\(error)")
                let root = try await SFTPFaults.mustFail { try await provider.createFolder(path: .root) }
                #expect(root.isFileExists)
            }
        }
    }

    // MARK: Moving

    @Test func `A file that comes to the new name meanwhile is not replaced, whatever the server's renaming does`()
        async throws
    {
        for hasPosixRename in [true, false] {
            var settings = SFTPDouble.Settings()
            settings.renameReplaces = true
            if !hasPosixRename { settings.extensions.removeAll { $0.name == "posix-rename@openssh.com" } }
            try await withSFTPProvider(settings) { double, provider in
                let isThere = LockedValue(false)
                double.setAnswer { [unowned double] request in
                    let isForIt = request.path == "/new" && request.kind == .open || request.other == Array("/new".utf8)
                    guard isForIt, !isThere.value else { return [] }
                    isThere.update { $0 = true }
                    double.put(Data("other".utf8), at: "/new")
                    return []
                }
                let error = try await SFTPFaults.mustFail {
                    try await provider.moveItem(path: ProviderPath("old"), to: ProviderPath("new"))
                }
                #expect(error.isFileExists, "\(error)")
                #expect(double.file("/new") == Data("other".utf8) && double.file("/old") == Data("old".utf8))
                try await provider.moveItem(path: ProviderPath("old"), to: ProviderPath("newer"))
                #expect(double.file("/newer") == Data("old".utf8) && !double.exists("/old"))
            }
        }
    }

    @Test func `Files and folders are moved, and nothing is replaced that was not to be`() async throws {
        for settings in [SFTPDouble.Settings(), .proFTPD, .rclone, .plain] {
            try await withSFTPProvider(settings) { double, provider in
                try await provider.moveItem(path: ProviderPath("old"), to: ProviderPath("new"))
                try await provider.moveItem(path: ProviderPath("shelf"), to: ProviderPath("board"))
                #expect(double.paths == ["/board/", "/board/one", "/book", "/new"])
                for (from, to) in [("new", "book"), ("new", "board"), ("board", "book")] {
                    let error = try await SFTPFaults.mustFail {
                        try await provider.moveItem(path: ProviderPath(from), to: ProviderPath(to))
                    }
                    #expect(error.isFileExists, "\(from) to \(to): \(error)")
                }
                let missing = try await SFTPFaults.mustFail {
                    try await provider.moveItem(path: ProviderPath("no"), to: ProviderPath("x"))
                }
                #expect(missing.cocoaCode == .fileNoSuchFile)
                let parent = try await SFTPFaults.mustFail {
                    try await provider.moveItem(path: ProviderPath("new"), to: ProviderPath("no/x"))
                }
                #expect(parent.cocoaCode == .fileNoSuchFile, "\(parent)")
                for to in ["board", "board/sub", ""] {
                    let error = try await SFTPFaults.mustFail {
                        try await provider.moveItem(path: ProviderPath("board"), to: ProviderPath(to), overwrite: true)
                    }
                    #expect(error is CocoaError)
                }
                #expect(double.file("/new") == Data("old".utf8) && double.file("/book") == SFTPFaults.book)
                #expect(double.paths == ["/board/", "/board/one", "/book", "/new"])
            }
        }
    }

    @Test func `Moving over something replaces files and empty folders, and no folder with content`() async throws {
        for settings in [SFTPDouble.Settings(), .proFTPD, .rclone, .plain] {
            try await withSFTPProvider(settings) { double, provider in
                try await provider.moveItem(path: ProviderPath("book"), to: ProviderPath("old"), overwrite: true)
                #expect(double.file("/old") == SFTPFaults.book)
                let full = try await SFTPFaults.mustFail {
                    try await provider.moveItem(path: ProviderPath("old"), to: ProviderPath("shelf"), overwrite: true)
                }
                #expect(full.posixCode == .ENOTEMPTY, "\(full)")
                double.putFolder("/empty")
                try await provider.moveItem(path: ProviderPath("shelf"), to: ProviderPath("empty"), overwrite: true)
                try await provider.moveItem(path: ProviderPath("empty"), to: ProviderPath("old"), overwrite: true)
                #expect(double.paths == ["/old/", "/old/one"])
            }
        }
    }

    @Test func `A folder whose moving is refused leaves the file in its way`() async throws {
        for settings in [SFTPDouble.Settings(), .plain] {
            try await withSFTPProvider(settings) { double, provider in
                double.setAnswer { request in
                    request.path == "/shelf" && (request.kind == .rename || request.name.hasPrefix("posix-rename"))
                        ? [.status(.permissionDenied)] : []
                }
                let error = try await SFTPFaults.mustFail {
                    try await provider.moveItem(path: ProviderPath("shelf"), to: ProviderPath("old"), overwrite: true)
                }
                #expect(error.cocoaCode == .fileWriteNoPermission, "\(error)")
                #expect(double.file("/old") == Data("old".utf8))
                #expect(double.exists("/shelf/one"))
            }
        }
    }

    // MARK: Removing

    @Test func `Files, links and empty folders go, a folder with content only with what it holds`() async throws {
        for settings in [SFTPDouble.Settings(), .proFTPD, .plain] {
            try await withSFTPProvider(settings) { double, provider in
                double.putFolder("/empty")
                double.putLink(to: "shelf", at: "/way")
                double.putLink(to: "/nowhere", at: "/dangling")
                let full = try await SFTPFaults.mustFail {
                    try await provider.removeItem(path: ProviderPath("shelf"), recursive: false)
                }
                #expect(full.posixCode == .ENOTEMPTY, "\(full)")
                for name in ["old", "empty", "way", "dangling"] {
                    try await provider.removeItem(path: ProviderPath(name))
                }
                #expect(double.paths == ["/book", "/shelf/", "/shelf/one"])
                try await provider.removeItem(path: ProviderPath("shelf"))
                #expect(double.paths == ["/book"])
                let missing = try await SFTPFaults.mustFail {
                    try await provider.removeItem(path: ProviderPath("shelf"))
                }
                #expect(missing.cocoaCode == .fileNoSuchFile)
                _ = try await SFTPFaults.mustFail { try await provider.removeItem(path: .root) }
                #expect(double.paths == ["/book"])
            }
        }
    }

    @Test func `A tree goes without what its links lead to`() async throws {
        for settings in [SFTPDouble.Settings(), .proFTPD] {
            try await withSFTPProvider(
                settings, files: ["/keep/me": Data("1".utf8), "/tree/a/b/c/d": Data(), "/tree/x": Data()]
            ) {
                double, provider in
                double.putLink(to: "/keep", at: "/tree/way")
                double.putLink(to: "../../../keep", at: "/tree/a/b/up")
                double.putLink(to: "keep", at: "/way")
                double.putEntries(700, in: "/tree/many")
                try await provider.removeItem(path: ProviderPath("tree"))
                try await provider.removeItem(path: ProviderPath("way"))
                #expect(double.paths == ["/keep/", "/keep/me"])
            }
        }
    }

    @Test func `A tree of more files than are held goes in parts`() async throws {
        try await withSFTPProvider(files: [:]) { double, provider in
            for index in 0..<40 { double.putEntries(600, in: "/tree/\(index / 7)/\(index)") }
            let progress = ProgressReporter()
            try await provider.removeItem(path: ProviderPath("tree"), recursive: true, progress: progress)
            #expect(double.paths == [])
            #expect(progress.completed == progress.total && progress.total == 24_000 + 40 + 6 + 1)
        }
    }

    @Test func `A thousand files in a folder take few round trips`() async throws {
        var settings = SFTPDouble.Settings()
        settings.latency = 0.02
        try await withSFTPProvider(settings, files: [:]) { double, provider in
            double.putEntries(1_000, in: "/tree")
            try await provider.checkReachability()
            double.resetCounts()
            try await provider.removeItem(path: ProviderPath("tree"))
            #expect(double.paths == [])
            // Eight where nothing else runs; on a busy machine what leaves together may arrive in two parts. One by one
            // they were a thousand.
            #expect(double.counts.roundTrips <= 24, "\(double.counts.roundTrips)")
        }
    }

    @Test func `What cannot go is told, and the rest of its kind is tried first`() async throws {
        let settings = SFTPDouble.Settings {
            $0.kind == .remove && $0.path == "/shelf/one" ? [.status(.permissionDenied)] : []
        }
        try await withSFTPProvider(settings) { double, provider in
            let error = try await SFTPFaults.mustFail { try await provider.removeItem(path: ProviderPath("shelf")) }
            #expect(error.cocoaCode == .fileWriteNoPermission, "\(error)")
            #expect(double.exists("/shelf/one"))
        }
    }

    // MARK: Attributes and volume

    @Test func `Permissions and times are set, of links their own`() async throws {
        try await withSFTPProvider { double, provider in
            double.putLink(to: "old", at: "/link")
            let date = Date(timeIntervalSince1970: 1_600_000_000.7)
            try await provider.setAttributes(path: ProviderPath("old"), permissions: 0o600, modificationDate: date)
            #expect(double.mode("/old") == 0o600 && double.modified("/old") == 1_600_000_000)
            try await provider.setAttributes(
                path: ProviderPath("link"), permissions: nil,
                modificationDate: Date(timeIntervalSince1970: 1_500_000_000))
            #expect(double.modified("/link") == 1_500_000_000 && double.modified("/old") == 1_600_000_000)
            for seconds in [-1, 4_294_967_296, .infinity, .nan] {
                let error = try await SFTPFaults.mustFail {
                    try await provider.setAttributes(
                        path: ProviderPath("old"), permissions: nil,
                        modificationDate: Date(timeIntervalSince1970: seconds))
                }
                #expect(error.cocoaCode == .featureUnsupported)
            }
            let error = try await SFTPFaults.mustFail {
                try await provider.setAttributes(path: ProviderPath("no"), permissions: 0o600, modificationDate: nil)
            }
            #expect(error.cocoaCode == .fileNoSuchFile)
        }
        try await withSFTPProvider(.proFTPD) { double, provider in
            double.putLink(to: "old", at: "/link")
            let error = try await SFTPFaults.mustFail {
                try await provider.setAttributes(path: ProviderPath("link"), permissions: 0o600, modificationDate: nil)
            }
            #expect(error.cocoaCode == .featureUnsupported && double.mode("/old") == 0o644)
        }
    }

    @Test func `The volume's size and room are told where the server knows them`() async throws {
        var settings = SFTPDouble.Settings()
        settings.space = (1 << 30, 1 << 20)
        try await withSFTPProvider(settings) { _, provider in
            let volume = try #require(try await provider.storageProperties())
            #expect(
                volume.totalCapacity == 1 << 30 && volume.availableCapacity == 1 << 20
                    && volume.usage == 1 << 30 - 1 << 20)
        }
        for faults in [[], [SFTPDouble.Fault.status(.permissionDenied)]] as [[SFTPDouble.Fault]] {
            let settings = SFTPDouble.Settings { $0.name.hasPrefix("statvfs") && $0.path == "/shelf" ? faults : [] }
            try await withSFTPProvider(settings, root: "/shelf") { double, provider in
                try await #expect(provider.storageProperties() != nil)
                let paths = double.requests.filter { $0.name.hasPrefix("statvfs") }.map(\.path)
                #expect(paths == (faults.isEmpty ? ["/shelf"] : ["/shelf", "."]))
            }
        }
        for settings in [SFTPDouble.Settings.plain, .rclone] {
            try await withSFTPProvider(settings) { double, provider in
                for _ in 0..<2 { try await #expect(provider.storageProperties() == nil) }
                #expect(double.counts.extended["statvfs@openssh.com", default: 0] <= 1)
            }
        }
    }
}
