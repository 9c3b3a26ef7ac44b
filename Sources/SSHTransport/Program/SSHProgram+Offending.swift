import FileProviderCore
import Foundation

extension SSHProgram {
    /// “Offending ED25519 key in FILE:LINE”, with that key's fingerprint appended. Reads from the disk.
    ///
    /// A server's banner is among the program's messages, so a hostile server may name any file. Only the regular files
    /// in which the program looks for keys are read, and only up to the line.
    func withFingerprint(_ words: String) -> String {
        guard words.hasPrefix("Offending "), let start = words.range(of: " in ")?.upperBound,
            let colon = words.lastIndex(of: ":"),
            start < colon, let number = Int(words[words.index(after: colon)...]), number > 0
        else { return words }
        let file = String(words[start..<colon])
        let inUse = knownHosts.map { [$0] } ?? knownHostsInUse.userFiles + knownHostsInUse.systemFiles
        guard inUse.contains(file), let line = try? KnownHostsFile.line(number, of: file) else { return words }
        let key = line.split(separator: UInt8(ascii: " ")).lazy.compactMap {
            HostKey(base64: String(decoding: $0, as: UTF8.self))
        }.first
        return words + (key.map { " (\($0.fingerprint))." } ?? "")
    }
}
