import FaultServer
import FileProviderCore
import Foundation
import Testing

import SFTPFileProvider

/// What a server tells of the account, and what the account's shell does.
@Suite struct SFTPAccountTests {
    @Test(arguments: [
        ("/", "home/reader"), ("/home", "reader"), ("/home/reader", ""), ("/~/", ""), ("/shelf", nil), ("/~/x", nil),
    ])
    func `The login's folder counts from the provider's root`(root: String, home: String?) async throws {
        for extensions in [SFTPDouble.Settings().extensions, []] {
            var settings = SFTPDouble.Settings()
            settings.home = "/home/reader"
            settings.extensions = extensions
            try await withSFTPProvider(settings, root: root) { _, provider in
                guard let home else {
                    let error = try await SFTPFaults.mustFail { try await provider.homeFolder() }
                    #expect(error.cocoaCode == .fileReadNoPermission, "\(error)")
                    return
                }
                try await #expect(provider.homeFolder() == ProviderPath(home))
            }
        }
    }

    @Test func `Owners have the names that the server knows`() async throws {
        try await withSFTPProvider { _, provider in
            let names = try await provider.ownerNames(users: [1_000, 7, 0], groups: [1_000])
            #expect(names.users == ["reader", nil, "root"] && names.groups == ["readers"])
        }
        try await withSFTPProvider(.plain) { _, provider in
            let names = try await provider.ownerNames(users: [0], groups: [0])
            #expect(names.users == [] && names.groups == [])
        }
    }

    @Test func `A hash may take an hour, and is not computed again after that`() async throws {
        let count = LockedValue(0)
        var limits = SFTPLinks.Limits()
        limits.shell = { _ in
            count.update { $0 += 1 }
            throw URLError(.timedOut)
        }
        let double = SFTPDouble(files: SFTPFaults.files)
        defer { double.stop() }
        let links = SFTPLinks(double, limits: limits)
        let provider = try SFTPFaults.provider(
            links, options: { $0.retries.retries = 2 }, configure: { $0.usesShell = true })
        defer { provider.invalidate() }
        let error = try await SFTPFaults.mustFail {
            try await provider.checksum(of: ProviderPath("book"), kind: "sha256")
        }
        #expect(error.urlCode == .timedOut && count.value == 1)
        #expect(links.idle == 3_600)
    }
}
