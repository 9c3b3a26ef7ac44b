import Carrel
import Dispatch
import Foundation
import Shelf

/// `remote-shelf LOCATION FOLDER [--once]`
@main
struct ShelfTool {
    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let once = arguments.contains("--once")
        arguments.removeAll { $0 == "--once" }
        guard arguments.count == 2, !arguments.contains(where: { $0.isEmpty || $0.hasPrefix("-") }) else {
            say("usage: remote-shelf LOCATION FOLDER [--once]", to: .standardError)
            exit(2)
        }
        let (location, folder) = (arguments[0], URL(fileURLWithPath: arguments[1]))
        let work = Task { try await run(location, folder, once: once) }
        let signals = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // Not on the main actor, which this function runs on.
            source.setEventHandler { @Sendable in work.cancel() }
            source.resume()
            return source
        }
        do {
            let isComplete = try await work.value
            end(isComplete ? 0 : 1, signals)
        } catch  where error.isCancellation {
            end(0, signals)
        } catch {
            say("remote-shelf: \(error.sentence)", to: .standardError)
            end(1, signals)
        }
    }

    /// The sources live as long as the process does.
    private static func end(_ code: Int32, _ signals: [any DispatchSourceSignal]) -> Never {
        withExtendedLifetime(signals) { exit(code) }
    }

    private static func run(_ location: String, _ folder: URL, once: Bool) async throws -> Bool {
        try ProviderRegistry.shared.registerBuiltInProviders()
        let named = URL(string: location, encodingInvalidCharacters: true).flatMap { $0.scheme == nil ? nil : $0 }
        let url = named ?? URL(fileURLWithPath: location).standardizedFileURL
        let credentials = CredentialChain([
            EnvironmentCredentials(password: "CARREL_PASSWORD", token: "CARREL_TOKEN"), NetrcCredentials(),
        ])
        let target = try await ProviderRegistry.shared.location(
            of: url, options: ConnectionOptions(credentials: credentials))
        let (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        var options = ShelfOptions()
        options.report = { event in
            say(event.line, to: .standardOutput)
            changed.yield()
        }
        let source = ShelfSource(provider: target.provider, root: target.path)
        let shelf = try await Shelf.open(folder: folder, sources: [source], options: options)
        if once {
            let report = try await shelf.scan()
            try await shelf.makeCovers()
            return report.isComplete
        }
        let covers = Task {
            for await _ in changes {
                do { try await shelf.makeCovers() } catch let error where !error.isCancellation {
                    say("covers: \(error.sentence)", to: .standardError)
                }
            }
        }
        defer { covers.cancel() }
        try await shelf.follow()
        return true
    }

    /// A line that cannot be written anywhere has nowhere to be complained about.
    private static func say(_ text: String, to handle: FileHandle) {
        try? handle.write(contentsOf: Data((text.plain + "\n").utf8))
    }
}
