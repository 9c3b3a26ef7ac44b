import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

@testable import SFTPFileProvider

/// What is left on a server by operations that go wrong, and what of others has to stay.
@Suite struct SFTPLeftoverTests {
    private static let large = SFTPActivity.large

    private func replace(_ provider: SFTPFileProvider, _ data: Data = SFTPActivity.content) async throws {
        _ = try await provider.writeContents(path: ProviderPath("old"), contents: data, overwrite: true)
    }

    @Test func `A new file that is written in place and cut off begins anew`() async throws {
        for data in [SFTPActivity.content, Self.large] {
            let settings = SFTPDouble.Settings { $0.kind == .write && $0.occurrence == 1 ? [.close] : [] }
            try await withSFTPProvider(settings, options: { $0.retries.retries = 1 }) { double, provider in
                _ = try await provider.writeContents(
                    path: ProviderPath("new"), from: DataSource(data), options: WriteOptions(placement: .inPlace))
                #expect(double.file("/new") == data)
            }
        }
    }

    @Test func `A name that somebody else has filled meanwhile is not removed`() async throws {
        let theirs = Data("theirs".utf8)
        try await withSFTPProvider(.plain) { double, provider in
            double.setAnswer { [unowned double] request in
                guard request.kind == .rename else { return [] }
                double.put(theirs, at: "/new")
                return [.status(.permissionDenied)]
            }
            for doing in [SFTPActivity.publish, .copy] {
                double.remove("/new")
                _ = try await SFTPFaults.mustFail { try await doing.run(provider) }
                #expect(double.file("/new") == theirs, "\(doing)")
            }
        }
    }

    @Test func `An upload that may go on later leaves nothing where its name is taken`() async throws {
        try await withSFTPProvider { double, provider in
            let error = try await SFTPFaults.mustFail {
                try await provider.writeContents(
                    path: ProviderPath("old"), from: DataSource(Self.large),
                    options: WriteOptions(resumption: "version 1"))
            }
            #expect(error.isFileExists, "\(error)")
            #expect(SFTPFaults.leftovers(double) == [])
        }
    }

    // MARK: Moved aside

    @Test func `An old file that was moved aside is back when the connection was lost`() async throws {
        // Refused, moved aside, lost.
        let settings: [(SFTPDouble.Settings, SFTPActivity?, Int)] = [(.plain, nil, 3), (.init(), .makeFolder, 2)]
        for (settings, folder, count) in settings {
            try await withSFTPProvider(settings) { double, provider in
                double.setAnswer { $0.kind == .rename && $0.occurrence == count ? [.close] : [] }
                let error = try await SFTPFaults.mustFail {
                    if folder == nil { return try await replace(provider) }
                    try await provider.moveItem(path: ProviderPath("shelf"), to: ProviderPath("old"), overwrite: true)
                }
                #expect(error.isTransient, "\(error)")
                #expect(double.file("/old") == Data("old".utf8) && double.exists("/shelf/one"))
            }
        }
    }

    @Test func `An old file that cannot be moved back is told of`() async throws {
        try await withSFTPProvider(.plain) { double, provider in
            double.setAnswer { request in
                guard request.kind == .rename, request.occurrence >= 3 else { return [] }
                return request.occurrence == 3 ? [.close] : [.status(.permissionDenied)]
            }
            let error = try await SFTPFaults.mustFail { try await replace(provider) }
            let previous = try #require(double.paths.first { $0.hasSuffix(".old") })
            #expect(error.sentence.contains(previous.dropFirst()), "\(error.sentence)")
            #expect(double.file(previous) == Data("old".utf8))
            double.remove(previous)
        }
    }

    @Test func `An old file that was moved aside goes when another writer was faster`() async throws {
        let theirs = Data("theirs".utf8)
        try await withSFTPProvider(.plain) { double, provider in
            double.setAnswer { [unowned double] request in
                if request.kind == .rename, request.occurrence == 3 { double.put(theirs, at: "/old") }
                return []
            }
            _ = try await SFTPFaults.mustFail { try await replace(provider) }
            #expect(double.file("/old") == theirs)
        }
    }

