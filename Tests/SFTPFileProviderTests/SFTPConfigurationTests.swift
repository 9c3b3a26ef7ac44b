import FaultServer
import FileProviderCore
import Foundation
import Testing

@testable import SFTPFileProvider

/// Addresses, settings and roots.
@Suite struct SFTPConfigurationTests {
    private func configuration(_ settings: [String: String]) throws -> SFTPConfiguration {
        try SFTPConfiguration(
            baseURL: try #require(URL(string: "sftp://anna:secret@shelf.example:2222/a?b#c")), settings: settings)
    }

    @Test func `Settings are read`() throws {
        let usual = try configuration([:])
        #expect(usual.transport == .automatic && usual.readsSSHConfig && !usual.usesShell && usual.syncs)
        #expect(usual.connections == 3 && usual.channels == 2)
        #expect(usual.baseURL.absoluteString == "sftp://shelf.example:2222/a")
        let other = try configuration([
            "transport": "SSH", "config": "no", "shell": "Yes", "sync": "no", "connections": "16", "channels": "1",
        ])
        #expect(other.transport == .program && !other.readsSSHConfig && other.usesShell && !other.syncs)
        #expect(other.connections == 16 && other.channels == 1)
    }

    @Test(arguments: [
        ("transport", "telnet"), ("config", "maybe"), ("shell", ""), ("sync", "1"), ("connections", "0"),
        ("connections", "17"),
        ("channels", "-1"), ("channels", "two"), ("unknown", "yes"),
    ]) func `A setting that makes no sense is named`(name: String, value: String) throws {
        let error = #expect(throws: CocoaError.self) { try configuration([name: value]) }
        #expect(error?.code == .featureUnsupported && error?.sentence.contains("“\(name)”") == true)
        #expect(error.map { "\($0)".contains("secret") } == false)
    }

    @Test func `Every setting that is registered is known`() throws {
        let values = [
            "transport": "ssh", "config": "no", "shell": "no", "sync": "no", "connections": "1", "channels": "1",
        ]
        #expect(Set(values.keys) == SFTPConfiguration.settingNames)
    }

    @Test func `An address leads to a provider of the whole server, and a path`() async throws {
        let registry = ProviderRegistry()
        try registry.register(SFTPFileProvider.registration)
        for (address, path) in [
            ("sftp://shelf.example", "/"), ("sftp://anna@shelf.example:2222/a%20b/c", "/a b/c"),
            ("sftp://shelf.example/~/books", "/~/books"),
            ("sftp://[::1]:22/x", "/x"),
        ] {
            let location = try await registry.location(of: try #require(URL(string: address)))
            #expect(location.path.string == path, "\(address)")
            let base = try #require((location.provider as? SFTPFileProvider)?.baseURL)
            #expect(base.path(percentEncoded: true) == "/" && base.user() == nil)
        }
        let nameless = await SFTPFaults.failure {
            try await registry.location(of: try #require(URL(string: "sftp:///a")))
        }
        #expect(nameless?.urlCode == .badURL)
        let senseless = await SFTPFaults.failure {
            try await registry.location(
                of: try #require(URL(string: "sftp://shelf.example/")),
                options: ConnectionOptions(settings: ["channels": "none"]))
        }
        #expect(senseless?.cocoaCode == .featureUnsupported)
    }

    @Test(arguments: ["/home/books", "/home/books/", "/~/books", "/~/books/"]) func `Paths count from the root`(
        root: String
    ) async throws {
        var settings = SFTPDouble.Settings()
        settings.home = "/home"
        try await withSFTPProvider(
            settings, files: ["/home/books/a b": Data("1".utf8), "/a b": Data("2".utf8)], root: root
        ) {
            double, provider in
            let path = try ProviderPath("a b")
            try await #expect(provider.contents(path: path) == Data("1".utf8))
            try await #expect(provider.contentsOfDirectory(path: .root).map(\.path) == [path])
            for doing in [SFTPActivity.publish, .makeFolder, .link] { try await doing.run(provider, "\(doing)") }
            #expect(double.file("/home/books/publish") == SFTPActivity.content)
            #expect(double.target("/home/books/link") == "book")
            let url = provider.url(of: path).absoluteString
            #expect(url == "sftp://shelf.example" + (root.hasSuffix("/") ? root : root + "/") + "a%20b")
        }
    }

    @Test func `The folder of the login is the root itself, too`() async throws {
        var settings = SFTPDouble.Settings()
        settings.home = "/home"
        for root in ["/~", "/~/"] {
            try await withSFTPProvider(settings, files: ["/home/x": Data()], root: root) { double, provider in
                try await #expect(provider.contentsOfDirectory(path: .root).map(\.name) == ["x"])
                try await provider.removeItem(path: ProviderPath("x"))
                #expect(double.paths == ["/home/"])
            }
        }
        // A name that begins with a tilde is no home.
        try await withSFTPProvider(settings, files: ["/~anna/x": Data("1".utf8), "/a/~/x": Data("2".utf8)]) {
            _, provider in
            try await #expect(provider.contents(path: ProviderPath("~anna/x")) == Data("1".utf8))
            try await #expect(provider.contents(path: ProviderPath("a/~/x")) == Data("2".utf8))
        }
    }

    @Test func `Hashes are asked of the shell only where that is allowed, in one quoted word`() async throws {
        let commands = LockedValue<[String]>([])
        let digest = String(repeating: "aB", count: 32)
        let links = SFTPLinks.Limits(shell: { command in
            commands.update { $0.append(command) }
            return (0, Array("\(digest)  -\n".utf8))
        })
        try await withSFTPProvider(files: ["/it's; $(x) `y`": Data()], configure: { $0.usesShell = true }, links: links)
        { _, provider in
            let path = try ProviderPath("it's; $(x) `y`")
            try await #expect(provider.checksum(of: path, kind: "sha256") == digest.lowercased())
            #expect(commands.value == [#"sha256sum < '/it'\''s; $(x) `y`'"#])
            for kind in ["md5", "crc32"] {
                let error = try await SFTPFaults.mustFail { try await provider.checksum(of: path, kind: kind) }
                #expect(error.cocoaCode == .featureUnsupported)
            }
        }
        try await withSFTPProvider(links: links) { _, provider in
            let error = try await SFTPFaults.mustFail {
                try await provider.checksum(of: ProviderPath("book"), kind: "sha256")
            }
            #expect(error.cocoaCode == .featureUnsupported && commands.value.count == 2)
            try await #expect(provider.capabilities().hashKinds.isEmpty)
        }
    }
}
