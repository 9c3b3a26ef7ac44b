import Carrel
import Foundation
import ProviderDoubles
import Testing

/// A storage of any kind with a way to a new folder on it: for what all of them do by the same code.
struct TestStorage: Sendable, CustomTestStringConvertible {
    typealias Body = @Sendable (_ provider: any FileProvider, _ folder: ProviderPath) async throws -> Void

    let testDescription: String
    /// Makes a folder, and removes it after the body.
    let use: @Sendable (_ body: Body) async throws -> Void

    static let local = TestStorage(testDescription: "a folder on this machine") { body in
        let root = try TemporaryFolder()
        try await body(try LocalFileProvider(root: root.url), .root)
    }

    static let memory = TestStorage(testDescription: "a tree in memory") { body in
        try await body(MemoryFileProvider(), .root)
    }

    /// A folder on this machine, a tree in memory, and every server of WebDAV, FTP and SFTP.
    static let all: [TestStorage] =
        [local, memory] + TestServers.webDAV.map(webDAV) + TestServers.ftp.map(ftp) + TestServers.sftp.map(sftp)

    static func webDAV(_ server: TestServers.WebDAV) -> TestStorage {
        TestStorage(testDescription: "WebDAV: \(server.name)") { body in
            try await server.withFolder { try await body($0, $1) }
        }
    }

    static func ftp(_ server: TestServers.FTP) -> TestStorage {
        TestStorage(testDescription: "FTP: \(server.testDescription)") { body in
            try await server.withFolder { try await body($0, $1) }
        }
    }

    static func sftp(_ server: TestServers.SFTP) -> TestStorage {
        TestStorage(testDescription: "SFTP: \(server.name)") { body in
            try await server.withFolder { try await body($0, $1) }
        }
    }

    static func s3(_ server: S3Server) -> TestStorage {
        TestStorage(testDescription: "S3: moto") { body in try await server.withFolder { try await body($0, $1) } }
    }
}