    @Test func `An old file that was moved aside goes when a later try replaces it`() async throws {
        for fault in [SFTPDouble.Fault.close, .closeAfterDoing] {
            for count in [2, 3] {
                try await withSFTPProvider(.plain, options: { $0.retries.retries = 2 }) { double, provider in
                    double.setAnswer { $0.kind == .rename && $0.occurrence == count ? [fault] : [] }
                    try await replace(provider)
                    #expect(double.file("/old") == SFTPActivity.content)
                    #expect(SFTPFaults.leftovers(double) == [], "\(fault) \(count)")
                }
            }
        }
    }

    // MARK: Silence

    @Test func `A cancelled upload on a dead network ends in seconds`() async throws {
        var settings = SFTPDouble.Settings()
        settings.timeout = 60
        for data in [SFTPActivity.content, Self.large] {
            try await withSFTPProvider(settings) { double, provider in
                try await provider.checkReachability()
                let isDead = LockedValue(false)
                double.setAnswer { request in
                    if request.kind == .write { isDead.update { $0 = true } }
                    return isDead.value ? [.silence] : []
                }
                let task = Task { try await replace(provider, data) }
                try await eventually { isDead.value }
                task.cancel()
                let error = try await SFTPFaults.mustFail { try await task.value }
                #expect(error is CancellationError, "\(error)")
                provider.invalidate()
                for path in SFTPFaults.leftovers(double) { double.remove(path) }
            }
        }
    }

    // MARK: Handles

    @Test func `An idle file is closed once, whoever closes it`() async throws {
        try await withSFTPProvider { double, provider in
            for _ in 0..<100 {
                let reader = try await provider.open(path: ProviderPath("book"))
                _ = try await reader.read([0..<1])
                async let given = provider.handles.giveBackIdle()
                async let closed: Void = reader.close()
                _ = await (given, closed)
            }
            #expect(double.counts.requests[.close] == 100)
        }
    }

    @Test func `Idle files are closed by a cancelled task, too`() async throws {
        try await withSFTPProvider { double, provider in
            let reader = try await provider.open(path: ProviderPath("book"))
            _ = try await reader.read([0..<1])
            await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                #expect(await provider.handles.giveBackIdle())
            }.value
            try await eventually { double.counts.openHandles == 0 }
            try await #expect(reader.read([0..<1]) == [SFTPFaults.book.prefix(1)])
            await reader.close()
        }
    }

    @Test func `A server that calls its want of handles a missing folder gets some back`() async throws {
        try await withSFTPProvider { double, provider in
            let reader = try await provider.open(path: ProviderPath("book"))
            _ = try await reader.read([0..<1])
            double.setAnswer { [unowned double] request in
                [.opendir, .open].contains(request.kind) && double.counts.openHandles > 0 ? [.status(.noSuchFile)] : []
            }
            try await SFTPActivity.list.run(provider)
            _ = try await reader.read([0..<1])
            try await SFTPActivity.read.run(provider)
            let error = try await SFTPFaults.mustFail {
                try await provider.contentsOfDirectory(path: ProviderPath("no"))
            }
            #expect(error.isNoSuchFile)
            await reader.close()
        }
    }

    // MARK: Permissions

    @Test(arguments: [UInt16(0o600), 0o444])
    func `A file is opened with the permissions that are asked for, and has them in the end`(permissions: UInt16)
        async throws
    {
        for data in [SFTPActivity.content, Self.large] {
            for placement in [WriteOptions.Placement.published, .inPlace] {
                try await withSFTPProvider(.init { _ in [] }) { double, provider in
                    let options = WriteOptions(placement: placement, permissions: permissions)
                    _ = try await provider.writeContents(
                        path: ProviderPath("/new"), from: DataSource(data), options: options)
                    #expect(double.file("/new") == data)
                    #expect(double.mode("/new") == UInt32(permissions))
                }
            }
        }
    }

    @Test func `A file that is replaced allows what it has allowed`() async throws {
        for data in [SFTPActivity.content, Self.large] {
            for faults in [[], [SFTPDouble.Fault.status(.permissionDenied)]] as [[SFTPDouble.Fault]] {
                try await withSFTPProvider(.init { $0.kind == .fsetstat ? faults : [] }) { double, provider in
                    double.put(Data("old".utf8), at: "/old", mode: 0o600)
                    try await replace(provider, data)
                    #expect(double.file("/old") == data)
                    #expect(double.mode("/old") == (faults.isEmpty ? 0o600 : 0o644))
                }
            }
        }
    }
}
