import FaultServer
import FileProviderCore
import Foundation
import Testing

import SFTPFileProvider

/// Copies on the server, and through this machine where it has none.
@Suite struct SFTPCopyTests {
    private func copiesHere(_ double: SFTPDouble) -> Bool {
        double.counts.bytesRead == 0 && double.counts.bytesWritten == 0
    }

    @Test func `A file is copied on the server, whole and to a new name`() async throws {
        try await withSFTPProvider { double, provider in
            double.putPattern(3_000_000, at: "/file")
            for (target, overwrite) in [("new", false), ("old", true)] {
                let progress = ProgressReporter()
                try await provider.copyItem(
                    path: ProviderPath("file"), to: ProviderPath(target), overwrite: overwrite, progress: progress)
                #expect(double.isPattern("/" + target, size: 3_000_000))
            }
            #expect(copiesHere(double))
            try await provider.copyItem(path: ProviderPath("file"), to: ProviderPath("second"))
            double.put(Data(), at: "/empty")
            try await provider.copyItem(path: ProviderPath("empty"), to: ProviderPath("third"))
            #expect(double.file("/third") == Data())
        }
    }

    @Test func `What is there is replaced only when it was asked for`() async throws {
        for settings in [SFTPDouble.Settings(), .plain, .rclone] {
            try await withSFTPProvider(settings) { double, provider in
                for target in ["old", "shelf"] {
                    let error = try await SFTPFaults.mustFail {
                        try await provider.copyItem(path: ProviderPath("book"), to: ProviderPath(target))
                    }
                    #expect(error.isFileExists, "\(target): \(error)")
                }
                let missing = try await SFTPFaults.mustFail {
                    try await provider.copyItem(path: ProviderPath("no"), to: ProviderPath("old"), overwrite: true)
                }
                #expect(missing.isNoSuchFile, "\(missing)")
                let parent = try await SFTPFaults.mustFail {
                    try await provider.copyItem(path: ProviderPath("book"), to: ProviderPath("no/x"))
                }
                #expect(parent.cocoaCode == .fileNoSuchFile, "\(parent)")
                for target in ["book", "book/x"] {
                    let error = try await SFTPFaults.mustFail {
                        try await provider.copyItem(
                            path: ProviderPath("book"), to: ProviderPath(target), overwrite: true)
                    }
                    #expect(error.cocoaCode == .fileWriteInvalidFileName)
                }
                #expect(double.file("/old") == Data("old".utf8) && double.file("/book") == SFTPFaults.book)
            }
        }
    }

    @Test func `A server that refuses to copy has it done through this machine`() async throws {
        for code in [SFTPDouble.Code.failure, .unsupported] {
            try await withSFTPProvider(.init { $0.name == "copy-data" ? [.status(code)] : [] }) { double, provider in
                for name in ["new", "second"] {
                    try await provider.copyItem(path: ProviderPath("book"), to: ProviderPath(name))
                }
                #expect(double.file("/new") == SFTPFaults.book && double.file("/second") == SFTPFaults.book)
                #expect(double.counts.extended["copy-data"] == (code == .unsupported ? 1 : 2))
            }
        }
    }

    @Test(arguments: [
        ("No space left on device", CocoaError.Code.fileWriteOutOfSpace), ("Permission denied", .fileWriteNoPermission),
    ])
    func `A refusal to copy that tells why is the end of it`(text: String, code: CocoaError.Code) async throws {
        try await withSFTPProvider(.init { $0.name == "copy-data" ? [.status(.failure, text)] : [] }) {
            double, provider in
            let error = try await SFTPFaults.mustFail { try await SFTPActivity.copy.run(provider) }
            #expect(error.cocoaCode == code, "\(error)")
            #expect(copiesHere(double) && !double.exists("/new"))
        }
    }

