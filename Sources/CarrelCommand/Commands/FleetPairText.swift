import Carrel
import Foundation
import Sync

/// What a pair of a fleet may consist of.
enum FleetPairText {
    /// Seconds between runs, and of a run: from a second to a year.
    static let times = 1.0...31_622_400.0

    /// Returns the URL of a location, as it is kept in the database.
    ///
    /// - Throws: A usage error if it has a password, or is known to this machine alone; `URLError` for an unknown scheme.
    static func location(_ text: String) throws -> String {
        do {
            guard case .url(let url) = try LocationText(text) else {
                throw CommandFailure.usage(
                    "A fleet's pair needs a URL or a path: saved connections are known to this machine alone.")
            }
            if url.password() != nil {
                throw CommandFailure.usage(
                    "A location of a fleet must not have a password. Put it into a file of the workers, and give the file's name as its credential."
                )
            }
            if url.scheme?.lowercased() == "mem" {
                throw CommandFailure.usage("mem: is empty at the start of each command; only conform accepts it.")
            }
            try ProviderRegistry.shared.check(url)
            return url.absoluteString
        } catch { throw error.at(LocationText.withoutSecrets(text)) }
    }

    /// Returns the name of a credential after checking that it can be the name of a file in a folder.
    static func credential(_ name: String) throws -> String {
        if isFileName(name) { return name }
        throw CommandFailure.usage(
            "“\(name)” cannot be a credential: it has to be the name of a file, without a folder.")
    }

    /// Returns the options of a pair as they are kept in the database, after checking that a worker can read them.
    ///
    /// - Throws: `CocoaError` with a sentence for an unknown name or a value that cannot be.
    static func options(_ options: JSONValue) throws -> String {
        do { _ = try JSONDecoder().decode(SyncOptions.self, from: options.data) } catch let error as DecodingError {
            throw FileError.make(
                .fileReadCorruptFile, path: "options", sentence: error.placed ?? error.localizedDescription)
        }
        return options.jsonString
    }

    private static func isFileName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 255 && !name.hasPrefix(".") && !name.contains("/")
            && !name.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }
}
