import FTPFileProvider
import FileProviderCore
import Foundation
import SFTPFileProvider
import Testing
import WebDAVFileProvider

/// A real server of any kind whose files lie on this machine: for what all of them do by the same code.
struct TestServer: Sendable, CustomTestStringConvertible, ServerDisk {
    let testDescription: String
    let data: URL
    /// Options as the tests of this kind of server have them, with a login and a number of retries.
    let options: @Sendable (_ credential: Credential?, _ retries: Int) -> ConnectionOptions
    let connect: @Sendable (ConnectionOptions) throws -> any FileProvider
    /// Words that the sentence about a refused password has, where they are its own; nil where they are the server's.
    let refusal: String?
    /// Permissions that a file is written with; nil where only ``FileProviderAttributes`` sets them.
    let writtenPermissions: UInt16?

    init(_ server: TestServers.WebDAV) {
        testDescription = "WebDAV: \(server.name)"
        data = server.data
        options = { TestServers.options($0, retries: $1) }
        connect = { try server.provider($0) }
        refusal = "refused this user and password"
        writtenPermissions = nil
    }

    init(_ server: TestServers.FTP) {
        testDescription = "FTP: \(server.testDescription)"
        data = server.data
        options = { credential, retries in
            var options = TestServers.options(credential, retries: retries)
            options.timeouts = TestServers.ftpOptions.timeouts
            return options
        }
        connect = { try server.provider($0) }
        refusal = nil
        writtenPermissions = nil
    }

    init(_ server: TestServers.SFTP) {
        testDescription = "SFTP: \(server.name)"
        data = server.data
        options = { TestServers.sftpOptions($0, retries: $1) }
        connect = { try server.provider($0) }
        refusal = "reader"
        writtenPermissions = 0o646
    }

    static let webDAV = TestServers.webDAV.map { TestServer($0) }
    static let ftp = TestServers.ftp.map { TestServer($0) }
    /// FTP with `AUTH TLS`.
    static let ftpes = TestServers.ftpes.map { TestServer($0) }
    static let sftp = TestServers.sftp.map { TestServer($0) }

    /// A new folder on the server for one test, removed at its end.
    func withFolder(_ body: (any FileProvider, ProviderPath) async throws -> Void) async throws {
        let provider = try connect(options(TestServers.credential, 1))
        try await TestServers.withFolder(of: provider, removedBy: { try connect(options(TestServers.credential, 1)) }) { folder in
            try await body(provider, folder)
        }
    }
}
