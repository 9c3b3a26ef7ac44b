import FTPFileProvider
import FileProviderCore
import Foundation
import Testing

/// Hashes that a real server computes. ProFTPD has `HASH`, `MD5` and the commands that begin with X; the others have
/// none.
@Suite(.enabled(if: !TestServers.ftp.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct FTPServerHashTests {
    private let content = Data("hello world".utf8)

    @Test func `every kind that is declared is computed`() async throws {
        let server = try TestServers.ftp("ProFTPD")
        try await server.withFolder { provider, folder in
            let expected = [
                "sha256": "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
                "sha512": "309ecc489c12d6eb4cc40f50c902f2b4d0ed77ee511a7c7a9bcd3ca86d4cd86f"
                    + "989dd35bc5ff499670da34255b45b0cfd830e81f605dcf7dc5542e93ae9cd76f",
                "sha1": "2aae6c35c94fcfb415dbe95f408b9ce91ee846ed", "md5": "5eb63bbbe01eeed093cb22bb8f5acdc3",
                "crc32": "0d4a1185",
            ]
            #expect(try await Set(provider.capabilities().hashKinds) == Set(expected.keys))
            for name in ["plain", "a b", "ends in 0 2", "q\"q"] {
                let path = try folder.appending(name)
                try await provider.writeContents(path: path, contents: content)
                for (kind, value) in expected {
                    #expect(try await provider.checksum(of: path, kind: kind) == value, "\(kind) of \(name)")
                }
            }
            let missing = await #expect(throws: CocoaError.self) {
                try await provider.checksum(of: folder.appending("missing"), kind: "sha256")
            }
            #expect(missing?.code == .fileReadNoSuchFile)
            let directory = await #expect(throws: CocoaError.self) {
                try await provider.checksum(of: folder, kind: "sha256")
            }
            #expect(directory?.code == .fileReadUnknown)
        }
    }

    @Test(arguments: [0, 11, 3 << 20])
    func `with verify=hash uploads pass, and the server was asked`(_ size: Int) async throws {
        let server = try TestServers.ftp("ProFTPD")
        try await server.withFolder(TestServers.ftpOptions, { $0.verification = .hash }) { provider, folder in
            let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 7) })
            let path = try folder.appending("file")
            try await provider.writeContents(path: path, contents: data)
            #expect(try Data(contentsOf: server.location(path)) == data)
            let log = try String(decoding: Data(contentsOf: server.log), as: UTF8.self)
            #expect(log.contains("HASH \(folder.string)/.") || log.contains("HASH /\(folder.string)/."))
        }
    }

    @Test func `a part that the hash refutes replaces nothing, and is gone`() async throws {
        let server = try TestServers.ftp("ProFTPD")
        try await server.withFolder { provider, folder in
            let data = Data((0..<(2 << 20)).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) })
            let path = try folder.appending("file")
            var damaged = data.prefix(1 << 20)
            damaged[7] ^= 1
            try await provider.writeContents(path: TemporaryName.make(beside: path, for: "1"), contents: damaged)
            let error = await #expect(throws: CocoaError.self) {
                try await provider.writeContents(
                    path: path, from: DataSource(data), options: WriteOptions(resumption: "1"))
            }
            #expect(error?.code == .fileWriteUnknown)
            #expect(try await provider.contentsOfDirectory(path: folder).map(\.name) == [])
            // Under another name: ProFTPD keeps a hash by name, length and second.
            try await provider.writeContents(
                path: TemporaryName.make(beside: path, for: "2"), contents: data.prefix(1 << 20))
            _ = try await provider.writeContents(
                path: path, from: DataSource(data), options: WriteOptions(resumption: "2"))
            #expect(try Data(contentsOf: server.location(path)) == data)
        }
    }
}
