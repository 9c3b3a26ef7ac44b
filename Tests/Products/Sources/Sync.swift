// Also depends on the product LocalFileProvider.
import Foundation
import LocalFileProvider
import Sync

// Brings a second folder in step with a first one.
try ProviderRegistry.shared.register(LocalFileProvider.registration)
let work = URL(filePath: CommandLine.arguments[2])
let target = work.appending(path: "copy")
try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
let sync = try await FolderSync(
    SyncFolder(ProviderRegistry.shared.location(of: URL(filePath: CommandLine.arguments[1])), label: "here"),
    SyncFolder(ProviderRegistry.shared.location(of: target), label: "there"), state: work.appending(path: "state.db"))
let report = try await sync.run()
try await sync.close()
print("\(report.created) created, \(report.failures) failed")
