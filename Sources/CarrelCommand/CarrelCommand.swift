public import ArgumentParser

/// `carrel`: files anywhere, and the books among them, from a shell. See `carrel help`.
///
/// A plug-in author registers a provider in `ProviderRegistry.shared` and calls ``main()`` from an executable of five lines.
public struct CarrelCommand: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "carrel",
        abstract: "Files on any provider, and books read where they lie.",
        discussion: """
            A location is a path on this machine (write ./a:b when it holds a colon), a URL (file:, dav:, davs:, \
            http:, https:), or NAME:path for a connection saved in $CARREL_CONFIG or ~/.config/carrel/config.json. \
            A user and a password may stand in a URL; better places are $CARREL_PASSWORD, --password-file and ~/.netrc.
            """,
        version: "carrel 0.1.0",
        subcommands: [
            List.self, Stat.self, Cat.self, Copy.self, Move.self, Remove.self, MakeFolder.self, FreeSpace.self, Providers.self,
            ShowProperties.self, MakeThumbnail.self, Sniff.self, Book.self, Conform.self,
        ])

    public init() {}

    /// Runs the command line of this process and ends it with the exit code of the contract.
    public static func main() async -> Never {
        await CommandRun.main(arguments: Array(CommandLine.arguments.dropFirst()))
    }
}
