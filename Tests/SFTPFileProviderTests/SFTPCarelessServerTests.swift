import FaultServer
import FileProviderCore
import Foundation
import Testing

import SFTPFileProvider

/// A server that says "done" to what it does not do: nothing is ever lost on it.
@Suite struct SFTPCarelessServerTests {
    @Test func `What it cannot do is not promised`() async throws {
        try await withSFTPProvider(.rclone) { double, provider in
            let capabilities = try await provider.capabilities()
            #expect(capabilities[.exclusiveCreation] == .derived && capabilities[.resumingWrites] == .unavailable)
            #expect(capabilities[.serverSideCopying] == .unavailable && capabilities[.symbolicLinks] == .unavailable)
            #expect(double.paths.count == 4)
        }
        try await withSFTPProvider { _, provider in
            let capabilities = try await provider.capabilities()
            #expect(capabilities[.exclusiveCreation] == .native && capabilities[.resumingWrites] == .native)
            #expect(capabilities[.atomicReplacement] == .native && capabilities[.serverSideCopying] == .native)
        }
        try await withSFTPProvider(.plain) { _, provider in
            let capabilities = try await provider.capabilities()
            #expect(capabilities[.exclusiveCreation] == .derived && capabilities[.atomicReplacement] == .derived)
            #expect(capabilities[.storageProperties] == .unavailable)
        }
    }

    @Test(arguments: [10, 1_500_000, 20_000_000])
    func `A file arrives whole under its name, and nothing else is emptied`(size: Int)
        async throws
    {
        try await withSFTPProvider(.rclone) { double, provider in
            for placement in [WriteOptions.Placement.published, .inPlace] {
                let data = SFTPDouble.pattern(0..<size)
                _ = try await provider.writeContents(
                    path: ProviderPath("new"), from: DataSource(data), options: WriteOptions(placement: placement))
                #expect(double.isPattern("/new", size: size))
                double.remove("/new")
            }
            #expect(double.file("/old") == Data("old".utf8) && double.file("/book") == SFTPFaults.book)
        }
    }

    @Test func `A file whose writing fails leaves the old one as it was`() async throws {
        for kind in [SFTPDouble.Kind.open, .write, .close] {
            try await withSFTPProvider(.rclone) { double, provider in
                for data in [SFTPActivity.content, SFTPActivity.large] {
                    double.setAnswer {
                        $0.kind == kind ? [kind == .close ? .statusAfterDoing(.failure) : .status(.failure)] : []
                    }
                    let error = try await SFTPFaults.mustFail {
                        try await provider.writeContents(path: ProviderPath("old"), contents: data, overwrite: true)
                    }
                    #expect(error.status != nil, "\(error)")
                    #expect(double.file("/old") == Data("old".utf8))
                }
            }
        }
    }

    @Test func `Copies and moves lose nothing`() async throws {
        try await withSFTPProvider(.rclone) { double, provider in
            for doing in [SFTPActivity.copy, .move] {
                for target in ["book", "shelf"] where doing == .copy || target == "book" {
                    let error = try await SFTPFaults.mustFail { try await doing.run(provider, target) }
                    #expect(error is CocoaError, "\(error)")
                }
            }
            try await SFTPActivity.copy.run(provider)
            #expect(double.file("/new") == SFTPFaults.book && double.file("/book") == SFTPFaults.book)
            #expect(double.file("/old") == Data("old".utf8) && double.exists("/shelf/one"))
        }
    }

    @Test func `What is not there is told, though the server removes it gladly`() async throws {
        try await withSFTPProvider(.rclone) { double, provider in
            for path in ["no", "no/thing"] {
                let error = try await SFTPFaults.mustFail { try await provider.removeItem(path: ProviderPath(path)) }
                #expect(error.cocoaCode == .fileNoSuchFile)
            }
            let full = try await SFTPFaults.mustFail {
                try await provider.removeItem(path: ProviderPath("shelf"), recursive: false)
            }
            #expect(full.posixCode == .ENOTEMPTY, "\(full)")
            try await provider.removeItem(path: ProviderPath("shelf"))
            #expect(double.paths == ["/book", "/old"])
        }
    }
}
