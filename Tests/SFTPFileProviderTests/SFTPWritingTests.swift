import FaultServer
import FileProviderCore
import Foundation
import Testing

import SFTPFileProvider

/// Writing where nothing goes wrong, on servers of every kind.
@Suite struct SFTPWritingTests {
    static let servers: [(String, SFTPDouble.Settings)] = [
        ("OpenSSH", .init()), ("ProFTPD", .proFTPD), ("rclone", .rclone), ("plain", .plain),
    ]
    static let sizes = [0, 1, 131_072, 131_073, 1_500_000]

    private func data(_ count: Int) -> Data { SFTPDouble.pattern(0..<count) }

    @Test func `Files of any size are published, written in place and replaced`() async throws {
        for (name, settings) in Self.servers {
            for size in Self.sizes {
                try await withSFTPProvider(settings) { double, provider in
                    for placement in [WriteOptions.Placement.published, .inPlace] {
                        for file in ["new", "old"] {
                            let item = try await provider.writeContents(
                                path: ProviderPath(file), from: DataSource(data(size)),
                                options: WriteOptions(overwrite: file == "old", placement: placement))
                            #expect(
                                item.size == Int64(size) && double.isPattern("/" + file, size: size),
                                "\(name) \(size) \(file)")
                        }
                        double.remove("/new")
                    }
                    #expect(double.paths == ["/book", "/old", "/shelf/", "/shelf/one"])
                }
            }
        }
    }

    @Test func `A source of unknown length is written`() async throws {
        try await withSFTPProvider { double, provider in
            for count in [0, 1, 30] {
                let pieces = AsyncStream { continuation in
                    for _ in 0..<count { continuation.yield(Data(repeating: 7, count: 100_000)) }
                    continuation.finish()
                }
                let item = try await provider.writeContents(
                    path: ProviderPath("old"), from: SequenceSource(pieces), options: WriteOptions(overwrite: true))
                #expect(item.size == Int64(count * 100_000))
                #expect(double.file("/old") == Data(repeating: 7, count: count * 100_000))
            }
        }
    }

    @Test func `Nothing is replaced that was not to be`() async throws {
        for (name, settings) in Self.servers {
            for size in [10, 1_500_000] {
                for placement in [WriteOptions.Placement.published, .inPlace] {
                    try await withSFTPProvider(settings) { double, provider in
                        for target in ["old", "shelf"] {
                            let error = try await SFTPFaults.mustFail {
                                try await provider.writeContents(
                                    path: ProviderPath(target), from: DataSource(data(size)),
                                    options: WriteOptions(placement: placement))
                            }
                            #expect(error.isFileExists, "\(name) \(size) \(placement) \(target): \(error)")
                        }
                        #expect(double.file("/old") == Data("old".utf8) && double.exists("/shelf/one"))
                    }
                }
            }
        }
    }

    @Test func `Without hard links, or where they are refused, a new name is taken by an empty file first`()
        async throws
    {
        for isOffered in [false, true] {
            var settings = SFTPDouble.Settings { request in
                request.name.hasPrefix("hardlink") ? [.status(.failure)] : []
            }
            if !isOffered { settings.extensions.removeAll { $0.name.hasPrefix("hardlink") } }
            try await withSFTPProvider(settings) { double, provider in
                try await SFTPActivity.publish.run(provider)
                #expect(double.file("/new") == SFTPActivity.content)
                let exclusive = double.requests.contains { $0.path == "/new" && $0.flags.contains(.exclusive) }
                #expect(exclusive)
            }
        }
    }

    @Test func `Nearby a large file goes beside the requests, and its fsync does not`() async throws {
        var settings = SFTPDouble.Settings()
        if !settings.extensions.contains(where: { $0.name == "fsync@openssh.com" }) {
            settings.extensions.append(("fsync@openssh.com", "1"))
        }
        for near in [Duration.zero, .seconds(600)] {
            var limits = SFTPLinks.Limits()
            limits.near = near
            try await withSFTPProvider(settings, configure: { $0.connections = 1 }, links: limits) { double, provider in
                try await provider.checkReachability()
                _ = try await provider.capabilities()
                try await provider.writeContents(
                    path: ProviderPath("large"), contents: Data(repeating: 7, count: 4_000_000))
                #expect(double.file("/large")?.count == 4_000_000)
                let writes = Set(double.requests.filter { $0.kind == .write }.map(\.channel))
                let syncs = double.requests.filter { $0.name.hasPrefix("fsync") }.map(\.channel)
                // The first channel is that of the requests, the second one the lane.
                #expect(writes == (near == .zero ? [2] : [1]) && syncs == [2], "\(near): \(writes), \(syncs)")
            }
        }
    }

    @Test func `Where the server's rename is a link, and links have been made, one request gives a name`() async throws
    {
        for isLink in [true, false] {
            var limits = SFTPLinks.Limits()
            limits.renamesByLink = isLink
            var settings = SFTPDouble.Settings()
            for name in ["lsetstat@openssh.com", "fsync@openssh.com"]
            where !settings.extensions.contains(where: { $0.name == name }) {
                settings.extensions.append((name, "1"))
            }
            try await withSFTPProvider(settings, links: limits) { double, provider in
                let names = ["1", "2", "shelf/1", "3", "4"]
                for name in names {
                    try await provider.writeContents(path: ProviderPath(name), contents: Data(name.utf8))
                }
                for name in names { #expect(double.file("/" + name) == Data(name.utf8)) }
                // The first of a folder shows that its file system has links.
                #expect(double.counts.requests[.rename, default: 0] == (isLink ? 2 : 0))
                let error = try await SFTPFaults.mustFail {
                    try await provider.writeContents(path: ProviderPath("old"), contents: Data("new".utf8))
                }
                #expect(error.isFileExists && double.file("/old") == Data("old".utf8))
            }
        }
    }

    @Test func `Of many writers at once exactly one wins`() async throws {
        var noLinks = SFTPDouble.Settings()
        noLinks.extensions.removeAll { $0.name.hasPrefix("hardlink") }
        for settings in [SFTPDouble.Settings(), noLinks, .plain] {
            try await withSFTPProvider(settings) { double, provider in
                let results = await withTaskGroup(of: (Int, (any Error)?).self) { group in
                    for index in 0..<12 {
                        group.addTask {
                            let error = await SFTPFaults.failure {
                                try await provider.writeContents(
                                    path: ProviderPath("new"), contents: Data("writer \(index)".utf8))
                            }
                            return (index, error)
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                let winners = results.filter { $0.1 == nil }.map(\.0)
                #expect(winners.count == 1)
                #expect(results.allSatisfy { $0.1?.isFileExists ?? true })
                #expect(double.file("/new") == Data("writer \(winners.first ?? -1)".utf8))
            }
        }
    }

    @Test func `The name is never without its file where the server replaces in one step`() async throws {
        try await withSFTPProvider { double, provider in
            let gaps = LockedValue(0)
            double.setAnswer { [unowned double] _ in
                if ["old", "new content"].contains(double.file("/old").map { String(decoding: $0, as: UTF8.self) })
                    == false
                {
                    gaps.update { $0 += 1 }
                }
                return []
            }
            try await SFTPActivity.replace.run(provider)
            #expect(gaps.value == 0 && double.file("/old") == SFTPActivity.content)
        }
    }

    @Test func `Without replacing in one step the old file is somewhere until the new one is in its place`()
        async throws
    {
        for isOffered in [false, true] {
            var settings = SFTPDouble.Settings.plain
            if isOffered { settings.extensions = [("posix-rename@openssh.com", "1")] }
            try await withSFTPProvider(settings) { double, provider in
                let losses = LockedValue(0)
                double.setAnswer { [unowned double] request in
                    let files = double.paths.compactMap { double.file($0) }
                    if !files.contains(Data("old".utf8)), double.file("/old") != SFTPActivity.content {
                        losses.update { $0 += 1 }
                    }
                    return request.name.hasPrefix("posix") ? [.status(.unsupported)] : []
                }
                try await SFTPActivity.replace.run(provider)
                #expect(losses.value == 0 && double.file("/old") == SFTPActivity.content)
                // Asked for once.
                try await SFTPActivity.replace.run(provider)
                #expect(double.counts.extended["posix-rename@openssh.com", default: 0] == (isOffered ? 1 : 0))
            }
        }
    }

    @Test func `The old file comes back when the second renaming is refused`() async throws {
        try await withSFTPProvider(.plain) { double, provider in
            double.setAnswer { $0.kind == .rename && $0.occurrence == 3 ? [.status(.permissionDenied)] : [] }
            let error = try await SFTPFaults.mustFail { try await SFTPActivity.replace.run(provider) }
            #expect(error.cocoaCode == .fileWriteNoPermission, "\(error)")
            #expect(double.file("/old") == Data("old".utf8))
            #expect(double.paths == ["/book", "/old", "/shelf/", "/shelf/one"])
        }
    }

    @Test func `An empty folder is replaced by a file, one with content is not`() async throws {
        for (name, settings) in Self.servers {
            try await withSFTPProvider(settings) { double, provider in
                double.putFolder("/empty")
                _ = try await provider.writeContents(
                    path: ProviderPath("empty"), contents: SFTPActivity.content, overwrite: true)
                #expect(double.file("/empty") == SFTPActivity.content, "\(name)")
                let error = try await SFTPFaults.mustFail {
                    try await provider.writeContents(
                        path: ProviderPath("shelf"), contents: SFTPActivity.content, overwrite: true)
                }
                #expect(error.posixCode == .ENOTEMPTY && double.exists("/shelf/one"), "\(name): \(error)")
            }
        }
    }

    @Test func `The time is kept on request, and told only where it was`() async throws {
        let date = Date(timeIntervalSince1970: 1_600_000_000)
        for size in [10, 1_500_000] {
            for faults in [[], [SFTPDouble.Fault.status(.permissionDenied)], [.status(.unsupported)]]
                as [[SFTPDouble.Fault]]
            {
                try await withSFTPProvider(SFTPDouble.Settings { $0.kind == .fsetstat ? faults : [] }) {
                    double, provider in
                    let item = try await provider.writeContents(
                        path: ProviderPath("new"), from: DataSource(data(size)),
                        options: WriteOptions(modificationDate: date))
                    #expect(double.isPattern("/new", size: size))
                    #expect(item.modifiedDate == (faults.isEmpty ? date : nil))
                    #expect((double.modified("/new") == 1_600_000_000) == faults.isEmpty)
                }
            }
        }
    }

    @Test func `A small file takes three round trips, a new one four`() async throws {
        var settings = SFTPDouble.Settings()
        settings.latency = 0.02
        try await withSFTPProvider(settings) { double, provider in
            try await SFTPActivity.publish.run(provider, "first")
            double.resetCounts()
            try await SFTPActivity.replace.run(provider)
            #expect(double.counts.roundTrips == 3)
            double.resetCounts()
            try await SFTPActivity.publish.run(provider)
            #expect(double.counts.roundTrips <= 4, "\(double.counts.roundTrips)")
        }
    }
}
