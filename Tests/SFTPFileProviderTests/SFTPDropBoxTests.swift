import FaultServer
import FileProviderCore
import Foundation
import Testing

import SFTPFileProvider

/// Folders that may be written to and not read, and services that take each file as it arrives.
@Suite struct SFTPDropBoxTests {
    private static let contents = [SFTPActivity.content, SFTPActivity.large]
    private static let looks: Set<SFTPDouble.Kind> = [.lstat, .stat, .fstat]

    /// Nothing of a file is shown or read, and no folder is listed.
    private func close(_ double: SFTPDouble) {
        double.setAnswer { [unowned double] request in
            let isFile = double.exists(request.path) && !["", "/", "/shelf"].contains(request.path)
            let isReading = request.kind == .open && request.flags.contains(.read)
            return request.kind == .opendir || isFile && (isReading || Self.looks.contains(request.kind))
                ? [.status(.permissionDenied)] : []
        }
    }

    private func write(
        _ provider: SFTPFileProvider, _ name: String, _ data: Data, _ placement: WriteOptions.Placement
    ) async throws -> FileObject {
        try await provider.writeContents(
            path: ProviderPath(name), from: DataSource(data),
            options: WriteOptions(overwrite: name == "old", placement: placement))
    }

    @Test(arguments: [WriteOptions.Placement.published, .inPlace])
    func `What is put into a drop box is there, and told without a size`(placement: WriteOptions.Placement) async throws
    {
        for settings in [SFTPDouble.Settings(), .plain] {
            for data in Self.contents {
                try await withSFTPProvider(settings) { double, provider in
                    close(double)
                    for name in ["new", "old", "another"]
                    where settings.extensions.count > 1 || name != "old" || placement == .inPlace {
                        let item = try await write(provider, name, data, placement)
                        #expect(item.size == nil && double.file("/" + name) == data, "\(name)")
                    }
                }
            }
        }
    }

    @Test(arguments: [WriteOptions.Placement.published, .inPlace])
    func `A drop box that does not acknowledge keeps no new file and no less of an old one`(
        placement: WriteOptions.Placement
    ) async throws {
        for kind in [SFTPDouble.Kind.write, .close] {
            for data in Self.contents {
                try await withSFTPProvider { double, provider in
                    double.setAnswer { request in
                        if Self.looks.contains(request.kind), request.path != "/", request.path != "/new" {
                            return [.status(.permissionDenied)]
                        }
                        return request.kind == kind ? [.statusAfterDoing(.failure, "No")] : []
                    }
                    let error = try await SFTPFaults.mustFail { try await write(provider, "new", data, placement) }
                    #expect(error.status?.serverDescription == "No" && !double.exists("/new"), "\(error)")
                    if placement == .published {
                        _ = try await SFTPFaults.mustFail { try await write(provider, "old", data, placement) }
                        #expect(double.file("/old") == Data("old".utf8))
                    }
                }
            }
        }
    }

    @Test func `A file that is taken as soon as it is closed was put, in place`() async throws {
        for data in Self.contents {
            try await withSFTPProvider { double, provider in
                let taken = LockedValue<[String: Data]>([:])
                double.setAnswer { [unowned double] request in
                    guard request.kind == .close, let file = double.file(request.path), request.path != "/book" else {
                        return []
                    }
                    taken.update { $0[request.path] = file }
                    double.remove(request.path)
                    return []
                }
                for name in ["new", "old"] {
                    let item = try await write(provider, name, data, .inPlace)
                    #expect(item.size == nil && taken.value["/" + name] == data)
                }
                double.put(Data("old".utf8), at: "/old")
                let error = try await SFTPFaults.mustFail { try await write(provider, "old", data, .published) }
                #expect(error.cocoaCode == .fileWriteUnknown && error.sentence.contains("--in-place"), "\(error)")
                #expect(double.file("/old") == Data("old".utf8))
            }
        }
    }

    @Test func `Writing in place needs no renaming`() async throws {
        try await withSFTPProvider { double, provider in
            double.setAnswer {
                $0.kind == .rename || $0.name.hasPrefix("posix") || $0.name.hasPrefix("hardlink")
                    ? [.status(.unsupported)] : []
            }
            for (name, data) in [("new", Self.contents[0]), ("old", Self.contents[0]), ("large", Self.contents[1])] {
                let item = try await write(provider, name, data, .inPlace)
                #expect(item.size == Int64(data.count) && double.file("/" + name) == data)
            }
        }
    }

    @Test func `Whatever way to look is left is used`() async throws {
        let refused: [Set<SFTPDouble.Kind>] = [[.lstat], [.lstat, .fstat, .stat]]
        for kinds in refused {
            for data in Self.contents + [Data()] {
                let settings = SFTPDouble.Settings { request in
                    kinds.contains(request.kind) && request.path.hasSuffix(TemporaryName.suffix)
                        ? [.status(.permissionDenied)] : []
                }
                try await withSFTPProvider(settings) { double, provider in
                    let item = try await write(provider, "old", data, .published)
                    #expect(item.size == Int64(data.count) && double.file("/old") == data, "\(kinds)")
                }
                try await withSFTPProvider(settings) { double, provider in
                    guard !data.isEmpty else { return }
                    double.setAnswer { $0.kind == .write ? [.status(.ok)] : settings.answer($0) }
                    let error = try await SFTPFaults.mustFail { try await write(provider, "old", data, .published) }
                    #expect(
                        error.cocoaCode == .fileWriteUnknown && double.file("/old") == Data("old".utf8),
                        "\(kinds): \(error)")
                }
            }
        }
        // Sizes that are never told.
        for data in Self.contents {
            var settings = SFTPDouble.Settings()
            settings.attributes = 12
            try await withSFTPProvider(settings) { double, provider in
                let item = try await write(provider, "old", data, .published)
                #expect(item.size == Int64(data.count) && double.file("/old") == data)
            }
        }
    }

    @Test func `A server that kept its word and keeps less the next time replaces nothing`() async throws {
        try await withSFTPProvider { double, provider in
            for name in ["new", "old"] {
                _ = try await write(provider, name, SFTPActivity.content, .published)
                double.put(Data("old".utf8), at: "/old")
            }
            double.setAnswer { $0.kind == .write ? [.status(.ok)] : [] }
            for name in ["old", "newer"] {
                let error = try await SFTPFaults.mustFail {
                    try await write(provider, name, SFTPActivity.content, .published)
                }
                #expect(error.cocoaCode == .fileWriteUnknown, "\(error)")
            }
            #expect(double.file("/old") == Data("old".utf8) && !double.exists("/newer"))
        }
    }
}