    @Test func `A copy that came short replaces nothing`() async throws {
        try await withSFTPProvider(.init { $0.name == "copy-data" ? [.status(.ok)] : [] }) { double, provider in
            let error = try await SFTPFaults.mustFail {
                try await provider.copyItem(path: ProviderPath("book"), to: ProviderPath("old"), overwrite: true)
            }
            #expect(error.cocoaCode == .fileWriteUnknown, "\(error)")
            #expect(double.file("/old") == Data("old".utf8))
        }
    }

    @Test func `A large copy goes in pieces, beside the requests`() async throws {
        try await withSFTPProvider { double, provider in
            double.putPattern(40_000_000, at: "/file", mode: 0o640)
            try await provider.copyItem(path: ProviderPath("file"), to: ProviderPath("new"))
            #expect(double.isPattern("/new", size: 40_000_000) && double.mode("/new") == 0o640)
            #expect(double.counts.extended["copy-data"] == 3 && copiesHere(double))
            let looked = try #require(double.requests.first { $0.kind == .lstat })
            #expect(double.requests.allSatisfy { $0.name != "copy-data" || $0.channel != looked.channel })
        }
    }

    @Test func `A server that refuses a second file once, for want of handles, is asked once more`() async throws {
        let settings = SFTPDouble.Settings {
            $0.kind == .open && $0.occurrence == 2 ? [.status(.failure, "Too many open files")] : []
        }
        try await withSFTPProvider(settings) { double, provider in
            try await SFTPActivity.copy.run(provider)
            #expect(double.file("/new") == SFTPFaults.book && double.counts.extended["copy-data"] == 1)
        }
    }

    @Test func `A folder is copied with all it holds`() async throws {
        for settings in [SFTPDouble.Settings(), .plain] {
            try await withSFTPProvider(settings) { double, provider in
                double.put(Data("2".utf8), at: "/shelf/deep/two")
                try await provider.copyItem(path: ProviderPath("shelf"), to: ProviderPath("board"))
                #expect(double.file("/board/one") == Data("1".utf8) && double.file("/board/deep/two") == Data("2".utf8))
                #expect(double.exists("/shelf/deep/two"))
            }
        }
    }

    @Test func `A copy that fails leaves nothing, and what was there`() async throws {
        let faults: [(SFTPDouble.Kind, String, SFTPDouble.Fault)] = [
            (.extended, "copy-data", .closeAfterDoing),
            (.close, "", .statusAfterDoing(.failure, "No space left on device")),
            (.extended, "posix-rename@openssh.com", .status(.permissionDenied)),
            (.open, "", .status(.permissionDenied)),
        ]
        for (kind, name, fault) in faults {
            try await withSFTPProvider(.init { $0.kind == kind && $0.name == name ? [fault] : [] }) {
                double, provider in
                let error = try await SFTPFaults.mustFail {
                    try await provider.copyItem(path: ProviderPath("book"), to: ProviderPath("old"), overwrite: true)
                }
                #expect(error is CocoaError || error is URLError, "\(kind) \(name): \(error)")
                #expect(double.file("/old") == Data("old".utf8))
            }
        }
    }

    @Test func `Folders of a tree are made and listed several at once`() async throws {
        var settings = SFTPDouble.Settings()
        settings.latency = 0.02
        try await withSFTPProvider(settings) { double, provider in
            for index in 0..<32 { double.put(Data("x".utf8), at: "/tree/\(index)/inner/file") }
            let all = double.paths.filter { $0.hasPrefix("/tree/") }
            try await provider.checkReachability()
            double.resetCounts()
            let outcome = try await TreeCopy().copyFolder(
                ProviderPath("tree"), of: provider, to: ProviderPath("copy"), of: provider)
            #expect(outcome.copied == 32 && outcome.failed.isEmpty)
            #expect(double.paths.filter { $0.hasPrefix("/copy/") }.map { "/tree" + $0.dropFirst(5) } == all)
            // One by one, 64 folders take two round trips and more each.
            #expect(double.counts.roundTrips < 80, "\(double.counts.roundTrips)")
        }
    }
}
