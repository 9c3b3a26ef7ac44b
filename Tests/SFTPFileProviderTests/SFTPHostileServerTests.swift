import FaultServer
import FileProviderCore
import Foundation
import Testing

import SFTPFileProvider

/// Servers that break the protocol: one sentence, in time, and nothing harmed.
@Suite struct SFTPHostileServerTests {
    private static let faults: [SFTPDouble.Fault] = [
        .silence, .close, .closeAfterDoing, .id(77), .type(102), .type(77), .length(0), .length(.max), .length(9_999),
        .cut(after: 3),
        .cut(after: 7), .stringLength(.max), .stringLength(9_999), .before(Data("Welcome to the shelf!\r\n".utf8)),
        .before(SFTPDouble.stray(99)), .duplicate, .raw(Data(repeating: 0xFF, count: 64)),
        .packet(type: 101, Data()), .packet(type: 103, Data([0, 0, 0, 9])),
        .packet(type: 104, Data([0xFF, 0xFF, 0xFF, 0xFF])),
        .packet(type: 105, Data([0x80, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF])), .packet(type: 201, Data()),
        .missingAttributes,
        .nameCount(.max), .names([]), .status(.ok, nil), .longRead(more: 9), .endOfFile(at: 0),
    ]
    private static let kinds: [(SFTPDouble.Kind, SFTPActivity)] = [
        (.lstat, .look), (.readdir, .list), (.open, .read), (.read, .read), (.write, .publish), (.write, .publishLarge),
        (.extended, .replace), (.mkdir, .makeFolder), (.rmdir, .removeTree), (.extended, .copy), (.symlink, .link),
    ]

    @Test(arguments: 0..<faults.count) func `Whatever comes in place of an answer, it ends in one sentence`(index: Int)
        async throws
    {
        let fault = Self.faults[index]
        for (kind, doing) in Self.kinds {
            var settings = SFTPDouble.Settings { $0.kind == kind ? [fault] : [] }
            settings.timeout = 0.1
            try await withSFTPProvider(settings, options: { $0.timeouts = Timeouts(connect: 2, idle: 2) }) {
                double, provider in
                let error = await SFTPFaults.failure { try await doing.run(provider) }
                let note = Comment(rawValue: "\(doing) at \(kind): \(fault): \(String(describing: error))")
                switch doing {
                case .publish, .publishLarge:
                    // Nothing is there that is not whole.
                    let data = double.file("/new")
                    #expect(
                        data == nil || data == (doing == .publish ? SFTPActivity.content : SFTPActivity.large), note)
                case .replace:
                    #expect([Data("old".utf8), SFTPActivity.content].contains(double.file("/old")), note)
                case .copy: #expect([nil, SFTPFaults.book].contains(double.file("/new")), note)
                default: break
                }
                #expect(double.file("/book") == SFTPFaults.book, note)
                double.setAnswer { _ in [] }
                for path in SFTPFaults.leftovers(double) { double.remove(path) }
                // What came late may still end the session that it came on.
                if await SFTPFaults.failure({ try await SFTPActivity.look.run(provider) }) != nil {
                    try await SFTPActivity.look.run(provider)
                }
                // Handles that were never told are the server's.
                double.stop()
            }
        }
    }

    @Test func `What is no SFTP, or another version, is told at the beginning`() async throws {
        for (fault, codes) in [
            (SFTPDouble.Fault.version(2), [URLError.Code.unsupportedURL]), (.version(6), [.unsupportedURL]),
            (.before(Data("This account is not available.\n".utf8)), [.cannotParseResponse]),
            (.type(101), [.cannotParseResponse]),
            (.length(.max), [.cannotParseResponse]), (.close, [.networkConnectionLost]), (.silence, [.timedOut]),
            (.cut(after: 5), [.networkConnectionLost]),
        ] {
            var settings = SFTPDouble.Settings { $0.kind == .initialize ? [fault] : [] }
            settings.timeout = 0.2
            try await withSFTPProvider(settings) { _, provider in
                for doing in [SFTPActivity.look, .read, .publishLarge] {
                    let error = try await SFTPFaults.mustFail(within: 20) { try await doing.run(provider) }
                    #expect(error.urlCode.map(codes.contains) == true, "\(fault): \(error)")
                }
            }
        }
    }

    @Test func `Answers in any order, and late ones, are right`() async throws {
        for fault in [SFTPDouble.Fault.shuffled(of: 5), .delay(0.003)] {
            try await withSFTPProvider(.init { $0.kind == .initialize ? [] : $0.order % 2 == 0 ? [fault] : [] }) {
                double, provider in
                double.putEntries(500, in: "/many")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for index in 0..<20 {
                        group.addTask {
                            let data = Data("content \(index)".utf8)
                            _ = try await provider.writeContents(path: ProviderPath("file \(index)"), contents: data)
                            try await #expect(provider.contents(path: ProviderPath("file \(index)")) == data)
                        }
                    }
                    try await group.waitForAll()
                }
                try await #expect(provider.contentsOfDirectory(path: ProviderPath("many")).count == 500)
            }
        }
    }

    @Test func `A window that never opens ends in time`() async throws {
        var settings = SFTPDouble.Settings()
        settings.timeout = 0.3
        for doing in [SFTPActivity.publish, .publishLarge, .look] {
            try await withSFTPProvider(settings) { double, provider in
                try await provider.checkReachability()
                double.setWindow(doing == .publishLarge ? 500_000 : 5)
                let error = try await SFTPFaults.mustFail { try await doing.run(provider) }
                #expect(error.urlCode == .timedOut, "\(error)")
                double.setWindow(nil)
                for path in SFTPFaults.leftovers(double) { double.remove(path) }
                try await SFTPActivity.look.run(provider)
            }
        }
    }

    @Test func `One request that is passed over while others are answered does not wait for ever`() async throws {
        let settings = SFTPDouble.Settings { $0.kind == .lstat && $0.path == "/old" ? [.silence] : [] }
        try await withSFTPProvider(settings, options: { $0.timeouts = Timeouts(connect: 2, idle: 2) }) { _, provider in
            let busy = Task {
                while !Task.isCancelled {
                    _ = try? await provider.contentsOfDirectory(path: .root)
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            let error = try await SFTPFaults.mustFail { try await provider.attributesOfItem(path: ProviderPath("old")) }
            busy.cancel()
            _ = try? await busy.value
            #expect(error.urlCode == .timedOut, "\(error)")
        }
    }
}
