import FaultServer
import FileProviderCore
import Foundation
import Testing

import SFTPFileProvider

/// What becomes of a file on its way to a server.
@Suite struct SFTPWritingFaultTests {
    private static let large = SFTPActivity.large

    private func write(
        _ provider: SFTPFileProvider, _ data: Data = SFTPActivity.content, to name: String = "old",
        placement: WriteOptions.Placement = .published
    ) async throws -> FileObject {
        try await provider.writeContents(
            path: ProviderPath(name), from: DataSource(data),
            options: WriteOptions(overwrite: name == "old", placement: placement))
    }

    private func isOld(_ double: SFTPDouble) -> Bool { double.file("/old") == Data("old".utf8) }

    // MARK: No room

    @Test(arguments: ["No space left on device", "Out of disk space", "Disk quota exceeded", "disk full"])
    func `No room is told as such, at a write and at the end`(text: String) async throws {
        for (kind, faults) in [
            (SFTPDouble.Kind.write, [SFTPDouble.Fault.status(.failure, text)]),
            (.close, [.statusAfterDoing(.failure, text)]),
            (.open, [.status(.failure, text)]),
        ] {
            for data in [SFTPActivity.content, Self.large] {
                try await withSFTPProvider(.init { $0.kind == kind ? faults : [] }) { double, provider in
                    for name in ["old", "new"] {
                        let error = try await SFTPFaults.mustFail { try await write(provider, data, to: name) }
                        #expect(error.cocoaCode == .fileWriteOutOfSpace, "\(kind): \(error)")
                    }
                    #expect(isOld(double) && !double.exists("/new"))
                }
            }
        }
    }

    @Test func `A server with no word but failure has it as the reason`() async throws {
        for size in [1, 700_000] as [UInt64] {
            try await withSFTPProvider(SFTPDouble.Settings(answer: SFTPDouble.diskFull(at: size, text: "Failure"))) {
                double, provider in
                let error = try await SFTPFaults.mustFail { try await write(provider, Self.large) }
                #expect(error.status?.code == .failure, "\(error)")
                #expect(isOld(double))
            }
        }
    }

    @Test(arguments: [0, 5]) func `A server that keeps less and says that all is well replaces nothing`(count: UInt32)
        async throws
    {
        for data in [SFTPActivity.content, Self.large] {
            // The size that LSTAT tells of the temporary file.
            let attributes =
                Data([0, 0, 0, 5, 0, 0, 0, 0]) + withUnsafeBytes(of: count.bigEndian) { Data($0) }
                + Data([0, 0, 0x81, 0xA4])
            let settings = SFTPDouble.Settings { request in
                request.kind == .lstat && request.path.hasSuffix(TemporaryName.suffix) ? [.attributes(attributes)] : []
            }
            try await withSFTPProvider(settings) { double, provider in
                let error = try await SFTPFaults.mustFail { try await write(provider, data) }
                #expect(error.cocoaCode == .fileWriteUnknown, "\(error)")
                #expect(isOld(double))
            }
        }
    }

    // MARK: Refusals

    @Test func `A server that refuses everything has one sentence for each operation`() async throws {
        let kept: Set<SFTPDouble.Kind> = [.initialize, .close]
        for code in [SFTPDouble.Code.failure, .permissionDenied, .noSuchFile, .unsupported, .badMessage, .endOfFile] {
            for text in ["", "No", nil] as [String?] {
                try await withSFTPProvider(.init { kept.contains($0.kind) ? [] : [.status(code, text)] }) {
                    double, provider in
                    for doing in SFTPActivity.allCases {
                        let error = await SFTPFaults.failure { try await doing.run(provider) }
                        // An empty folder cannot be told from one whose listing ends at once.
                        #expect(error != nil, "\(doing) \(code)")
                    }
                    #expect(double.paths.count == 4)
                }
            }
        }
    }

    @Test func `A refused renaming leaves the old file and no other`() async throws {
        for settings in [SFTPDouble.Settings(), .plain] {
            for code in [SFTPDouble.Code.failure, .permissionDenied, .noSuchFile] {
                try await withSFTPProvider(settings) { double, provider in
                    double.setAnswer { request in
                        request.kind == .rename
                            || ["posix-rename@openssh.com", "hardlink@openssh.com"].contains(request.name)
                            ? [.status(code)] : []
                    }
                    for data in [SFTPActivity.content, Self.large] {
                        _ = try await SFTPFaults.mustFail { try await write(provider, data) }
                        _ = try await SFTPFaults.mustFail { try await write(provider, data, to: "new") }
                    }
                    for doing in [SFTPActivity.move, .moveOver, .copy] {
                        _ = try await SFTPFaults.mustFail { try await doing.run(provider) }
                    }
                    #expect(isOld(double) && !double.exists("/new") && double.file("/book") == SFTPFaults.book)
                }
            }
        }
    }

    @Test func `Bringing a file to the disk is left out where the server can't`() async throws {
        try await withSFTPProvider(.init { $0.name.hasPrefix("fsync") ? [.status(.unsupported)] : [] }) {
            double, provider in
            for data in [SFTPActivity.content, Self.large] { _ = try await write(provider, data) }
            #expect(double.counts.extended["fsync@openssh.com"] == 1 && double.file("/old") == Self.large)
        }
        try await withSFTPProvider(.init { $0.name.hasPrefix("fsync") ? [.status(.failure)] : [] }) {
            double, provider in
            for data in [SFTPActivity.content, Self.large] {
                _ = try await SFTPFaults.mustFail { try await write(provider, data) }
            }
            #expect(isOld(double))
        }
        try await withSFTPProvider(configure: { $0.syncs = false }) { double, provider in
            _ = try await write(provider)
            #expect(double.counts.extended["fsync@openssh.com"] == nil)
        }
    }

