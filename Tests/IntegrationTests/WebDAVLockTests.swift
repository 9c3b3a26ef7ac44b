import FileProviderCore
import Foundation
import HTTPFileProvider
import Testing
import WebDAVFileProvider

/// Locks against real servers. `bash Tests/run.sh` starts them.
///
/// One after the other, because Apache loses locks when several are taken at the same moment.
@Suite(.serialized, .enabled(if: !TestServers.webDAV.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct WebDAVLockTests {
    @Test(arguments: WebDAVRaceTests.servers)
    func `while a file is locked its holder writes and nobody else does`(_ server: TestServers.WebDAV) async throws {
        try await server.withFolder { provider, folder in
            let path = try folder.appending("f")
            let other = try server.provider(TestServers.options(retries: 0))
            try await provider.writeContents(path: path, contents: Data("old".utf8))
            try await provider.withLock(path: path) { lock in
                #expect(!lock.madeFile)
                let refused = await #expect(throws: HTTPStatusError.self) {
                    try await other.writeContents(path: path, contents: Data("theirs".utf8), overwrite: true)
                }
                #expect(refused?.code.rawValue == 423)
                let second = await #expect(throws: HTTPStatusError.self) { _ = try await other.lock(path: path) }
                #expect(second?.code.rawValue == 423)
                try await lock.refresh()
                try await provider.writeContents(path: path, contents: Data("ours".utf8), overwrite: true)
            }
            #expect(try await provider.contents(path: path) == Data("ours".utf8))
            try await other.writeContents(path: path, contents: Data("theirs".utf8), overwrite: true)
            #expect(try await provider.contents(path: path) == Data("theirs".utf8))
            #expect(try await provider.contentsOfDirectory(path: folder).map(\.name) == ["f"])
        }
    }

    @Test(arguments: WebDAVRaceTests.servers)
    func `a lock is given back after a failure and after a cancellation`(_ server: TestServers.WebDAV) async throws {
        struct BrokenError: Error {}
        try await server.withFolder { provider, folder in
            let path = try folder.appending("f")
            let other = try server.provider(TestServers.options(retries: 0))
            try await provider.writeContents(path: path, contents: Data("old".utf8))
            await #expect(throws: BrokenError.self) {
                try await provider.withLock(path: path) { _ in throw BrokenError() }
            }
            try await other.writeContents(path: path, contents: Data("1".utf8), overwrite: true)
            let (isHeld, signal) = AsyncStream<Never>.makeStream()
            let holding = Task {
                try await provider.withLock(path: path) { _ in
                    signal.finish()
                    try await Task.sleep(for: .seconds(60))
                }
            }
            for await _ in isHeld {}
            holding.cancel()
            await #expect(throws: CancellationError.self) { try await holding.value }
            try await other.writeContents(path: path, contents: Data("2".utf8), overwrite: true)
        }
    }

    @Test(arguments: WebDAVRaceTests.servers)
    func `a locked file can be removed and moved away by its holder`(_ server: TestServers.WebDAV) async throws {
        try await server.withFolder { provider, folder in
            for name in ["removed", "moved"] {
                let path = try folder.appending(name)
                try await provider.writeContents(path: path, contents: Data("x".utf8))
                try await provider.withLock(path: path) { _ in
                    if name == "removed" {
                        try await provider.removeItem(path: path)
                    } else {
                        try await provider.moveItem(path: path, to: folder.appending("there"))
                    }
                }
            }
            #expect(try await provider.contentsOfDirectory(path: folder).map(\.name) == ["there"])
        }
    }
}
