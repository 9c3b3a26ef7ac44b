import FileProviderCore
import Foundation
import Synchronization
import Testing

@Suite struct RetryPolicyTests {
    private let policy = RetryPolicy(retries: 3, firstPause: 0)

    @Test(arguments: [0, 1, 3])
    func `a passing failure is tried again until it succeeds`(failures: Int) async throws {
        let tries = Atomic(0)
        let counters = TransferCounters()
        let result = try await policy.run(counters: counters) {
            if tries.add(1, ordering: .relaxed).oldValue < failures { throw URLError(.networkConnectionLost) }
            return "done"
        }
        #expect(result == "done")
        #expect(counters[.retries] == Int64(failures))
    }

    @Test func `when the tries are used up the last error is thrown`() async {
        let tries = Atomic(0)
        await #expect(throws: URLError.self) {
            try await policy.run(counters: TransferCounters()) {
                tries.add(1, ordering: .relaxed)
                throw URLError(.timedOut)
            }
        }
        #expect(tries.load(ordering: .relaxed) == 4)
    }

    @Test(
        arguments: [
            CocoaError(.fileReadNoSuchFile), CocoaError(.userCancelled), CancellationError(),
            URLError(.userAuthenticationRequired),
        ]
            as [any Error])
    func `a failure that would come again is not tried again`(error: any Error) async {
        let tries = Atomic(0)
        let thrown = await #expect(throws: (any Error).self) {
            try await policy.run(counters: TransferCounters()) {
                tries.add(1, ordering: .relaxed)
                throw error
            }
        }
        #expect(thrown.map { $0 as NSError } == error as NSError)
        #expect(tries.load(ordering: .relaxed) == 1)
    }

    @Test func `what must not be repeated is not`() async {
        let tries = Atomic(0)
        @Sendable func fail() async throws {
            tries.add(1, ordering: .relaxed)
            throw URLError(.timedOut)
        }
        await #expect(throws: URLError.self) {
            try await policy.run(counters: TransferCounters(), mayRepeat: { _ in false }, fail)
        }
        #expect(tries.load(ordering: .relaxed) == 1)
    }
}

@Suite struct ProviderRegistryTests {
    private func registration(_ type: String, _ schemes: [String]) -> ProviderRegistration {
        ProviderRegistration(type: type, schemes: schemes) { url, _ in
            ProviderLocation(
                provider: StubProvider(), path: try ProviderPath(percentEncoded: url.path(percentEncoded: true)))
        }
    }

    @Test func `a scheme that is taken is refused, with both names`() throws {
        let registry = ProviderRegistry()
        try registry.register(registration("One", ["X", "y"]))
        #expect { try registry.register(registration("Two", ["z", "x"])) } throws: {
            $0.isFileExists && $0.sentence.contains("One") && $0.sentence.contains("Two")
        }
        #expect(registry.all.map(\.type) == ["One"], "nothing of the refused one stays")
    }

    @Test func `a URL finds its provider by scheme, in any case`() async throws {
        let registry = ProviderRegistry()
        try registry.register(registration("One", ["x"]))
        let url = try #require(URL(string: "X://host/a%20b"))
        #expect(try await registry.location(of: url).path.string == "/a b")
    }

    @Test(arguments: ["git:///srv/a%20b", "git:/srv/a%20b", "git://host/srv/a%20b"])
    func `a provider that needs no host takes URLs without one`(text: String) async throws {
        let registry = ProviderRegistry()
        let needsNone = ProviderRegistration(type: "Git", schemes: ["git"], needsHost: false) { url, _ in
            ProviderLocation(
                provider: StubProvider(), path: try ProviderPath(percentEncoded: url.path(percentEncoded: true)))
        }
        try registry.register(needsNone)
        let url = try #require(URL(string: text))
        #expect(try await registry.location(of: url).path.string == "/srv/a b")
        let configuration = try ProviderConfiguration(url: url)
        #expect(configuration.url.absoluteString == text && configuration.urlWithUser == configuration.url)
        let item = configuration.appending(try ProviderPath("c"))
        #expect(try await registry.location(of: item).path.string == "/srv/a b/c")
        #expect(registry.registration(for: "GIT")?.needsHost == false && registry.registration(for: "x") == nil)
    }

    @Test(arguments: ["x:///srv", "x:/srv", "x:", "x://"])
    func `a URL without a host is refused where one is needed`(text: String) async throws {
        let registry = ProviderRegistry()
        try registry.register(registration("One", ["x"]))
        let url = try #require(URL(string: text))
        await #expect { try await registry.location(of: url) } throws: {
            ($0 as? URLError)?.code == .badURL && $0.sentence.contains("One needs one: x://host/folder")
        }
    }

    @Test func `an unknown scheme is refused with the known ones`() async throws {
        let registry = ProviderRegistry()
        try registry.register(registration("One", ["x", "y"]))
        let url = try #require(URL(string: "gopher://host/"))
        await #expect { try await registry.location(of: url) } throws: {
            ($0 as? URLError)?.code == .unsupportedURL && $0.sentence.contains("x, y")
        }
    }
}

