import FileProviderCore
import Foundation

/// Where the configuration's bytes come from.
protocol SSHConfigSource: Sendable {
    /// Nil where no file is.
    ///
    /// - Parameter isUsers: Whether the file has to be safe from other users.
    func bytes(_ path: String, isUsers: Bool) throws -> [UInt8]?
    /// The files that a pattern of glob(7) stands for, sorted.
    func files(matching pattern: String) -> [String]
}

/// The files of this machine.
struct SSHConfigFiles: SSHConfigSource {
    private static let largest = 1 << 20
    private static let mostFiles = 1000

    func bytes(_ path: String, isUsers: Bool) throws -> [UInt8]? {
        let file: FileDescriptor
        do {
            file = try FileDescriptor(path: path, flags: O_RDONLY | O_NONBLOCK)
        } catch let error where error.isNoSuchFile {
            return nil
        }
        let place = (try? ProviderPath(path)) ?? .root
        var status = stat()
        guard fstat(file.raw, &status) == 0 else { throw FileError.make(errno: errno, path: place, writing: false) }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        let isOthers = status.st_uid != 0 && status.st_uid != getuid()
        if isUsers, isOthers || status.st_mode & 0o022 != 0 {
            throw FileError.make(
                .fileReadNoPermission, path: path,
                sentence: "“\(path)” can be changed by other users, and so is not read; “chmod go-w” or “chown” helps.")
        }
        return try read(file, place, path)
    }

    private func read(_ file: FileDescriptor, _ place: ProviderPath, _ path: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 16) { buffer in
            while true {
                let count = try file.read(into: buffer, at: Int64(bytes.count), path: place)
                if count == 0 { return }
                bytes.append(contentsOf: buffer[..<count])
                if bytes.count > Self.largest {
                    throw FileError.make(
                        .fileReadTooLarge, path: path, sentence: "“\(path)” has more than the \(Self.largest >> 20) MiB that it may have.")
                }
            }
        }
        return bytes
    }

    func files(matching pattern: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(pattern, 0, nil, &found) == 0, let paths = found.gl_pathv else { return [] }
        return (0..<min(Int(found.gl_pathc), Self.mostFiles)).compactMap { paths[$0].map { String(cString: $0) } }
    }
}

/// Who connects, and from where.
struct SSHConfigAccount: Sendable {
    let home: String
    let user: String
    let identifier: UInt32
    let hostName: String
    let environment: [String: String]

    var shortHostName: String { String(hostName.prefix { $0 != "." }) }

    init(home: String, user: String, identifier: UInt32, hostName: String, environment: [String: String]) {
        self.home = home
        self.user = user
        self.identifier = identifier
        self.hostName = hostName
        self.environment = environment
    }

    /// The one that this program runs as; its home by `$HOME`, else by passwd(5).
    init(environment: [String: String]) {
        var name = [CChar](repeating: 0, count: 256)
        let hostName =
            gethostname(&name, name.count - 1) == 0
            ? String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
        self.init(
            home: environment["HOME"] ?? NSHomeDirectory(), user: NSUserName(), identifier: getuid(), hostName: hostName,
            environment: environment)
    }

    /// `~` and `~name` in front are folders of users.
    func expandingTilde(_ path: String) -> String {
        guard path.hasPrefix("~") else { return path }
        let name = path.dropFirst().prefix { $0 != "/" }
        let rest = path.dropFirst(1 + name.count)
        guard let folder = name.isEmpty ? home : NSHomeDirectoryForUser(String(name)) else { return path }
        return folder + rest
    }
}
