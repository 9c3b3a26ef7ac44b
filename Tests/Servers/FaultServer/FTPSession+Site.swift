import Foundation
import Synchronization

extension FTPSession {
    /// `CHMOD`, `UTIME`, `CPFR` and `CPTO`, which are no standard.
    func site(_ command: FTPDouble.Command) -> FTPReply {
        let words = command.bytes.split(separator: UInt8(ascii: " "), maxSplits: 1)
        let verb = String(decoding: words.first ?? Data(), as: UTF8.self).uppercased()
        let rest = words.count > 1 ? Data(words[1]) : Data()
        if double.settings.unknown.contains("SITE \(verb)") { return "500 Not known" }
        switch verb {
        case "CHMOD": return changeMode(rest)
        case "UTIME": return changeTime(command, rest: rest)
        case "CPFR":
            let path = FTPTree.absolute(Array(rest), from: folder)
            copySource = node(path) == nil ? nil : path
            return copySource == nil ? "550 No such file" : "350 To where"
        case "CPTO": return copy(to: FTPTree.absolute(Array(rest), from: folder))
        default: return "500 Not known"
        }
    }

    private func changeMode(_ rest: Data) -> FTPReply {
        let words = rest.split(separator: UInt8(ascii: " "), maxSplits: 1)
        guard words.count == 2, let mode = Int(String(decoding: words[0], as: UTF8.self), radix: 8) else {
            return "501 Not a mode"
        }
        return change(FTPTree.absolute(Array(words[1]), from: folder)) { $0.mode = mode & 0o7777 } ?? "200 Changed"
    }

    /// `UTIME time path`, or `UTIME path time time time UTC`.
    private func changeTime(_ command: FTPDouble.Command, rest: Data) -> FTPReply {
        let space = UInt8(ascii: " ")
        let words = rest.split(separator: space)
        guard words.count > 4, String(decoding: words[words.count - 1], as: UTF8.self) == "UTC" else {
            return setTime(command, text: 1)
        }
        guard let date = FTPDate.date(String(decoding: words[words.count - 3], as: UTF8.self)) else {
            return "501 Not a time"
        }
        let path = Array(words.dropLast(4).joined(separator: [space]))
        return change(FTPTree.absolute(path, from: folder)) { $0.modified = date } ?? "200 Changed"
    }

    private func copy(to target: [UInt8]) -> FTPReply {
        guard let source = copySource else {
            violation("SITE CPTO without SITE CPFR")
            return "503 SITE CPFR first"
        }
        copySource = nil
        return double.state.withLock { state in
            guard state.tree.isFolder(FTPTree.parent(target)), !state.tree.isFolder(target),
                !FTPTree.isInside(target, source)
            else {
                return "550 Not there"
            }
            state.tree.copy(source, to: target)
            return "250 Copied"
        }
    }
}
