import Foundation
import Synchronization

extension FTPSession {
    /// Commands that have a path.
    func performOnTree(_ command: FTPDouble.Command, faults: [FTPDouble.Fault]) -> FTPReply? {
        let path = FTPTree.absolute(Array(command.bytes), from: folder)
        switch command.verb {
        case "PWD", "XPWD": return quoted("257", folder, "is the folder")
        case "CWD", "XCWD": return enter(path)
        case "CDUP", "XCUP": return enter(FTPTree.parent(folder))
        case "LIST", "NLST": return list(command, faults)
        case "MLSD": return listFacts(command, path: path, faults: faults)
        case "MLST": return facts(command, path)
        case "SIZE": return size(path)
        case "MDTM": return time(command)
        case "MFMT": return setTime(command, text: 0)
        case "RETR": return retrieve(command, path, faults)
        case "STOR": return store(command, path, faults, appends: false)
        case "APPE": return store(command, path, faults, appends: true)
        case "DELE", "RMD", "XRMD": return remove(path, isFolder: command.verb != "DELE")
        case "MKD", "XMKD": return makeFolder(path)
        case "RNFR":
            renameSource = nil
            guard node(path) != nil else { return "550 No such file" }
            renameSource = path
            return "350 To where"
        case "RNTO": return rename(path)
        case "SITE": return site(command)
        case "HASH": return digest(hash, path) { "213 \(self.hash) 0-\(max(0, $1 - 1)) \($0) \(command.argument)" }
        case "XCRC": return digest("CRC32", path) { digest, _ in "250 \(digest)" }
        case "XMD5": return digest("MD5", path) { digest, _ in "250 \(digest)" }
        case "XSHA1": return digest("SHA-1", path) { digest, _ in "250 \(digest)" }
        case "XSHA256": return digest("SHA-256", path) { digest, _ in "250 \(digest)" }
        case "XSHA512": return digest("SHA-512", path) { digest, _ in "250 \(digest)" }
        default: return "500 Not known"
        }
    }

    func node(_ path: [UInt8]) -> FTPTree.Node? { double.state.withLock { $0.tree.nodes[path] } }

    /// A path in quotes, those inside doubled (RFC 959, appendix II).
    private func quoted(_ code: String, _ path: [UInt8], _ text: String) -> FTPReply {
        let mark = UInt8(ascii: "\"")
        let inside = path.flatMap { $0 == mark ? [mark, mark] : [$0] }
        return FTPReply(Data("\(code) \"".utf8) + Data(inside) + Data("\" \(text)".utf8))
    }

    private func enter(_ path: [UInt8]) -> FTPReply {
        guard node(path)?.isFolder == true else { return "550 No such folder" }
        folder = path
        return "250 Entered"
    }

    // MARK: Listings

    private func list(_ command: FTPDouble.Command, _ faults: [FTPDouble.Fault]) -> FTPReply? {
        var words = command.bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        var options = ""
        while let word = words.first, word.first == UInt8(ascii: "-") {
            options += String(decoding: words.removeFirst(), as: UTF8.self)
        }
        let path = FTPTree.absolute(Array(words.joined(separator: [UInt8(ascii: " ")])), from: folder)
        guard let node = node(path) else { return "450 No such file" }
        let isHiding = double.settings.hidesDotFiles && !options.contains("a")
        let entries = (node.isFolder ? double.state.withLock { $0.tree.children(path) } : [(FTPTree.name(path), node)])
            .filter { !isHiding || $0.name.first != UInt8(ascii: ".") }
        let names = entries.reduce(into: Data()) { $0 += $1.name + Array("\r\n".utf8) }
        return sendListing(
            command, listing: command.verb == "NLST" ? names : FTPTree.list(entries, as: double.settings.listing),
            faults: faults)
    }

    private func listFacts(_ command: FTPDouble.Command, path: [UInt8], faults: [FTPDouble.Fault]) -> FTPReply? {
        guard let node = node(path) else { return "550 No such folder" }
        guard node.isFolder else { return "501 Not a folder" }
        let (children, parent) = double.state.withLock {
            ($0.tree.children(path), $0.tree.nodes[FTPTree.parent(path)] ?? node)
        }
        let end = Data("\r\n".utf8)
        var text = FTPTree.facts(Array(".".utf8), node, type: "cdir", of: facts) + end
        text += FTPTree.facts(Array("..".utf8), parent, type: "pdir", of: facts) + end
        for child in children { text += FTPTree.facts(child.name, child.node, of: facts) + end }
        return sendListing(command, listing: text, faults: faults)
    }

