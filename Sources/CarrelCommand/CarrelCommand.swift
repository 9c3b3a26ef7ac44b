import ArgumentParser

/// The `carrel` command: files anywhere, and the books among them, from a shell. See `carrel help`.
public enum CarrelCommand {
    /// The version of Carrel, as `carrel --version` prints it: the newest one in CHANGELOG.md.
    public static let version = ProgramVersion.text

    /// Runs the command line of this process and ends it with the exit code of the contract.
    ///
    /// A plug-in author registers a provider in `ProviderRegistry.shared` and calls this from an executable of five
    /// lines.
    public static func main() async -> Never {
        await CommandRun.main(arguments: Array(CommandLine.arguments.dropFirst()))
    }
}

/// The root command with all verbs. A separate type, because the parser adds its own `main()`, which would conflict
/// with ``CarrelCommand/main()``.
struct AllVerbs: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carrel",
        abstract: "Manage files on any provider, and read books in place.",
        discussion: """
            A location is a path on this machine (write ./a:b when it holds a colon), a URL (“carrel providers” lists the schemes), \
            or NAME:path for a connection saved in $CARREL_CONFIG, else $XDG_CONFIG_HOME/carrel/config.json, else \
            ~/.config/carrel/config.json. \
            A URL may contain a user and a password; $CARREL_PASSWORD, --password-file and ~/.netrc are safer for passwords. \
            “carrel --generate-completion-script bash” (zsh, fish) prints a script that completes verbs, flags, local files and saved \
            connections; “carrel manual” prints a manual page.
            """,
        version: "carrel \(CarrelCommand.version)",
        subcommands: [
            List.self, ShowTree.self, Stat.self, Cat.self, Copy.self, SyncFolders.self, Check.self, Clean.self,
            Move.self, Remove.self,
            MakeFolder.self, MakeLink.self, ReadLink.self, Share.self, Find.self, FreeSpace.self, DiskUsage.self,
            Checksum.self, Watch.self,
            VersionsGroup.self, TrashGroup.self, ShowProperties.self, MakeThumbnail.self, Providers.self, Sniff.self,
            Book.self, ShelfGroup.self, OPDSGroup.self, LCPGroup.self, FleetGroup.self, DeviceGroup.self, App.self,
            ConfigurationGroup.self, Manual.self, Conform.self,
        ])
}
