import FaultServer
import FileProviderCore
import Foundation
import Testing

import SFTPFileProvider

/// Symbolic links.
@Suite struct SFTPLinkTests {
    @Test(arguments: [false, true]) func `The order of the arguments is learned once`(takesLinkFirst: Bool) async throws
    {
        var settings = SFTPDouble.Settings()
        settings.symlinkTakesLinkFirst = takesLinkFirst
        try await withSFTPProvider(settings) { double, provider in
            for index in 0..<3 {
                try await provider.createSymbolicLink(path: ProviderPath("shelf/link\(index)"), text: "../book")
            }
            for index in 0..<3 { #expect(double.target("/shelf/link\(index)") == "../book") }
            #expect(double.counts.requests[.symlink] == 4)
            #expect(double.paths.count == 7)
        }
    }

    @Test func `A link is made only where nothing is`() async throws {
        try await withSFTPProvider { double, provider in
            let taken = try await SFTPFaults.mustFail {
                try await provider.createSymbolicLink(path: ProviderPath("old"), text: "book")
            }
            #expect(taken.isFileExists)
            let parent = try await SFTPFaults.mustFail {
                try await provider.createSymbolicLink(path: ProviderPath("no/x"), text: "book")
            }
            #expect(parent.cocoaCode == .fileNoSuchFile, "\(parent)")
            for target in [[], [0x61, 0], Array(repeating: 0x61, count: 4_096)] as [[UInt8]] {
                let error = try await SFTPFaults.mustFail {
                    try await provider.createSymbolicLink(path: ProviderPath("link"), target: target)
                }
                #expect(error.cocoaCode == .fileWriteInvalidFileName)
            }
            #expect(double.paths.count == 4)
        }
    }

    @Test func `Links are followed to their end, below the root`() async throws {
        for root in ["/", "/home"] {
            let prefix = root == "/" ? "" : root
            try await withSFTPProvider(files: [prefix + "/a/file": Data("1".utf8), "/secret": Data()], root: root) {
                double, provider in
                double.putLink(to: "a/../a/./file", at: prefix + "/one")
                double.putLink(to: "one", at: prefix + "/two")
                double.putLink(to: prefix + "/a", at: prefix + "/absolute")
                double.putLink(to: "circle", at: prefix + "/circle")
                double.putLink(to: "nothing", at: prefix + "/dangling")
                double.putLink(to: "../secret", at: prefix + "/up")
                for name in ["one", "two"] {
                    let item = try await provider.destinationOfSymbolicLink(path: ProviderPath(name))
                    #expect(item.path.string == "/a/file" && item.size == 1)
                }
                try await #expect(provider.destinationOfSymbolicLink(path: ProviderPath("absolute")).isDirectory)
                let circle = try await SFTPFaults.mustFail {
                    try await provider.destinationOfSymbolicLink(path: ProviderPath("circle"))
                }
                #expect(circle.posixCode == .ELOOP)
                let dangling = try await SFTPFaults.mustFail {
                    try await provider.destinationOfSymbolicLink(path: ProviderPath("dangling"))
                }
                #expect(dangling.cocoaCode == .fileReadNoSuchFile)
                let file = try await SFTPFaults.mustFail {
                    try await provider.destinationOfSymbolicLink(path: ProviderPath("a/file"))
                }
                #expect(file.posixCode == .EINVAL)
                let outside = try await SFTPFaults.mustFail {
                    try await provider.destinationOfSymbolicLink(path: ProviderPath("up"))
                }
                #expect(outside.cocoaCode == .fileReadNoPermission, "\(outside)")
            }
        }
    }

    @Test func `A server without links says so, and is left as it was`() async throws {
        try await withSFTPProvider(.rclone) { double, provider in
            let error = try await SFTPFaults.mustFail { try await SFTPActivity.link.run(provider) }
            #expect(error.cocoaCode == .featureUnsupported, "\(error)")
            #expect(double.paths.count == 4)
            try await #expect(provider.capabilities()[.symbolicLinks] == .unavailable)
        }
    }
}
