import Cryptography
import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import SampleBooks
import Shelf
import WebServer

@testable import ShelfServer

/// A server of a shelf of books in memory, which answers without a socket.
final class ServerBench: Sendable {
    static let password = "correct horse"
    static let key = Data(repeating: 7, count: 32)

    let memory: MemoryFileProvider
    let people: PeopleStore
    let shelf: Shelf
    let server: ShelfServer
    private let temporary: TemporaryFolder

    init(
        _ access: ShelfServerConfiguration.Access = .users, books: [String: Data] = [:], others: [ShelfSource] = [],
        log: RecordedLog? = nil, change: (inout ShelfServerConfiguration) -> Void = { _ in }
    ) async throws {
        let (temporary, memory) = (try TemporaryFolder(), MemoryFileProvider())
        for (path, data) in books {
            let path = try ProviderPath("books/" + path)
            try await memory.createFolderWithParents(path: path.parent ?? .root)
            try await memory.writeContents(path: path, contents: data, overwrite: true)
        }
        if books.isEmpty { try await memory.createFolderWithParents(path: try ProviderPath("books")) }
        let source = ShelfSource(provider: memory, root: try ProviderPath("books"))
        let shelf = try await Shelf.open(folder: temporary.url, sources: [source] + others)
        _ = try await shelf.scan()
        let people = try await Self.people(in: temporary.url)
        var configuration = ShelfServerConfiguration(key: Self.key, access: access)
        change(&configuration)
        server = try ShelfServer(shelf: shelf, people: people, configuration: configuration, logger: log?.logger)
        self.temporary = temporary
        self.memory = memory
        self.shelf = shelf
        self.people = people
    }

    /// Accounts with cheap passwords.
    static func people(in folder: URL, now: @escaping @Sendable () -> Date = { Date() }) async throws -> PeopleStore {
        let cheap = PasswordHash.Parameters(logarithm: 4, blockSize: 1, passes: 1)!
        return try await PeopleStore.open(folder: folder, parameters: cheap, now: now)
    }

    /// Closes everything.
    func close() async throws {
        await server.books.closeAll()
        try await people.close()
        try await shelf.close()
    }

    func ask(
        _ target: String, method: String = "GET", _ fields: [(name: String, value: String)] = [], body: String = "",
        remote: String = "127.0.0.1"
    ) async -> ServerResponse {
        let host: [(name: String, value: String)] = [("Host", "127.0.0.1:8080")]
        let hasHost = fields.contains { $0.name == "Host" }
        return await server.respond(
            to: ServerRequest(
                method: method, target: target, headers: hasHost ? fields : host + fields, body: Data(body.utf8),
                remoteAddress: remote))
    }

    /// The field by which a client sends a name and a password.
    static func basic(_ name: String, _ password: String = password) -> [(name: String, value: String)] {
        [("Authorization", "Basic " + Data("\(name):\(password)".utf8).base64EncodedString())]
    }

    func book(_ title: String) async throws -> ShelfBook? {
        try await shelf.books(ShelfQuery(limit: 500)).books.first { $0.metadata.title.string == title }
    }
}

extension ServerResponse {
    /// All bytes of the body, also those that are read while they are sent.
    func bytes() async throws -> Data {
        switch body {
        case .none: return Data()
        case .data(let data): return data
        case .stream(_, let send):
            let sink = DataSink(limit: 64 << 20)
            try await send(sink)
            return sink.data
        }
    }

    /// The values of all fields `name`.
    func values(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}
