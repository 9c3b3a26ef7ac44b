import Carrel
import Foundation
import Logging
import Sync
import SyncInServiceGroup
import Testing

@Suite(.timeLimit(.minutes(2))) struct ServiceGroupTests {
    @Test func `a group of services keeps a pair in step, and ends it`() async throws {
        let bed = try DaemonBed()
        try bed.put("one/a.txt", "hello")
        let folder = try LocalFileProvider(root: bed.folder)
        func side(_ name: String) throws -> SyncFolder {
            SyncFolder(ProviderLocation(provider: folder, path: try ProviderPath(name)), label: name)
        }
        let sync = try await FolderSync(
            side("one"), side("two"), state: bed.folder.appending(path: "pair.db"),
            options: SyncOptions(direction: .twoWay))
        let service = SyncService(sync)
        let group = Task { try await runGroup([service], endsAtSignals: false, logger: Logger(label: "group")) }
        try await eventually { bed.text("two/a.txt") == "hello" }
        group.cancel()
        _ = await group.result
        // What it holds is given back: the state can be closed, and another run may follow.
        await service.stop()
        try await sync.close()
    }
}
