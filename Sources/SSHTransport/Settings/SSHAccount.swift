import Foundation

/// The local user who connects, and this machine's names.
struct SSHAccount: Sendable {
    let home: String
    let user: String
    let identifier: UInt32
    let hostName: String
    let environment: [String: String]
    /// The home folder in the system's database, which the ssh program uses whatever `$HOME` says. Source: passwd(5).
    let systemHome: String

    var shortHostName: String { String(hostName.prefix { $0 != "." }) }

    init(
        home: String, user: String, identifier: UInt32, hostName: String, environment: [String: String],
        systemHome: String? = nil
    ) {
        self.home = home
        self.user = user
        self.identifier = identifier
        self.hostName = hostName
        self.environment = environment
        self.systemHome = systemHome ?? home
    }

    /// The account that runs this program. Its home is `$HOME` if that is set.
    init(environment: [String: String]) {
        var name = [CChar](repeating: 0, count: 256)
        let hostName =
            gethostname(&name, name.count - 1) == 0
            ? String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
        let system = Self.homeInDatabase() ?? ""
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 }
        self.init(
            home: home ?? system, user: NSUserName(), identifier: getuid(), hostName: hostName,
            environment: environment,
            systemHome: system)
    }

    private static func homeInDatabase() -> String? {
        var room = [CChar](repeating: 0, count: 16 << 10)
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        guard getpwuid_r(getuid(), &entry, &room, room.count, &found) == 0, found != nil, let folder = entry.pw_dir
        else { return nil }
        return String(cString: folder)
    }

    /// Whether `$HOME` differs from the folder that the ssh program uses for `~`.
    var hasOtherHome: Bool {
        func real(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
        return home != systemHome && real(home) != real(systemHome)
    }

    /// Whether a file is one of the user's own configuration.
    func isOwn(_ file: String) -> Bool { file.hasPrefix(home + "/") }

    /// Translates a path below the ssh program's `~` to ours.
    func ours(_ path: String) -> String {
        guard hasOtherHome, path.hasPrefix(systemHome + "/") else { return path }
        return home + path.dropFirst(systemHome.count)
    }

    /// Resolves `~` and `~name` at the beginning.
    func expandingTilde(_ path: String) -> String {
        guard path.hasPrefix("~") else { return path }
        let name = path.dropFirst().prefix { $0 != "/" }
        let rest = path.dropFirst(1 + name.count)
        guard let folder = name.isEmpty ? home : NSHomeDirectoryForUser(String(name)) else { return path }
        return folder + rest
    }
}
