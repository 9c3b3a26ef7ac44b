import Foundation

@testable import SSHTransport

/// First line: the host. Then files, which a byte of 1 parts; one includes another by the number that its name ends with.
func fuzzSSHConfig(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    var input = FuzzInput(data, size)
    let host = input.line()
    let files = input.bytes.split(separator: 1, omittingEmptySubsequences: false).map { Array($0) }
    let account = SSHConfigAccount(
        home: "/home/reader", user: "reader", identifier: 1000, hostName: "desk.example", environment: ["AGENT": "/run/agent"])
    let config = SSHConfig(userFile: "/0", systemFile: "/1", account: account, source: FuzzFiles(files: files))
    guard let settings = try? config.settings(host: host) else { return 0 }
    precondition((1...65535).contains(settings.port) && !settings.hostName.isEmpty && !settings.user.isEmpty, "Something is missing.")
    let paths = settings.identityFiles + settings.certificateFiles + settings.knownHosts.userFiles + settings.knownHosts.systemFiles
    precondition(paths.allSatisfy { !$0.utf8.contains(0) }, "A path would end early.")
    precondition(paths.count < 100_000 && settings.notes.count < 100, "There is too much of it.")
    let again = try? config.settings(host: host, user: settings.user, port: settings.port)
    precondition(again == nil || again?.port == settings.port && again?.user == settings.user, "What was typed does not hold.")
    return 0
}

private struct FuzzFiles: SSHConfigSource {
    let files: [[UInt8]]

    func bytes(_ path: String, isUsers: Bool) throws -> [UInt8]? {
        guard let last = path.utf8.last, (0x30...0x39).contains(last) else { return nil }
        let index = Int(last - 0x30)
        return index < files.count ? files[index] : nil
    }

    func files(matching pattern: String) -> [String] {
        pattern.hasSuffix("*") ? files.indices.prefix(10).map { "\(pattern.dropLast())\($0)" } : [pattern]
    }
}
