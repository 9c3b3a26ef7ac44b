import Foundation

@testable import SSHTransport

/// First line: the host. The rest is a configuration, and what `ssh -G` may say as well.
func fuzzSSHConfig(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    var input = FuzzInput(data, size)
    let host = input.line()
    let bytes = Array(input.bytes)
    var reader = SSHConfigReader(host: host)
    if (try? reader.read(bytes, "/0")) != nil { precondition(reader.notes.count < 100, "There is too much of it.") }
    let account = SSHAccount(
        home: "/home/reader", user: "reader", identifier: 1000, hostName: "desk.example", environment: ["AGENT": "/run/agent"])
    guard let settings = try? SSHHostSettings(SSHConfigOutput(bytes), host: host, account: account) else { return 0 }
    precondition((1...65535).contains(settings.port) && !settings.hostName.isEmpty && !settings.user.isEmpty, "Something is missing.")
    return 0
}
