import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import Testing

/// Moves and copies on a storage to which `Folder` and `folder` are one name.
@Suite final class CaseRenameTests {
    /// The item's name, and whether it is a folder.
    private let item = LockedValue<String?>("Folder")
    private let server: FaultServer
    private let provider: HTTPFileProvider<DriveService>

    init() throws {
        let item = item
        server = try FaultServer { request in item.update { Self.answer(request, &$0) } }
        var service = DriveService()
        service.isCaseSensitive = false
        provider = try HTTPFileProvider(service: service, url: server.url())
    }

    deinit {
        server.stop()
    }

    private static func answer(_ request: FaultServer.Request, _ item: inout String?) -> FaultServer.Answer {
        let parts = request.target.split(separator: "?", maxSplits: 1).map(String.init)
        let (path, query) = (parts[0], parts.count > 1 ? parts[1] : "")
        let isThere = path.dropFirst().lowercased() == item?.lowercased()
        switch request.method {
        case "GET" where query == "meta" && (isThere || path == "/"):
            return json(DriveItem(name: item ?? "", isFolder: true, size: 0, tag: "\"1\""))
        case "GET" where query.hasPrefix("list"): return json(DrivePage(items: [], next: nil))
        case "POST" where query.hasPrefix("move=") && isThere:
            item = String(query.trimmingPrefix("move=").trimmingPrefix("/"))
            return .reply(200)
        case "DELETE" where isThere:
            item = nil
            return .reply(204)
        default: return .reply(409, body: Data(#"{"reason": "missing"}"#.utf8))
        }
    }

    private static func json(_ value: some Encodable) -> FaultServer.Answer {
        .reply(200, body: (try? JSONEncoder().encode(value)) ?? Data())
    }

    @Test(arguments: [false, true])
    func `a folder that gets another case is renamed, and not removed before`(overwrite: Bool) async throws {
        try await provider.moveItem(
            path: ProviderPath("Folder"), to: ProviderPath("folder"), overwrite: overwrite, progress: ProgressReporter()
        )
        #expect(item.value == "folder")
        #expect(!server.requests.contains { $0.method == "DELETE" })
    }

    @Test(arguments: ["folder", "folder/below"])
    func `a copy into the folder itself is refused, whatever the case`(destination: String) async throws {
        let error = await #expect(throws: CocoaError.self) {
            try await provider.copyItem(
                path: ProviderPath("Folder"), to: ProviderPath(destination), overwrite: true,
                progress: ProgressReporter())
        }
        #expect(error?.code == .fileWriteInvalidFileName)
        #expect(item.value == "Folder" && !server.requests.contains { $0.method != "GET" })
    }

    @Test func `a folder is not moved into itself, whatever the case`() async throws {
        let error = await #expect(throws: CocoaError.self) {
            try await provider.moveItem(
                path: ProviderPath("Folder"), to: ProviderPath("folder/below"), overwrite: true,
                progress: ProgressReporter())
        }
        #expect(error?.code == .fileWriteInvalidFileName)
        #expect(item.value == "Folder" && !server.requests.contains { $0.method != "GET" })
    }

    @Test func `another empty folder in the way is removed as before`() async throws {
        // A storage that tells case apart takes them for two items; the double's one item stands in for both.
        let sensitive = try HTTPFileProvider(service: DriveService(), url: server.url())
        _ = try? await sensitive.moveItem(
            path: ProviderPath("Folder"), to: ProviderPath("FOLDER"), overwrite: true, progress: ProgressReporter())
        #expect(server.requests.contains { $0.method == "DELETE" })
    }
}
