import FileProviderConformance
import FileProviderCore
import Foundation
import HTTPFileProvider
import LocalFileProvider
import MemoryFileProvider
import ProviderDoubles
import Testing

/// A storage that the conformance kit is run on. One line here makes it a test, and a column of
/// `Documentation/Providers.md`.
struct ConformanceStorage: Sendable, CustomTestStringConvertible {
    typealias Body =
        @Sendable (_ provider: any FileProvider, _ folder: ProviderPath, Conformance.Connect?) async throws ->
        ConformanceResult

    let name: String
    /// The column's head; nil for a storage that differs from another one's column in its login or encryption alone.
    let column: String?
    let known: [Conformance.KnownFailure]
    /// Which of the behaviours are tried in a quick run. `CARREL_FULL=1` tries all of them on each storage.
    var share = Share.all
    /// Connects, makes a folder, and takes everything back after the body.
    let use: @Sendable (_ body: Body) async throws -> ConformanceResult

    var testDescription: String { name }

    static let all: [ConformanceStorage] = {
        var all = [local, memory] + TestServers.webDAV.map(webDAV) + [http, s3].compactMap { $0 } + ftp + sftp
        for index in all.indices where all[index].column == nil {
            all[index].share = shares[all[index].name] ?? .all
        }
        return all
    }()

    /// Columns whose server is not there in this run.
    static let missing = columns.filter { column in !all.contains { $0.column == column } }
    static let columns =
        [
            "Local", "Memory", "WebDAV: Apache", "WebDAV: nginx", "WebDAV: rclone", "WebDAV: lighttpd",
            "WebDAV: WsgiDAV", "HTTP: nginx",
            "S3: moto",
        ] + TestServers.ftpPrograms.map { "FTP: \($0)" } + TestServers.sftpNames.compactMap(sftpColumn)

    private static let local = ConformanceStorage(name: "a folder on this machine", column: "Local", known: []) {
        body in
        let root = try TemporaryFolder()
        return try await body(try LocalFileProvider(root: root.url), .root) { try LocalFileProvider(root: root.url) }
    }

    private static let memory = ConformanceStorage(name: "a tree in memory", column: "Memory", known: []) { body in
        let provider = MemoryFileProvider()
        return try await body(provider, .root) { provider }
    }

    private static func webDAV(_ server: TestServers.WebDAV) -> ConformanceStorage {
        let program = server.name.prefix { $0 != "," }
        let isColumn = server.name == program || server.name.hasSuffix(", Basic")
        return ConformanceStorage(
            name: server.name, column: isColumn ? "WebDAV: \(program)" : nil,
            known: KnownServerFailures.of(String(program))
        ) { body in
            try await server.withFolder { provider, folder in try await body(provider, folder) { try server.provider() }
            }
        }
    }

    private static let http = TestServers.environment["CARREL_TEST_NGINX_PLAIN_URL"].flatMap { URL(string: $0) }.map {
        url in
        ConformanceStorage(name: "nginx, without WebDAV", column: "HTTP: nginx", known: []) { body in
            func connect() throws -> WebFileProvider {
                try WebFileProvider(configuration: HTTPConfiguration(baseURL: url), options: TestServers.options())
            }
            return try await body(try connect(), .root, nil)
        }
    }
}

extension ConformanceStorage {
    /// Every behaviour, or one of `parts` shares of them. Storages that differ in login or encryption alone divide the
    /// behaviours between them: all were tried on the storage that they are like.
    struct Share: Sendable {
        static let all = Share(part: 0, of: 1)
        private static let places = Dictionary(
            uniqueKeysWithValues: Behaviour.all.enumerated().map { ($1.name, $0) })
        private static let isFull = TestServers.environment["CARREL_FULL"] == "1"

        private let part: Int
        private let parts: Int

        init(part: Int, of parts: Int) { (self.part, self.parts) = (part, parts) }

        func contains(_ behaviour: String) -> Bool {
            Self.isFull || Self.places[behaviour].map { $0 % parts == part } ?? true
        }

        var count: Int { Self.places.keys.count(where: contains) }
    }

    /// The shares of storages without a column, by their names.
    fileprivate static let shares: [String: Share] = [
        "Apache, Digest": Share(part: 0, of: 3), "Apache, TLS": Share(part: 1, of: 3),
        "nginx, HTTP/2": Share(part: 2, of: 3), "lighttpd, Digest": Share(part: 1, of: 3),
        "vsftpd, explicit TLS": Share(part: 0, of: 2), "ProFTPD, explicit TLS": Share(part: 1, of: 2),
        "OpenSSH, chroot, SFTP": Share(part: 0, of: 3),
    ]