extension ProviderRegistryTests {
    /// A registry whose only provider notes what it was given.
    private func registry(_ given: CollectedValues<(URL, ConnectionOptions)>) throws -> ProviderRegistry {
        let registry = ProviderRegistry()
        try registry.register(
            ProviderRegistration(type: "One", schemes: ["x"], settings: ["mode", "depth"]) { url, options in
                given.append((url, options))
                return ProviderLocation(provider: StubProvider(), path: .root)
            })
        return registry
    }

    @Test func `a configuration becomes a provider, with its user, policies, settings and secrets`() async throws {
        let given = CollectedValues<(URL, ConnectionOptions)>()
        var configuration = try ProviderConfiguration(url: #require(URL(string: "x://host/a/")), user: "ann")
        configuration.timeouts.idle = 7
        configuration.retries.retries = 2
        configuration.bandwidth = 1000
        configuration.settings = ["mode": "passive"]
        _ = try await registry(given).location(of: configuration, credentials: FixedCredential(.bearer("t")))
        let (url, options) = try #require(given.values.first)
        #expect(url.absoluteString == "x://ann@host/a/")
        #expect(options.timeouts.idle == 7 && options.retries.retries == 2 && options.bandwidth == 1000)
        #expect(options.settings == ["mode": "passive"])
        #expect(
            try await options.credentials.credential(for: Origin(scheme: "x", host: "host", port: 1), user: nil)
                == .bearer("t"))
    }

    @Test func `a setting that the provider does not know is refused with those it knows`() async throws {
        let given = CollectedValues<(URL, ConnectionOptions)>()
        var configuration = try ProviderConfiguration(url: #require(URL(string: "x://host/")))
        configuration.settings = ["mood": "good", "mode": "passive"]
        await #expect { try await registry(given).location(of: configuration) } throws: {
            ($0 as? CocoaError)?.code == .featureUnsupported
                && $0.sentence == "One has no setting “mood”; it has: depth, mode."
        }
        #expect(given.values.isEmpty)
    }
}

@Suite struct CredentialTests {
    @Test(arguments: [Credential.password(user: "ann", password: "s3cret"), .bearer("s3cret")])
    func `a credential never shows its secret`(credential: Credential) {
        var dumped = ""
        dump(credential, to: &dumped)
        let shown = [
            "\(credential)", String(reflecting: credential), dumped, "\([credential])",
            "\(Optional(credential) as Any)",
        ]
        for text in shown { #expect(!text.contains("s3cret")) }
    }

    @Test func `a fixed credential goes to its origin only`() async throws {
        let home = Origin(scheme: "HTTPS", host: "Host", port: 443)
        let source = FixedCredential(.bearer("t"), for: home)
        #expect(try await source.credential(for: Origin(scheme: "https", host: "host", port: 443), user: nil) != nil)
        #expect(try await source.credential(for: Origin(scheme: "http", host: "host", port: 443), user: nil) == nil)
    }

    @Test func `a provider shows its URL without secrets`() {
        #expect(StubProvider().debugDescription == "Stub(stub://host/base/)")
    }
}
