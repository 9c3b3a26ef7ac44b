import Carrel
import Foundation
import Shelf

/// `remote-shelf LOCATION FOLDER [--once]` keeps a catalogue of the books at LOCATION in FOLDER, and prints what changes.
@main
struct ShelfTool {
    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let once = arguments.last == "--once"
        if once { arguments.removeLast() }
        guard arguments.count == 2, arguments.allSatisfy({ !$0.isEmpty && !$0.hasPrefix("-") }) else {
            end(2, "usage: remote-shelf LOCATION FOLDER [--once]")
        }
        do { try await run(arguments[0], URL(fileURLWithPath: arguments[1]), once: once) } catch {
            end(1, "remote-shelf: \(error.loggedSentence)")
        }
    }

    private static func run(_ location: String, _ folder: URL, once: Bool) async throws {
        try ProviderRegistry.shared.registerBuiltInProviders()
        let named = location.contains("://") ? URL(string: location) : nil
        let credentials = CredentialChain([
            EnvironmentCredentials(password: "CARREL_PASSWORD", token: "CARREL_TOKEN"), NetrcCredentials(),
        ])
        let books = try await ProviderRegistry.shared.location(
            of: named ?? URL(fileURLWithPath: location).standardizedFileURL,
            options: ConnectionOptions(credentials: credentials))

        var options = ShelfOptions()
        options.report = { event in
            print(event)
            fflush(nil)
        }
        let source = ShelfSource(provider: books.provider, root: books.path)
        let shelf = try await Shelf.open(folder: folder, sources: [source], options: options)
        // Until a signal ends the process. That may happen at any moment: the catalogue is always whole.
        guard once else { return try await shelf.follow() }
        let report = try await shelf.scan()
        try await shelf.makeCovers()
        if !report.isComplete { end(1, "remote-shelf: \(report.postponed) items could not be read.") }
    }

    private static func end(_ code: Int32, _ sentence: String) -> Never {
        try? FileHandle.standardError.write(contentsOf: Data((sentence + "\n").utf8))
        exit(code)
    }
}
