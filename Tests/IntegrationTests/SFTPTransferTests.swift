import FileProviderCore
import Foundation
import ProviderDoubles
import SFTPFileProvider
import Testing

/// Files large and small on their way to real SFTP servers and back.
@Suite(.serialized, .enabled(if: !TestServers.sftp.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct SFTPTransferTests {
    private static let size = SFTPFiles.size

    private func upAndDown(
        _ server: TestServers.SFTP, _ options: ConnectionOptions = TestServers.sftpOptions(),
        _ placement: WriteOptions.Placement = .published
    ) async throws {
        try await SFTPFiles.with { file, local in
            try await server.withFolder(options) { provider, folder in
                let path = try folder.appending("file")
                let written = try await provider.copyItem(
                    localFile: file, to: path, options: WriteOptions(placement: placement))
                #expect(written.size == Int64(Self.size))
                #expect(FileManager.default.contentsEqual(atPath: file.path, andPath: server.location(path).path))
                let copy = local.appending(path: "copy")
                try await provider.copyItem(path: path, toLocalURL: copy)
                #expect(FileManager.default.contentsEqual(atPath: file.path, andPath: copy.path))
                #expect(try server.names(folder) == ["file"])
            }
        }
        #expect(options.counters[.retries] == 0)
    }

    @Test(arguments: TestServers.sftp)
    func `a large file goes up and comes down`(_ server: TestServers.SFTP) async throws { try await upAndDown(server) }

    @Test(arguments: TestServers.sftp.filter { $0.name != "OpenSSH, chroot" })
    func `a large file goes up in place`(_ server: TestServers.SFTP) async throws {
        try await upAndDown(server, TestServers.sftpOptions(), .inPlace)
    }

    @Test(arguments: ["OPENSSH_ONE", "OPENSSH_REKEY"])
    func `where there is one session, and where keys change on the way`(_ port: String) async throws {
        let server = try TestServers.sftp(port: port, of: "OpenSSH")
        try await upAndDown(server)
        try await crowd(server)
    }

    @Test(arguments: TestServers.sftp)
    func `forty operations at once`(_ server: TestServers.SFTP) async throws { try await crowd(server) }

    /// With large files among the small ones.
    private func crowd(_ server: TestServers.SFTP) async throws {
        let options = TestServers.sftpOptions()
        try await server.withFolder(options) { provider, folder in
            try await runFortyOperations(on: provider, in: folder) { index in
                index % 8 == 3 ? patterned(3_000_000, seed: index) : Data("contents of \(index)".utf8)
            }
        }
        #expect(options.counters[.retries] == 0)
    }

    @Test(arguments: TestServers.sftp)
    func `parts of a file are read, many at once`(_ server: TestServers.SFTP) async throws {
        try await server.withFolder { provider, folder in
            let path = try folder.appending("file")
            let data = patterned(3_000_000)
            try server.put(path, data)
            let reader = try await provider.open(path: path)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<64 {
                    group.addTask {
                        let range = index * 45_000..<index * 45_000 + index * 2_000
                        let part = try await reader.read(Int64(range.lowerBound)..<Int64(range.upperBound))
                        #expect(part == data[range])
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await reader.read(.suffix(1000)).data == data.suffix(1000))
            #expect(try await reader.read(2_999_000..<3_500_000) == data.suffix(1000))
            await reader.close()
        }
    }

    /// Without rclone, which brings the part of a broken upload to light again when it was removed.
    @Test(arguments: TestServers.sftp.filter { $0.name != "rclone" })
    func `a cancelled transfer ends, and leaves nothing`(_ server: TestServers.SFTP) async throws {
        var options = TestServers.sftpOptions()
        options.bandwidth = 16 << 20
        try await SFTPFiles.with { [options] file, local in
            try await server.withFolder(options) { provider, folder in
                let (path, there) = (try folder.appending("file"), try folder.appending("there"))
                let write = Task { try await provider.copyItem(localFile: file, to: path) }
                try await eventually { try self.bytes(in: folder, on: server) > 1 << 20 }
                write.cancel()
                await #expect(throws: CancellationError.self) { _ = try await write.value }
                try await eventually { try server.names(folder).isEmpty }
                try server.put(there, Data(count: Self.size))
                let copy = local.appending(path: "copy")
                let read = Task { try await provider.copyItem(path: there, toLocalURL: copy) }
                read.cancel()
                await #expect(throws: CancellationError.self) { try await read.value }
                #expect(try FileManager.default.contentsOfDirectory(atPath: local.path) == ["file"])
                // What else the provider is asked for is not held up.
                #expect(try await provider.contentsOfDirectory(path: folder).map(\.name) == ["there"])
            }
        }
    }

    private func bytes(in folder: ProviderPath, on server: TestServers.SFTP) throws -> Int {
        try server.names(folder).reduce(0) { sum, name in
            let file = server.location(folder).appending(path: name).path
            return sum + ((try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0)
        }
    }
}
