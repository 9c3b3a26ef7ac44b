import FTPFileProvider
import FileProviderCore
import Foundation
import SFTPFileProvider
import Testing
import WebDAVFileProvider

/// A real server of any kind whose files lie on this machine: for what all of them do by the same code.
struct TestServer: Sendable, CustomTestStringConvertible, ServerDisk {
    let testDescription: String
    let url: URL
    let data: URL
    /// Options as the tests of this kind of server have them, with a login and a number of retries.
    let options: @Sendable (_ credential: Credential?, _ retries: Int) -> ConnectionOptions
    /// Connects to ``url``, or to another folder of the server.
    let connect: @Sendable (_ url: URL, ConnectionOptions) throws -> any FileProvider
    /// Words that the sentence about a refused password has, where they are its own; nil where they are the server's.
    let refusal: String?
    /// Permissions that a file is written with; nil where only ``FileProviderAttributes`` sets them.
    let writtenPermissions: UInt16?

    init(_ server: TestServers.WebDAV) {
        testDescription = "WebDAV: \(server.name)"
        (url, data) = (server.url, server.data)
        options = { TestServers.options($0, retries: $1) }
        connect = { url, options in
            var server = server
            server.url = url
            return try server.provider(options)
        }
        refusal = "refused this user and password"
        writtenPermissions = nil
    }

    init(_ server: TestServers.FTP) {
        testDescription = "FTP: \(server.testDescription)"
        (url, data) = (server.url, server.data)
        options = { credential, retries in
            var options = TestServers.options(credential, retries: retries)
            options.timeouts = TestServers.ftpOptions.timeouts
            return options
        }
        connect = { url, options in
            var server = server
            server.url = url
            return try server.provider(options)
        }
        refusal = nil
        writtenPermissions = nil
    }

    init(_ server: TestServers.SFTP) {
        testDescription = "SFTP: \(server.name)"
        (url, data) = (server.url, server.data)
        options = { TestServers.sftpOptions($0, retries: $1) }
        connect = { url, options in
            var server = server
            server.url = url
            return try server.provider(options)
        }
        refusal = "reader"
        writtenPermissions = 0o646
    }

    static let webDAV = TestServers.webDAV.map { TestServer($0) }
    static let ftp = TestServers.ftp.map { TestServer($0) }
    /// FTP with `AUTH TLS`.
    static let ftpes = TestServers.ftpes.map { TestServer($0) }
    static let sftp = TestServers.sftp.map { TestServer($0) }

    /// Connects to ``url`` as the tests do.
    func provider() throws -> any FileProvider { try connect(url, options(TestServers.credential, 1)) }

    /// A new folder on the server for one test, removed at its end.
    func withFolder(_ body: (any FileProvider, ProviderPath) async throws -> Void) async throws {
        let provider = try self.provider()
        try await TestServers.withFolder(of: provider, removedBy: { try self.provider() }) { folder in
            try await body(provider, folder)
        }
    }
}
