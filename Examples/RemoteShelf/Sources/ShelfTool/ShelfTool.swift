import Carrel
import Dispatch
import Foundation
import RemoteShelf

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
        let inner = folder.resolvingSymlinksInPath().pathComponents
        if url.isFileURL, inner.starts(with: url.resolvingSymlinksInPath().pathComponents) {
            throw FileError.make(
                .fileWriteInvalidFileName, path: folder.path,
                sentence: "FOLDER must not be in LOCATION, or it would watch itself.")
        }
        let credentials = CredentialChain([
            EnvironmentCredentials(password: "CARREL_PASSWORD", token: "CARREL_TOKEN"), NetrcCredentials(),
        ])
        let target = try await ProviderRegistry.shared.location(
            of: url, options: ConnectionOptions(credentials: credentials))
        let shelf = try await Shelf(of: target.provider, path: target.path, in: folder) { say($0, to: .standardOutput) }
        if once { return try await shelf.update() }
        try await shelf.follow()
        return true
    }

    /// A line that cannot be written anywhere has nowhere to be complained about.
    private static func say(_ text: String, to handle: FileHandle) {
        try? handle.write(contentsOf: Data((text.plain + "\n").utf8))
    }
}
