import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Publication
@testable import PublicationServer
import SampleBooks
import Testing
import WebServer

/// A publication whose requests are answered without a connection, and whose storage counts what is asked of it.
struct ServedBook {
    static let origin = "http://127.0.0.1:8080"
    static let base = "/KEY/"

    let context: AnswerContext
    /// The archive's file.
    let reader: CountingReader
    /// What the publication asks its fetcher for.
    let fetcher: RecordingFetcher

    /// - Parameters:
    ///   - remote: Texts on the web by address.
    ///   - origins: Those that may read answers.
    ///   - version: Of the archive's file, if the storage knows it.
    ///   - fill: Writes the archive.
    init(
        _ manifest: Manifest, remote: [String: String] = [:], origins: [String] = [], version: String? = "1",
        _ fill: (ZIPBuilder) throws -> Void = { _ in }
    ) async throws {
        reader = try CountingReader(try ZIPBuilder.data(fill), validator: version)
        let archive = ArchiveFetcher(try await ZIPArchive.open(reader))
        let web = ProxyFetcher(resource: { link in
            guard let text = remote[link.href] else { return EmptyFetcher().get(link) }
            return BytesResource(link, string: text)
        })
        fetcher = RecordingFetcher(RoutingFetcher(local: archive, remote: web))
        context = Self.context(Publication(manifest: manifest, fetcher: fetcher), origins: origins)
    }

    static func context(_ publication: Publication, origins: [String] = []) -> AnswerContext {
        AnswerContext(
            served: ServedPublication(publication: publication, identity: "book"), origin: origin, base: base,
            allowsScripts: false, allowedOrigins: origins, logger: nil)
    }

    /// - Parameter path: Behind the base, with its query.
    func answer(
        _ path: String, method: String = "GET", _ headers: [(name: String, value: String)] = []
    ) async -> ServerResponse {
        await context.answer(path, method: method, headers)
    }

    /// Bytes that the storage was asked for by `body`.
    func bytesRead(_ body: () async throws -> Void) async rethrows -> Int64 {
        let before = reader.bytes
        try await body()
        return reader.bytes - before
    }
}

extension AnswerContext {
    func answer(
        _ path: String, method: String = "GET", _ headers: [(name: String, value: String)] = []
    ) async -> ServerResponse {
        let request = ServerRequest(method: method, target: base + path, headers: headers)
        return await PublicationAnswer.respond(to: request, rest: String(request.path.dropFirst(base.count)), self)
    }
}

/// A fetcher that remembers what it was asked for.
final class RecordingFetcher: Fetcher {
    private let base: any Fetcher
    private let hrefs = LockedValue<[String]>([])

    init(_ base: any Fetcher) { self.base = base }

    /// In order.
    var asked: [String] { hrefs.value }

    var children: [(label: String, fetcher: any Fetcher)] { [("all", base)] }

    func links() async throws -> [Link] { try await base.links() }

    func get(_ link: Link) -> any Resource {
        hrefs.update { $0.append(link.href) }
        return base.get(link)
    }

    func close() async { await base.close() }
}

extension ServerResponse {
    /// The body, as a connection would send it.
    func bytes() async throws -> Data {
        switch body {
        case .none: return Data()
        case .data(let data): return data
        case .stream(let count, let send):
            let sink = DataSink(limit: 64 << 20)
            try await send(sink)
            if let count { #expect(count == Int64(sink.data.count), "the length that was announced") }
            return sink.data
        }
    }

    func text() async throws -> String { String(decoding: try await bytes(), as: UTF8.self) }

    /// Whether a body is there at all.
    var hasBody: Bool { if case .none = body { false } else { true } }

    /// Whether the body is read while it is sent.
    var isStreamed: Bool { if case .stream = body { true } else { false } }
}

extension Manifest {
    /// A manifest of a reading order and resources, each `href type`; a type may be left out.
    static func of(_ order: [String], resources: [String] = [], title: String = "A Book") -> Manifest {
        func links(_ texts: [String]) -> [Link] {
            texts.map { text in
                let parts = text.split(separator: " ").map(String.init)
                return Link(href: parts[0], type: parts.count > 1 ? parts[1] : nil)
            }
        }
        return Manifest(
            metadata: Metadata(title: LocalizedString(title)), readingOrder: links(order), resources: links(resources))
    }
}

enum SampleText {
    static let chapter =
        "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>One</title></head><body><p>The lamp.</p></body></html>"

    static func noise(_ count: Int) -> Data {
        var numbers = SeededNumbers(seed: 7)
        return numbers.bytes(count)
    }
}
