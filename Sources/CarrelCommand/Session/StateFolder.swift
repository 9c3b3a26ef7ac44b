/// The folder of what the command remembers on this machine between runs.
enum StateFolder {
    /// `carrel` below `$XDG_STATE_HOME` or `~/.local/state`. Source: XDG Base Directory Specification.
    static func path(_ environment: [String: String]) -> String {
        // The specification says to ignore a relative folder.
        let given = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (given ?? (environment["HOME"] ?? "") + "/.local/state") + "/carrel"
    }
}
