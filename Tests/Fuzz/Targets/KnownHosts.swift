@testable import SSHTransport

/// First line: host, space, port. Then a file.
func fuzzKnownHosts(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    var input = FuzzInput(data, size: size)
    let words = input.line().split(separator: " ", maxSplits: 1)
    let name = KnownHostName(
        host: String(words.first ?? "host.example"), port: words.count > 1 ? Int(words[1]) ?? 22 : 22)
    let bytes = input.bytes

    var whole = KnownHostsParser(name: name, file: "known_hosts")
    bytes.withUnsafeBytes { whole.take($0) }
    whole.finish()
    var pieces = KnownHostsParser(name: name, file: "known_hosts")
    for start in stride(from: 0, to: bytes.count, by: 7) {
        bytes[start..<min(start + 7, bytes.count)].withUnsafeBytes { pieces.take($0) }
    }
    pieces.finish()
    precondition(whole.entries == pieces.entries && whole.skippedLines == pieces.skippedLines, "Pieces matter.")

    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    var entries = KnownHostEntries()
    entries.entries = whole.entries
    for entry in whole.entries {
        let first = lines[entry.line - 1].first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        precondition((first == UInt8(ascii: "@")) == (entry.marker != .none), "A marker was lost.")
        precondition(
            HostKey(blob: entry.key.blob) == entry.key && HostKey(base64: entry.key.base64) == entry.key,
            "A key changed.")
        let verdict = entries.verdict(of: entry.key)
        switch entry.marker {
        case .revoked:
            guard case .revoked = verdict else { preconditionFailure("A revoked key passes.") }
        case .none where entry.hasPort: precondition(verdict != .unknown, "A known key is unknown.")
        case .none, .authority: break
        }
    }
    checkLine(for: name)
    _ = HostKey(blob: bytes)
    return 0
}

/// What is written for a host is found again, and for no other.
private func checkLine(for name: KnownHostName) {
    guard name.isPlain else { return }
    for shown in [String(decoding: name.text, as: UTF8.self), HashedHostName.make(name.text)] {
        let line = Array(
            "\(shown) ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILTiBT1uRvjvrZ/uMr00B2GyjFrWjondXDhkKMCkq38z".utf8)
        for (asked, count) in [(name, 1), (KnownHostName(host: "another.example", port: 1), 0)]
        where count == 1 || asked != name {
            var parser = KnownHostsParser(name: asked, file: "known_hosts")
            line.withUnsafeBytes { parser.take($0) }
            parser.finish()
            precondition(parser.entries.count == count, "A line of its own is not read back.")
        }
    }
}
