import FTPFileProvider
import FaultServer
import FileProviderCore
import Foundation
import Testing

/// A server that does not rename onto files.
@Suite struct FTPReplacementTests {
    private static let old = Data("old".utf8)

    private func settings(answer: @escaping @Sendable (FTPDouble.Command) -> [FTPDouble.Fault] = { _ in [] })
        -> FTPDouble.Settings
    {
        var settings = FTPDouble.Settings(answer: answer)
        settings.renameReplaces = false
        settings.features.append("SITE COPY")
        return settings
    }

    private func one(_ options: inout ConnectionOptions) { options.connectionsPerHost = 1 }

    @Test func `An upload over the only connection gets the old file out of the way and removes it`() async throws {
        try await withFTPProvider(settings(), options: one) { double, provider in
            _ = try await provider.writeContents(
                path: ProviderPath("old"), contents: FTPActivity.content, overwrite: true)
            #expect(double.file("/old") == FTPActivity.content)
            #expect(double.commands.count { $0.verb == "USER" } == 1)
        }
    }

    @Test(arguments: ["550 Not now", "553 Never"])
    func `An upload over the only connection gives the old file its name back`(reply: String) async throws {
        let settings = settings { $0.verb == "RNTO" && $0.occurrence == 3 ? [.reply(reply)] : [] }
        try await withFTPProvider(settings, options: one) { double, provider in
            _ = try await FTPFaults.mustFail {
                try await provider.writeContents(
                    path: ProviderPath("old"), contents: FTPActivity.content, overwrite: true)
            }
            #expect(double.file("/old") == Self.old)
            #expect(double.commands.count { $0.verb == "USER" } == 1)
        }
    }

    @Test func `A file is moved and copied onto a file, and that is not one step`() async throws {
        try await withFTPProvider(settings(), options: one) { double, provider in
            #expect(try await provider.capabilities()[.atomicReplacement] == .native)
            #expect(try await provider.capabilities()[.serverSideCopying] == .native)
            try await provider.copyItem(path: ProviderPath("book"), to: ProviderPath("old"), overwrite: true)
            #expect(double.file("/old") == FTPFaults.book && double.file("/book") == FTPFaults.book)
            try await provider.moveItem(path: ProviderPath("shelf/one"), to: ProviderPath("old"), overwrite: true)
            #expect(double.file("/old") == Data("1".utf8) && !double.exists("/shelf/one"))
            #expect(Set(double.paths) == ["/book", "/old", "/shelf/"])
            #expect(try await provider.capabilities()[.atomicReplacement] == .derived)
            #expect(double.commands.count { $0.verb == "USER" } == 1)
        }
    }

    @Test func `Without overwriting nothing gives way`() async throws {
        try await withFTPProvider(settings()) { double, provider in
            let error = try await FTPFaults.mustFail {
                try await provider.moveItem(path: ProviderPath("book"), to: ProviderPath("old"), overwrite: false)
            }
            #expect(error.isFileExists)
            #expect(double.file("/old") == Self.old && double.file("/book") == FTPFaults.book)
        }
    }

    @Test func `A move onto a file that goes wrong leaves one of the two there`() async throws {
        for fault in [FTPDouble.Fault.noFinalReply, .dropConnection, .reply("550 No")] {
            for verb in ["RNFR", "RNTO", "DELE"] {
                for occurrence in 1...3 {
                    // Of a server that refuses to remove a file, it stays.
                    if verb == "DELE", case .reply = fault { continue }
                    let settings = settings { $0.verb == verb && $0.occurrence == occurrence ? [fault] : [] }
                    try await withFTPProvider(settings, options: one) { double, provider in
                        let error = await FTPFaults.failure {
                            try await provider.moveItem(
                                path: ProviderPath("book"), to: ProviderPath("old"), overwrite: true)
                        }
                        let isMoved = double.file("/old") == FTPFaults.book && !double.exists("/book")
                        let isAsBefore = double.file("/old") == Self.old && double.file("/book") == FTPFaults.book
                        #expect(
                            isMoved || error != nil && isAsBefore, "\(verb) \(occurrence) \(fault): \(double.paths)")
                    }
                }
            }
        }
    }
}
