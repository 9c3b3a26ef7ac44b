import FileProviderCore
import Foundation
import Synchronization

/// The version of an ssh program. Each program is asked once.
struct SSHProgramVersion: Sendable, Comparable {
    let major, minor: Int

    private static let known = Mutex([String: SSHProgramVersion?]())

    static func < (one: Self, other: Self) -> Bool { (one.major, one.minor) < (other.major, other.minor) }

    init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Parses the output of `ssh -V`, such as `OpenSSH_9.2p1 Debian-2, OpenSSL 3.0.9`; nil for another program.
    init?(_ text: String) {
        guard let start = text.range(of: "OpenSSH_")?.upperBound else { return nil }
        let numbers = text[start...].prefix { $0.isNumber || $0 == "." }.split(separator: ".").compactMap { Int($0) }
        guard numbers.count >= 2 else { return nil }
        self.init(major: numbers[0], minor: numbers[1])
    }

    /// Asks the program at `path`, which starts a process; nil if it doesn't answer.
    static func of(_ path: String) -> SSHProgramVersion? {
        if let version = known.withLock({ $0[path] }) { return version }
        guard let child = try? Subprocess(path: path, arguments: ["-V"]) else { return nil }
        child.closeInput()
        child.end(after: 5)
        let version = SSHProgramVersion(String(decoding: child.complaints, as: UTF8.self))
        known.withLock { $0[path] = .some(version) }
        return version
    }

    /// `arguments` without those that this version does not know.
    func known(_ arguments: [String]) -> [String] {
        self < SSHProgramVersion(major: 8, minor: 5)
            ? arguments.filter { $0 != SSHProgram.noKnownHostsCommand } : arguments
    }
}
