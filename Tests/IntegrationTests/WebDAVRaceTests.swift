import FileProviderCore
import Foundation
import Testing
import WebDAVFileProvider

/// Several programs that make a file of one name at the same moment, each with connections of its own.
@Suite(.serialized, .enabled(if: !TestServers.webDAV.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct WebDAVRaceTests {
    /// One configuration of each program: how the login and the bytes travel makes no difference.
    static let servers = TestServers.webDAV.filter { !$0.name.contains(",") || $0.name.hasSuffix(", Basic") }

    @Test(arguments: servers, [2, 8])
    func `of files made under one name at the same moment, one is there and the others are told`(
        _ server: TestServers.WebDAV, writers: Int
    ) async throws {
        // rclone answers 423 while it moves another's file.
        let providers = try (0..<writers).map { _ in try server.provider(TestServers.options(retries: 8)) }
        try await server.withFolder { reader, folder in
            var names: [String] = []
            var wrong: [String] = []
            let promises = try await reader.capabilities()[.exclusiveCreation]
            // Where two may win, each round takes as long as a server may need until it knows a file's size.
            for round in 0..<(promises == .native ? 100 : 8) {
                names.append("file-\(round)")
                let path = try folder.appending("file-\(round)")
                let results = await Self.write(path, with: providers)
                if let fault = try await Self.fault(in: results, path, reader) {
                    wrong.append("round \(round): \(fault)")
                }
            }
            // Elsewhere looking and moving are two steps. Locks would help nginx (`lock-use=always`), not Apache, which
            // loses some when several are taken at the same moment, nor WsgiDAV, which forgets one with the file that
            // it replaces.
            #expect((promises == .native) == ["rclone", "lighttpd, Basic"].contains(server.name))
            withKnownIssue("This server is not free of races", isIntermittent: true) {
                #expect(wrong == [])
            } when: {
                promises != .native
            }
            let left = try await reader.contentsOfDirectory(path: folder).map(\.name)
            #expect(left.sorted() == names.sorted())
        }
    }

    /// What each writer came to, in the order of the writers.
    private static func write(_ path: ProviderPath, with providers: [WebDAVFileProvider]) async -> [Result<
        FileObject, any Error
    >] {
        await withTaskGroup(of: (Int, Result<FileObject, any Error>).self) { group in
            for (index, provider) in providers.enumerated() {
                group.addTask {
                    do {
                        return (
                            index, .success(try await provider.writeContents(path: path, contents: content(of: index)))
                        )
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Of another length for each writer, so that neither bytes nor size can pass for another's.
    private static func content(of writer: Int) -> Data {
        Data(repeating: UInt8(ascii: "a") + UInt8(writer), count: 2000 + writer)
    }

    /// What is not as it should be after a round; nil for nothing.
    private static func fault(
        in results: [Result<FileObject, any Error>], _ path: ProviderPath, _ reader: WebDAVFileProvider
    ) async throws -> String? {
        let winners = results.indices.filter { (try? results[$0].get()) != nil }
        guard winners.count == 1, let winner = winners.first else { return "\(winners.count) have won" }
        for case .failure(let error) in results where (error as? CocoaError)?.code != .fileWriteFileExists {
            return "a loser was told \(error)"
        }
        guard try await reader.contents(path: path) == content(of: winner) else {
            return "the content is not the winner's"
        }
        return nil
    }
}
