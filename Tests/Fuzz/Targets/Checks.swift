import FileProviderCore
import Foundation
import Publication

/// A manifest says the same once it was written and read again, and is no longer than what an input can say.
func checkManifest(_ manifest: Manifest) throws {
    let json = manifest.json
    let again = try Manifest(json: json)
    precondition(again.json == json, "A manifest changed as values.")
    precondition(json.data.count <= 4 << 20, "A manifest grew to \(json.data.count) bytes.")
}

/// An error is told in Foundation's words.
func checkError(_ error: any Error) {
    precondition(
        error is CocoaError || error is URLError || error is CancellationError,
        "It is not told in Foundation's words: \(error)")
}

/// A part of a resource is what the whole has there, and none is larger than allowed; or it says why it cannot be read.
func checkResource(_ resource: any Resource) async {
    do {
        let whole = try await resource.read()
        let part = try await resource.read(3..<40)
        precondition(whole.count <= 16 << 20, "A resource grew to \(whole.count) bytes.")
        precondition(part == whole.dropFirst(3).prefix(37), "A part is not the same as in the whole.")
    } catch {
        checkError(error)
    }
}