    // MARK: Lost answers

    private static let steps: [(String, @Sendable (SFTPDouble.Request) -> Bool)] = [
        ("open", { $0.kind == .open }), ("write", { $0.kind == .write }), ("close", { $0.kind == .close }),
        ("fsync", { $0.name.hasPrefix("fsync") }), ("posix-rename", { $0.name.hasPrefix("posix") }),
        ("hardlink", { $0.name.hasPrefix("hardlink") }), ("rename", { $0.kind == .rename }),
        ("remove", { $0.kind == .remove }),
    ]

    @Test(arguments: 0..<8, [0, 2]) func `A step whose answer is lost is done or undone`(index: Int, retries: Int)
        async throws
    {
        let (name, isStep) = Self.steps[index]
        for settings in [SFTPDouble.Settings(), .plain] {
            for fault in [SFTPDouble.Fault.closeAfterDoing, .close] {
                for (target, data) in [
                    ("old", SFTPActivity.content), ("new", SFTPActivity.content), ("old", Self.large),
                    ("new", Self.large),
                ] {
                    try await withSFTPProvider(settings, options: { $0.retries.retries = retries }) {
                        double, provider in
                        let hasFailed = LockedValue(false)
                        double.setAnswer { request in
                            guard isStep(request), !hasFailed.value else { return [] }
                            hasFailed.update { $0 = true }
                            return [fault]
                        }
                        let error = await SFTPFaults.failure { try await write(provider, data, to: target) }
                        let note =
                            "\(name) \(fault) \(target) \(data.count) retries \(retries): \(String(describing: error))"
                        let isDone = double.file("/" + target) == data
                        let isUndone = target == "old" ? isOld(double) : !double.exists("/new")
                        #expect(error == nil ? isDone : isDone || isUndone, Comment(rawValue: note))
                        #expect(error?.isTransient ?? true, Comment(rawValue: note))
                        if retries > 0 { #expect(error == nil, Comment(rawValue: note)) }
                        if let leftover = double.paths.first(where: { $0.hasSuffix(".old") }) {
                            Issue.record("\(leftover) is left: \(note)")
                        }
                    }
                }
            }
        }
    }

    @Test func `A server that falls silent behind a renaming ends in time`() async throws {
        var settings = SFTPDouble.Settings {
            $0.name.hasPrefix("posix") && $0.occurrence == 1 ? [.silenceAfterDoing] : []
        }
        settings.timeout = 0.3
        try await withSFTPProvider(settings, options: { $0.retries.retries = 1 }) { double, provider in
            _ = try await write(provider)
            #expect(double.file("/old") == SFTPActivity.content)
        }
    }

    // MARK: Sources

    private func pieces(_ count: Int, of size: Int, thenFails: Bool = false) -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            for _ in 0..<count { continuation.yield(Data(repeating: 1, count: size)) }
            if thenFails {
                continuation.finish(throwing: CocoaError(.fileReadCorruptFile))
            } else {
                continuation.finish()
            }
        }
    }

    @Test(arguments: [WriteOptions.Placement.published, .inPlace])
    func `A source that breaks its promise or fails changes nothing`(placement: WriteOptions.Placement) async throws {
        let options = WriteOptions(placement: placement)
        try await withSFTPProvider(options: { $0.retries.retries = 1 }) { double, provider in
            for (size, lengths) in [(100, [10, 299, 301, 900]), (1_000_000, [100, 2_999_999, 3_000_001, 9_000_000])]
                as [(Int, [Int64])]
            {
                for length in lengths {
                    let error = try await SFTPFaults.mustFail {
                        try await provider.writeContents(
                            path: ProviderPath("new"), from: SequenceSource(pieces(3, of: size), length: length),
                            options: options)
                    }
                    #expect(error.cocoaCode == .fileWriteUnknown, "\(length): \(error)")
                    #expect(!double.exists("/new"), "\(length)")
                }
                for length in [nil, 3 * Int64(size) + 1] as [Int64?] {
                    let error = try await SFTPFaults.mustFail {
                        try await provider.writeContents(
                            path: ProviderPath("new"),
                            from: SequenceSource(pieces(3, of: size, thenFails: true), length: length),
                            options: options)
                    }
                    #expect(error.cocoaCode == .fileReadCorruptFile, "\(error)")
                    #expect(!double.exists("/new"))
                }
            }
        }
    }

    @Test func `A source that can be read once is not read twice`() async throws {
        for size in [30, 1_000_000] {
            let settings = SFTPDouble.Settings { $0.kind == .write && $0.occurrence == 1 ? [.close] : [] }
            try await withSFTPProvider(settings, options: { $0.retries.retries = 2 }) { double, provider in
                let error = try await SFTPFaults.mustFail {
                    try await provider.writeContents(
                        path: ProviderPath("old"), from: SequenceSource(pieces(3, of: size), length: Int64(3 * size)),
                        options: WriteOptions(overwrite: true))
                }
                #expect(error.isTransient && isOld(double), "\(error)")
            }
        }
    }
}
