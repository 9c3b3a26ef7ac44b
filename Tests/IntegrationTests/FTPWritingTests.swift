import FTPFileProvider
import FileProviderCore
import Foundation
import Testing

/// Writing to real FTP servers, and what they do with copies and trees.
@Suite(.serialized, .enabled(if: !TestServers.ftp.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct FTPWritingTests {
    @Test(arguments: TestServers.ftp)
    func `a copy is made by the server where it can, else through this machine`(_ server: TestServers.FTP) async throws
    {
        let start = try server.endOfLog()
        try await server.withFolder { provider, folder in
            let (a, b) = (try folder.appending("a"), try folder.appending("b"))
            try server.put(a, patterned(500_000))
            try await provider.copyItem(path: a, to: b)
            #expect(try Data(contentsOf: server.location(b)) == patterned(500_000))
            let error = await #expect(throws: CocoaError.self) { try await provider.copyItem(path: a, to: b) }
            #expect(error?.code == .fileWriteFileExists)
            try server.put(a, Data("new".utf8))
            try await provider.copyItem(path: a, to: b, overwrite: true)
            #expect(try Data(contentsOf: server.location(b)) == Data("new".utf8))
            #expect(try server.names(folder) == ["a", "b"])
            guard server.logsCommands else { return }
            let verbs = try server.verbs(naming: folder, since: start)
            #expect(verbs.contains("RETR") == (server.program != "ProFTPD"))
            let copies = try server.commands(since: start).filter {
                $0.command.contains("CPTO") && $0.command.contains(folder.string)
            }
            #expect(copies.isEmpty == (server.program != "ProFTPD"))
        }
    }

    @Test(arguments: TestServers.ftp)
    func `a tree is renamed in one step, and removed with all it holds`(_ server: TestServers.FTP) async throws {
        try await server.withFolder { provider, folder in
            let (old, new) = (try folder.appending("old"), try folder.appending("new"))
            try await provider.createFolder(path: old)
            for index in 0..<20 {
                let inner = try old.appending("folder \(index)")
                try await provider.createFolder(path: inner)
                for number in 0..<9 { try server.put(inner.appending(number == 0 ? ".hidden" : "file \(number)")) }
            }
            try await provider.moveItem(path: old, to: new)
            #expect(try server.names(folder) == ["new"])
            #expect(try await provider.contentsOfDirectory(path: new).count == 20)
            try await provider.removeItem(path: new)
            #expect(try server.names(folder) == [])
        }
    }

    /// What the account of the server may not do: its folder is made unwritable on disk.
    @Test(arguments: TestServers.ftp)
    func `without the right to write nothing is written and nothing is left`(_ server: TestServers.FTP) async throws {
        // Whoever runs the servers as the same user and is root may do everything.
        try await server.withFolder { provider, folder in
            let shut = try folder.appending("shut")
            let file = try shut.appending("file")
            try await provider.createFolder(path: shut)
            try await provider.writeContents(path: file, contents: Data("old".utf8))
            try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: server.location(shut).path)
            let other = try folder.appending("other")
            try server.put(other)
            let attempts: [@Sendable () async throws -> Void] = [
                { try await provider.writeContents(path: shut.appending("new"), contents: Data("1".utf8)) },
                {
                    let inPlace = WriteOptions(placement: .inPlace)
                    _ = try await provider.writeContents(
                        path: shut.appending("new"), from: DataSource(Data("1".utf8)), options: inPlace)
                },
                { try await provider.createFolder(path: shut.appending("folder")) },
                { try await provider.removeItem(path: file) },
                { try await provider.moveItem(path: file, to: folder.appending("moved")) },
                { try await provider.moveItem(path: other, to: shut.appending("moved")) },
            ]
            for (index, attempt) in attempts.enumerated() {
                let error = await #expect(throws: (any Error).self) { try await attempt() }
                // vsftpd tells a file that may not be made from one that cannot be, and nothing else, from the other.
                let isTold = (error as? CocoaError)?.code == .fileWriteNoPermission
                #expect(
                    isTold || (error as? FTPReplyError)?.code.rawValue ?? 0 >= 550,
                    "\(index): \(String(describing: error))")
                #expect(try server.names(shut) == ["file"])
            }
            #expect(try server.names(folder) == ["other", "shut"])
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: server.location(shut).path)
        }
    }
}
