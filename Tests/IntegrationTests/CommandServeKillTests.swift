import Carrel
import Foundation
import SampleBooks
import Testing

/// `carrel app serve` killed in the middle of a command, and started again: what a driver asked for is done once.
@Suite(.serialized) struct CommandServeKillTests {
    /// What is seen of the command when the application is killed.
    enum Moment: Sendable, CaseIterable {
        case commandThere, acknowledged, firstBook, thirdBook, commandGone
    }

    private static let books = (1...6).map { number in
        (
            title: "Book \(number)",
            data: SampleEPUB(title: "Book \(number)", uuid: "cccccccc-0000-4000-8000-00000000000\(number)")
        )
    }

    @Test(arguments: Moment.allCases)
    func `a command goes on after the application was killed`(_ moment: Moment) async throws {
        try await CommandRunner.use { runner in
            for book in Self.books { try runner.write("\(book.title).epub", book.data.data()) }
            let seen = LockedValue(false)
            let folder = runner.folder
            async let killed = serve(runner, SIGKILL) { Self.has(moment, folder, seen) }
            try await waitUntilOnline(runner)
            async let sent = runner.run(
                ["device", "upload", "--staging", "staging"] + Self.books.map { "\($0.title).epub" })
            #expect(try await killed.code == -SIGKILL)
            let isOver = LockedValue(false)
            // What the killed one left goes only once its successor has said that it is there.
            let left = Self.connected(folder)
            async let served = serve(runner, SIGINT) { isOver.value && Self.connected(folder) != left }
            let upload = try await sent
            #expect(upload.code == 0, "\(upload.error)")
            let listed = try await runner.run("device", "books", "--staging", "staging", "--json")
            isOver.update { $0 = true }
            let ended = try await served
            #expect(ended.code == 130, "\(ended.error)")
            let titles = (listed.json as? [[String: Any]])?.compactMap { $0["title"] as? String }
            #expect(titles?.sorted() == Self.books.map(\.title), "\(listed.error)")
            let files = try Self.names(folder, "library/Books").map {
                try Data(contentsOf: folder.appending(path: "library/Books/\($0)"))
            }
            #expect(try Set(files) == Set(Self.books.map { try $0.data.data() }) && files.count == Self.books.count)
            #expect(Self.names(folder, "staging").allSatisfy { !["upload_books.xml", "connected.xml"].contains($0) })
            #expect(Self.names(folder, "staging/documents") == [])
        }
    }

    private func serve(
        _ runner: CommandRunner, _ signal: Int32, _ isTime: @escaping @Sendable () -> Bool
    ) async throws -> CommandRunner.Outcome {
        try await runner.run(
            ["app", "serve", "--library", "library", "--staging", "staging"], interruptWhen: isTime, signal: signal)
    }

    private func waitUntilOnline(_ runner: CommandRunner) async throws {
        for _ in 0..<100 where try await runner.run("device", "probe", "--staging", "staging").code == 0 { return }
        Issue.record("The application does not come online.")
    }

    /// Whether it has come so far, or further.
    private static func has(_ moment: Moment, _ folder: URL, _ seen: LockedValue<Bool>) -> Bool {
        let staged = names(folder, "staging")
        if staged.contains("upload_books.xml") { seen.update { $0 = true } }
        guard seen.value else { return false }
        if !staged.contains("upload_books.xml") { return true }
        let books = names(folder, "library/Books").count
        return switch moment {
        case .commandThere: true
        case .acknowledged: staged.contains("status.xml") || books > 0
        case .firstBook: books >= 1
        case .thirdBook: books >= 3
        case .commandGone: false
        }
    }

    private static func connected(_ folder: URL) -> Data? {
        try? Data(contentsOf: folder.appending(path: "staging/connected.xml"))
    }

    private static func names(_ folder: URL, _ name: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: name).path)) ?? []
    }
}