    /// All in clear; with TLS those that want the session of the control connection for data.
    fileprivate static let ftp =
        (TestServers.ftp + TestServers.ftpes.filter { ["vsftpd", "ProFTPD"].contains($0.program) }).map { server in
            ConformanceStorage(
                name: server.testDescription, column: server.security == .clear ? "FTP: \(server.program)" : nil,
                known: KnownServerFailures.of(server.program)
            ) { body in
                try await server.withFolder { provider, folder in
                    try await body(provider, folder) { try server.provider() }
                }
            }
        }

    fileprivate static let sftp = TestServers.sftp.filter { isInKit($0.name) }.map { server in
        ConformanceStorage(
            name: "\(server.name), SFTP", column: sftpColumn(server.name),
            known: KnownServerFailures.ofSFTP(server.name)
        ) { body in
            try await server.withFolder { provider, folder in try await body(provider, folder) { try server.provider() }
            }
        }
    }

    /// All but rclone, whose server stalls under what the kit does beside all others; `carrel conform` tries it alone.
    private static func isInKit(_ name: String) -> Bool { name != "rclone" }

    /// Locked up in a folder or not, OpenSSH is the same.
    fileprivate static func sftpColumn(_ name: String) -> String? {
        isInKit(name) && !name.contains("chroot") ? "SFTP: \(name)" : nil
    }

    fileprivate static let s3 = TestServers.s3.map { server in
        ConformanceStorage(name: "moto, S3", column: "S3: moto", known: KnownServerFailures.of("moto")) { body in
            try await server.withFolder { provider, folder in try await body(provider, folder) { try server.provider() }
            }
        }
    }
}

/// What a run of the kit showed of a storage.
struct ConformanceResult: Sendable {
    let capabilities: Capabilities
    /// Names of the layer protocols that the provider conforms to.
    let protocols: [String]
    let report: Conformance.Report
}

/// Runs the kit once on each storage, for every test that asks.
actor ConformanceRuns {
    static let shared = ConformanceRuns()

    private var runs: [String: Task<ConformanceResult, any Error>] = [:]

    func result(of storage: ConformanceStorage) async throws -> ConformanceResult {
        let run = runs[storage.name] ?? Task { try await Self.run(on: storage) }
        runs[storage.name] = run
        return try await run.value
    }

    private static func run(on storage: ConformanceStorage) async throws -> ConformanceResult {
        try await storage.use { provider, folder, connect in
            let report = await Conformance(
                provider: provider, folder: folder, isIncluded: { storage.share.contains($0) }, known: storage.known,
                connect: connect
            ).run()
            return ConformanceResult(
                capabilities: try await provider.capabilities(), protocols: LayerProtocol.names(of: provider),
                report: report)
        }
    }
}

/// The protocols that a caller finds with `as?`.
struct LayerProtocol: Sendable {
    let name: String
    let isThere: @Sendable (any FileProviderBasic) -> Bool

    static let all = [
        LayerProtocol(name: "FileProviderOperations") { $0 is any FileProviderOperations },
        LayerProtocol(name: "FileProviderReadWrite") { $0 is any FileProviderReadWrite },
        LayerProtocol(name: "FileProviderPushWrite") { $0 is any FileProviderPushWrite },
        LayerProtocol(name: "FileProviderAppending") { $0 is any FileProviderAppending },
        LayerProtocol(name: "FileProviderBasicRemote") { $0 is any FileProviderBasicRemote },
        LayerProtocol(name: "FileProviderSymbolicLink") { $0 is any FileProviderSymbolicLink },
        LayerProtocol(name: "FileProviderMonitor") { $0 is any FileProviderMonitor },
        LayerProtocol(name: "FileProviderLongPolling") { $0 is any FileProviderLongPolling },
        LayerProtocol(name: "FileProviderSearch") { $0 is any FileProviderSearch },
        LayerProtocol(name: "FileProviderAttributes") { $0 is any FileProviderAttributes },
        LayerProtocol(name: "FileProviderExtendedAttributes") { $0 is any FileProviderExtendedAttributes },
        LayerProtocol(name: "ExtendedFileProvider") { $0 is any ExtendedFileProvider },
        LayerProtocol(name: "FileProviderSharing") { $0 is any FileProviderSharing },
        LayerProtocol(name: "FileProviderChecksums") { $0 is any FileProviderChecksums },
        LayerProtocol(name: "FileProviderTrash") { $0 is any FileProviderTrash },
        LayerProtocol(name: "FileProviderVersions") { $0 is any FileProviderVersions },
        LayerProtocol(name: "FileProviderSynchronization") { $0 is any FileProviderSynchronization },
    ]

    static func names(of provider: any FileProviderBasic) -> [String] {
        all.filter { $0.isThere(provider) }.map(\.name)
    }
}
