// Also depends on the product LocalFileProvider.
import Foundation
import LocalFileProvider
import ShelfServer

// Scans a folder of books, and answers a reading app's request for the catalogue, as an app's HTTP server would.
let folder = URL(filePath: CommandLine.arguments[2])
let source = ShelfSource(provider: try LocalFileProvider(root: URL(filePath: CommandLine.arguments[1])))
let shelf = try await Shelf.open(folder: folder, sources: [source])
try await shelf.scan()
let people = try await PeopleStore.open(folder: folder)
let server = try ShelfServer(shelf: shelf, people: people)
let answer = await server.respond(to: ServerRequest(target: "/opds/2.0/new", headers: [("Host", "localhost")]))
if case .data(let data) = answer.body {
    print(answer.status, String(decoding: data, as: UTF8.self).contains("The Lamp at the Carrel"))
}
try await people.close()
try await shelf.close()
