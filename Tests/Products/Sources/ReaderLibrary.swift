import Foundation
import ReaderLibrary

// Opens an empty library, and shows what a driver would see of it.
let library = try await SQLiteBookLibrary.open(
    folder: URL(filePath: CommandLine.arguments[1]).appending(path: "library"))
let snapshot = try await library.snapshot()
let books = try await SQLiteSnapshotReader().books(in: snapshot)
print("\(books.count) books")
try await library.close()
