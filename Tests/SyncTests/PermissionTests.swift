import FileProviderCore
import Foundation
import LocalFileProvider
import Sync
import Testing

/// What a user may not read or write. Root may do everything, so a process of its own becomes nobody.
@Suite(.timeLimit(.minutes(2))) struct PermissionTests {
    /// Two folders on disk, and one of the state.
    private struct Location {
        let root: String

        init() throws {
            if geteuid() == 0 { try #require(setgid(65_534) == 0 && setuid(65_534) == 0) }
            root = "/tmp/carrel-sync-\(UInt64.random(in: 0 ... .max))"
            for name in ["", "/a", "/b", "/states"] { try #require(mkdir(root + name, 0o700) == 0) }
        }

        func write(_ text: String, _ name: String) throws {
            try text.write(toFile: root + name, atomically: false, encoding: .utf8)
        }

        func close(_ name: String, _ mode: mode_t) throws { try #require(chmod(root + name, mode) == 0) }

        func remove() {
            for name in ["/b", "/states"] { _ = chmod(root + name, 0o700) }
            try? FileManager.default.removeItem(atPath: root)
        }

        func run(state: String = "/states/state.db") async throws -> FolderSyncReport {
            let disk = try LocalFileProvider(root: URL(fileURLWithPath: "/"))
            let folders = try ["/a", "/b"].map {
                SyncFolder(ProviderLocation(provider: disk, path: try ProviderPath(root + $0)), label: "")
            }
            let sync = try await FolderSync(folders[0], folders[1], state: URL(fileURLWithPath: root + state))
            let report: FolderSyncReport
            do { report = try await sync.run() } catch {
                try await sync.close()
                throw error
            }
            try await sync.close()
            return report
        }
    }

    @Test func `a file that cannot be read is the source's, and one that cannot be replaced goes by its own name`()
        async
    {
        await #expect(processExitsWith: .success) {
            let location = try Location()
            defer { location.remove() }
            try location.write("1", "/a/there")
            _ = try await location.run()
            try location.write("secret", "/a/secret")
            try location.close("/a/secret", 0)
            var report = try await location.run()
            try #require(report.failed.map(\.side) == [.source] && report.failed[0].path.string == "/secret")
            try #require((report.failed[0].error as? CocoaError)?.code == .fileReadNoPermission)
            try location.close("/a/secret", 0o600)
            try location.write("another", "/a/there")
            try location.close("/b", 0o500)
            report = try await location.run()
            try #require(report.failed.count == 2 && report.failed.allSatisfy { $0.side == .destination })
            try #require(report.failed.contains { $0.reason.contains("\(location.root)/b/there”") })
            try #require(!report.failed.contains { $0.reason.contains(TemporaryName.suffix) })
        }
    }

    @Test func `a state is its owner's alone, and one that may not be made or written is refused as such`() async {
        await #expect(processExitsWith: .success) {
            let location = try Location()
            defer { location.remove() }
            _ = try await location.run()
            let mode =
                try FileManager.default.attributesOfItem(atPath: location.root + "/states/state.db")[.posixPermissions]
                as? Int
            try #require(mode == 0o600)
            func expectRefusal(_ state: String) async throws {
                do {
                    _ = try await location.run(state: state)
                    Issue.record("\(state) was taken")
                } catch { try #require((error as? CocoaError)?.code == .fileWriteNoPermission, "\(error)") }
            }
            try location.close("/states/state.db", 0o400)
            try await expectRefusal("/states/state.db")
            try location.close("/states/state.db", 0o600)
            try location.close("/states", 0o500)
            for state in ["/states/state.db", "/states/other.db", "/states/in/it.db"] { try await expectRefusal(state) }
        }
    }
}
