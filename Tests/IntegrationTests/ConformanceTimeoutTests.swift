import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import ProviderDoubles
import Testing
import WebDAVFileProvider

/// What the kit cannot do with a server of somebody else's: let it fall silent. Each form ends once, by the idle
/// time-out.
@Suite struct ConformanceTimeoutTests {
    typealias Handler = @Sendable ((any Error)?) -> Void

    /// An operation that is started, with a file of this machine at hand.
    struct Form: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let start: @Sendable (any FileProvider, URL, @escaping Handler) -> Progress?

        static let all =
            reading + [
                Form(testDescription: "listing") { provider, _, called in
                    provider.contentsOfDirectory(path: "/folder") { called($1) }
                },
                Form(testDescription: "writing") { provider, _, called in
                    provider.writeContents(path: "/file", contents: Data(count: 100_000), completionHandler: called)
                },
                Form(testDescription: "sending") { provider, local, called in
                    provider.copyItem(localFile: local.appending(path: "up"), to: "/file", completionHandler: called)
                },
                Form(testDescription: "making a folder") { provider, _, called in
                    provider.create(folder: "folder", at: "/", completionHandler: called)
                },
                Form(testDescription: "moving") { provider, _, called in
                    provider.moveItem(path: "/file", to: "/moved", completionHandler: called)
                },
                Form(testDescription: "copying") { provider, _, called in
                    provider.copyItem(path: "/file", to: "/copy", completionHandler: called)
                },
                Form(testDescription: "removing") { provider, _, called in
                    provider.removeItem(path: "/file", completionHandler: called)
                },
            ]

        static let reading = [
            Form(testDescription: "looking") { provider, _, called in
                provider.attributesOfItem(path: "/file") { called($1) }
            },
            Form(testDescription: "reading") { provider, _, called in provider.contents(path: "/file") { called($1) } },
            Form(testDescription: "fetching") { provider, local, called in
                provider.copyItem(path: "/file", toLocalURL: local.appending(path: "down"), completionHandler: called)
            },
        ]
    }

    private let options = ConnectionOptions(timeouts: Timeouts(connect: 2, idle: 0.3), retries: RetryPolicy(retries: 0))

    @Test(arguments: Form.all) func `over WebDAV, a server's silence ends an operation once, with a time-out`(
        form: Form
    ) async throws {
        let server = try FaultServer { _ in .silence }
        defer { server.stop() }
        let configuration = WebDAVConfiguration(baseURL: server.url("dav"))
        try await expectTimeout(
            of: form, provider: try WebDAVFileProvider(configuration: configuration, options: options))
    }

    @Test(arguments: Form.reading) func `over HTTP, a server's silence ends an operation once, with a time-out`(
        form: Form
    ) async throws {
        let server = try FaultServer { _ in .silence }
        defer { server.stop() }
        try await expectTimeout(
            of: form,
            provider: try WebFileProvider(configuration: HTTPConfiguration(baseURL: server.url()), options: options))
    }

    @Test(arguments: Form.reading.filter { $0.testDescription != "looking" })
    func `a server that falls silent half way ends an operation once, with a time-out`(form: Form) async throws {
        let server = try FaultServer { _ in .stalled(200, promised: 100_000, body: Data(count: 40_000)) }
        defer { server.stop() }
        try await expectTimeout(
            of: form,
            provider: try WebFileProvider(configuration: HTTPConfiguration(baseURL: server.url()), options: options))
    }

    private func expectTimeout(of form: Form, provider: any FileProvider) async throws {
        let local = try TemporaryFolder()
        try Data(count: 100_000).write(to: local.url.appending(path: "up"))
        let calls = CollectedValues<(any Error)?>()
        let progress = form.start(provider, local.url) { calls.append($0) }
        try await eventually { !calls.values.isEmpty }
        // A second call, also one by a cancellation that comes too late, would come now.
        progress?.cancel()
        try await Task.sleep(for: .milliseconds(50))
        #expect(calls.values.count == 1)
        #expect((calls.values.first.flatMap { $0 } as? URLError)?.code == .timedOut)
        #expect(try FileManager.default.contentsOfDirectory(atPath: local.url.path) == ["up"])
    }
}