    private func facts(_ command: FTPDouble.Command, _ path: [UInt8]) -> FTPReply {
        guard let node = node(path) else { return "550 No such file" }
        return FTPReply(Data("250-Facts:\n ".utf8) + FTPTree.facts(path, node, of: facts) + Data("\n250 End".utf8))
    }

    // MARK: Size, time, digest

    private func size(_ path: [UInt8]) -> FTPReply {
        guard let data = node(path)?.data else { return "550 No such file" }
        // It would be another size in text.
        return isText ? "550 Not in TYPE A" : "213 \(data.count)"
    }

    /// With a time in front it sets that, as some servers have it.
    private func time(_ command: FTPDouble.Command) -> FTPReply {
        if let node = node(FTPTree.absolute(Array(command.bytes), from: folder)) {
            return node.isFolder ? "550 Not a file" : FTPReply("213 " + FTPDate.text(node.modified))
        }
        return setTime(command, text: 0)
    }

    /// - Parameter text: How many words stand before the time.
    func setTime(_ command: FTPDouble.Command, text: Int) -> FTPReply {
        let words = command.bytes.split(separator: UInt8(ascii: " "), maxSplits: text + 1)
        guard words.count == text + 2, let date = FTPDate.date(String(decoding: words[text], as: UTF8.self)) else {
            return "550 No such file"
        }
        let path = FTPTree.absolute(Array(words[text + 1]), from: folder)
        return change(path) { $0.modified = date }
            ?? "213 Modify=\(FTPDate.text(date)); \(String(decoding: words[text + 1], as: UTF8.self))"
    }

    /// Nil when it is done.
    func change(_ path: [UInt8], _ edit: (inout FTPTree.Node) -> Void) -> FTPReply? {
        double.state.withLock { state in
            guard var node = state.tree.nodes[path] else { return "550 No such file" }
            edit(&node)
            state.tree.nodes[path] = node
            return nil
        }
    }

    private func digest(_ name: String, _ path: [UInt8], _ text: (_ digest: String, _ length: Int) -> String)
        -> FTPReply
    {
        guard let make = double.settings.hashes[name] else { return "500 Not known" }
        guard let data = node(path)?.data else { return "550 No such file" }
        return FTPReply(text(make(data), data.count))
    }

    // MARK: Changes

    private func remove(_ path: [UInt8], isFolder: Bool) -> FTPReply {
        double.state.withLock { state in
            guard let node = state.tree.nodes[path] else { return "550 Nothing is there" }
            guard node.isFolder == isFolder, path != FTPTree.root else {
                return isFolder ? "550 Not a folder" : "550 Not a file"
            }
            guard !isFolder || state.tree.children(path).isEmpty else { return "550 Not empty" }
            state.tree.nodes[path] = nil
            return "250 Removed"
        }
    }

    private func makeFolder(_ path: [UInt8]) -> FTPReply {
        let refusal = double.state.withLock { state -> FTPReply? in
            if state.tree.nodes[path] != nil { return "550 Something is there" }
            guard state.tree.isFolder(FTPTree.parent(path)) else { return "550 No such folder" }
            state.tree.putFolder(path)
            return nil
        }
        return refusal ?? quoted("257", path, "made")
    }

    private func rename(_ target: [UInt8]) -> FTPReply {
        guard let source = renameSource else {
            violation("RNTO without RNFR")
            return "503 RNFR first"
        }
        renameSource = nil
        return double.state.withLock { state in
            guard state.tree.nodes[source] != nil else { return "550 No such file" }
            guard state.tree.isFolder(FTPTree.parent(target)), !FTPTree.isInside(target, source) || target == source
            else {
                return "550 Not there"
            }
            if let previous = state.tree.nodes[target], target != source {
                guard !previous.isFolder, state.tree.isFile(source), double.settings.renameReplaces else {
                    return "550 Something is there"
                }
            }
            state.tree.move(source, to: target)
            return "250 Renamed"
        }
    }
}
