import FileProviderCore
import Foundation
import LocalFileProvider
import ProviderDoubles
import SFTPFileProvider
import Testing

/// What real SFTP servers can do: folders, trees, links, hashes.
@Suite(.serialized, .enabled(if: !TestServers.sftp.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct SFTPTests {
    @Test(arguments: TestServers.sftp)
    func `capabilities are what the server has`(_ server: TestServers.SFTP) async throws {
        let capabilities = try await server.provider().capabilities()
        let isOpenSSH = server.name.hasPrefix("OpenSSH")
        #expect(capabilities[.serverSideCopying] == (isOpenSSH || server.name == "asyncssh" ? .native : .unavailable))
        #expect(capabilities[.symbolicLinks] == (server.hasLinks ? .native : .unavailable))
        #expect(capabilities[.atomicReplacement] == .native)
        #expect(capabilities[.resumingWrites] == (server.name == "rclone" ? .unavailable : .native))
        #expect(capabilities.timePrecision == 1 && capabilities.hashKinds.isEmpty)
    }

    @Test(arguments: TestServers.sftp.filter { $0.name != "rclone" })
    func `the ssh program is a way, too`(_ server: TestServers.SFTP) async throws {
        var options = TestServers.sftpOptions(nil)
        options.trust.identities = [try TestServers.sshKey("ED25519")]
        try await server.withFolder(options, { $0.transport = .program }) { provider, folder in
            try await SFTPFiles.with { file, location in
                let local = try LocalFileProvider(root: location)
                let (name, up) = try (ProviderPath(file.lastPathComponent), folder.appending("up"))
                try await TreeCopy().copyFile(name, of: local, to: up, of: provider)
                #expect(FileManager.default.contentsEqual(atPath: file.path, andPath: server.location(up).path))
                try await TreeCopy().copyFile(up, of: provider, to: ProviderPath("down"), of: local)
                #expect(
                    FileManager.default.contentsEqual(atPath: file.path, andPath: location.appending(path: "down").path)
                )
                let end = try Data(contentsOf: file).suffix(7)
                #expect(try await provider.contents(path: up, part: .suffix(7)) == end)
            }
            for number in 0..<200 {
                try await provider.writeContents(path: folder.appending("\(number)"), contents: Data("x".utf8))
            }
            #expect(try await provider.contentsOfDirectory(path: folder).count == 201)
            let error = await #expect(throws: CocoaError.self) {
                try await provider.attributesOfItem(path: folder.appending("none"))
            }
            #expect(error?.code == .fileReadNoSuchFile)
        }
    }

    @Test(arguments: TestServers.sftp)
    func `space is told where the server tells it`(_ server: TestServers.SFTP) async throws {
        let volume = try await server.provider().storageProperties()
        #expect((volume == nil) == (server.name == "rclone"))
        if let volume { #expect(volume.totalCapacity ?? 0 > 0 && volume.availableCapacity ?? -1 >= 0) }
    }

    @Test(arguments: TestServers.sftp)
    func `a listing of ten thousand items is whole`(_ server: TestServers.SFTP) async throws {
        try await server.withFolder { provider, folder in
            for index in 0..<10_000 {
                _ = FileManager.default.createFile(
                    atPath: server.location(folder).appending(path: "file \(index)").path, contents: nil)
            }
            let items = try await provider.contentsOfDirectory(path: folder)
            #expect(items.count == 10_000 && Set(items.map(\.name)).count == 10_000)
            #expect(items.allSatisfy { $0.isRegularFile && $0.size == 0 && $0.modifiedDate != nil })
            // rclone lists the folder anew for each file that is removed over SFTP.
            for item in items { try FileManager.default.removeItem(at: server.location(item.path)) }
        }
    }

    @Test(arguments: TestServers.sftp)
    func `a tree goes up, is renamed, copied, comes down and is removed`(_ server: TestServers.SFTP) async throws {
        let local = try TemporaryFolder()
        for index in 0..<20 {
            let inner = local.url.appending(path: "up/folder \(index)/deep")
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
            for number in 0..<9 {
                try patterned(number * 3_000, seed: index).write(
                    to: inner.appending(path: number == 0 ? ".hidden" : "file \(number)"))
            }
        }
        let disk = try LocalFileProvider(root: local.url)
        try await server.withFolder { provider, folder in
            let (up, moved, copied) = (
                try folder.appending("up"), try folder.appending("moved"), try folder.appending("copied")
            )
            let sent = try await TreeCopy().copyFolder(ProviderPath("up"), of: disk, to: up, of: provider)
            #expect(sent.copied == 180 && sent.failed.isEmpty)
            try await provider.moveItem(path: up, to: moved)
            try await provider.copyItem(path: moved, to: copied)
            #expect(try server.names(folder) == ["copied", "moved"])
            let got = try await TreeCopy().copyFolder(copied, of: provider, to: ProviderPath("down"), of: disk)
            #expect(got.copied == 180 && got.failed.isEmpty && got.bytes == sent.bytes)
            for index in 0..<20 {
                for name in try FileManager.default.contentsOfDirectory(
                    atPath: local.url.appending(path: "up/folder \(index)/deep").path)
                {
                    let paths = ["up", "down"].map {
                        local.url.appending(path: "\($0)/folder \(index)/deep/\(name)").path
                    }
                    #expect(FileManager.default.contentsEqual(atPath: paths[0], andPath: paths[1]))
                }
            }
            try await provider.removeItem(path: moved)
            #expect(try server.names(folder) == ["copied"])
        }
    }

    @Test(arguments: TestServers.sftp.filter(\.hasLinks))
    func `links are made, told, and not followed when a tree is removed`(_ server: TestServers.SFTP) async throws {
        try await server.withFolder { provider, folder in
            let (tree, outside) = (try folder.appending("tree"), try folder.appending("outside"))
            let file = try outside.appending("file")
            for location in [tree, outside] { try await provider.createFolder(path: location) }
            try await provider.writeContents(path: file, contents: Data("kept".utf8))
            let link = try tree.appending("link")
            try await provider.createSymbolicLink(path: link, text: "../outside")
            try await provider.createSymbolicLink(path: tree.appending("dangling"), text: "nowhere")
            #expect(
                try FileManager.default.destinationOfSymbolicLink(atPath: server.location(link).path) == "../outside")
            let items = try await provider.contentsOfDirectory(path: tree)
            #expect(items.count == 2 && items.allSatisfy(\.isSymbolicLink))
            #expect(try await provider.attributesOfItem(path: link).isSymbolicLink)
            #expect(try await provider.destinationOfSymbolicLink(path: link).isDirectory)
            let error = await #expect(throws: CocoaError.self) {
                try await provider.createSymbolicLink(path: link, text: "x")
            }
            #expect(error?.code == .fileWriteFileExists)
            try await provider.removeItem(path: tree)
            #expect(try server.names(folder) == ["outside"])
            #expect(try Data(contentsOf: server.location(file)) == Data("kept".utf8))
            // The link alone, too.
            let other = try folder.appending("other")
            try server.link(other, to: "outside")
            try await provider.removeItem(path: other)
            #expect(try server.names(folder) == ["outside"] && server.names(outside) == ["file"])
        }
    }

    @Test func `the account's shell computes hashes, where it may`() async throws {
        let server = try TestServers.sftp("OpenSSH")
        try await server.withFolder(TestServers.sftpOptions(), { $0.usesShell = true }) { provider, folder in
            let path = try folder.appending("it's a \"$file\"; `x` \\ *")
            try server.put(path, Data("hello".utf8))
            #expect(try await provider.checksum(of: path, kind: "md5") == "5d41402abc4b2a76b9719d911017c592")
            #expect(
                try await provider.checksum(of: path, kind: "sha256")
                    == "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
            let missing = await #expect(throws: CocoaError.self) {
                _ = try await provider.checksum(of: folder.appending("missing"), kind: "md5")
            }
            #expect(missing?.code == .fileReadNoSuchFile)
            let plain = try server.provider()
            let error = await #expect(throws: CocoaError.self) { _ = try await plain.checksum(of: path, kind: "md5") }
            #expect(error?.code == .featureUnsupported)
        }
    }

    @Test(arguments: TestServers.sftp.filter { ["OpenSSH, chroot", "ProFTPD", "asyncssh"].contains($0.name) })
    func `where there is no shell, a hash is refused with a sentence`(_ server: TestServers.SFTP) async throws {
        try await server.withFolder(TestServers.sftpOptions(), { $0.usesShell = true }) { provider, folder in
            let path = try folder.appending("file")
            try server.put(path, Data("hello".utf8))
            await #expect {
                _ = try await provider.checksum(of: path, kind: "md5")
            } throws: { error in
                // A server opens no channel for commands, or a shell that knows no command.
                (error as? CocoaError)?.code == .featureUnsupported
                    || (error as? URLError)?.code == .resourceUnavailable
            }
            // The connection lives on.
            #expect(try await provider.contents(path: path) == Data("hello".utf8))
        }
    }
}
