import Foundation
import PublicationServer

// Mounts a book in memory, and answers a request for its chapter as an app's HTTP server would.
let chapter = Link(href: "chapter.txt", type: "text/plain")
let book = Publication(
    manifest: Manifest(metadata: Metadata(title: LocalizedString("Lamp")), readingOrder: [chapter]),
    fetcher: ProxyFetcher(string: { _ in "It was dark." }))
let server = try PublicationServer()
let path = server.mount(book)
let answer = await server.respond(to: ServerRequest(target: path + "chapter.txt", headers: [("Host", "localhost")]))
if case .data(let data) = answer.body { print(answer.status, String(decoding: data, as: UTF8.self)) }
