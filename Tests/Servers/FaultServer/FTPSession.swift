import Foundation
import Synchronization

/// A control connection and what it remembers, on one thread.
final class FTPSession {
    let double: FTPDouble
    let control: FTPControl
    let number: Int

    var isLoggedIn = false
    var user = ""
    /// Of the `PASS` that is being answered.
    var password = ""
    var folder = FTPTree.root
    var isText = true
    var offset = 0
    var renameSource: [UInt8]?
    var copySource: [UInt8]?
    var facts = FTPTree.facts
    var hash = "CRC32"
    var way = FTPDataWay.none
    var allowsOnlyEPSV = false
    var wasAborted = false
    /// How the transfer of the command that is being answered ended.
    var lastEnding: FTPEnding?
    private var wasAuthRefused = false
    private var isQuitting = false

    init(_ double: FTPDouble, _ client: Int32, number: Int) {
        self.double = double
        self.number = number
        let socket = FTPSocket(client, double.controlCutter) { received, sent in
            double.state.withLock { $0.control = ($0.control.received + received, $0.control.sent + sent) }
        }
        control = FTPControl(socket)
    }

    func run() {
        defer { way.close() }
        guard greet() else { return }
        while !isQuitting, isStillWanted, let line = control.line() {
            let command = take(line)
            guard answer(command) else { return }
        }
        if control.isFull { _ = send("500 Too long") }
    }

    /// False when nothing came for as long as the server waits.
    private var isStillWanted: Bool {
        guard let limit = double.settings.idleTimeout, !control.hasInput(within: limit) else { return true }
        _ = send("421 Nothing came")
        return false
    }

    // MARK: One command

    private func greet() -> Bool {
        let open = double.state.withLock { $0.openConnections }
        if let maximum = double.settings.maximumConnections, open > maximum {
            _ = send("421 Too many connections")
            return false
        }
        return answer(
            FTPDouble.Command(verb: "", argument: "", bytes: Data(), path: "", connection: number, occurrence: number))
    }

    /// Records it, and what is wrong with it.
    private func take(_ line: [UInt8]) -> FTPDouble.Command {
        let (bytes, faults) = FTPControl.unescaped(line)
        let words = bytes.split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
        let verb = String(decoding: words.first ?? [], as: UTF8.self).uppercased()
        let argument = verb == "PASS" ? [] : words.count > 1 ? Array(words[1]) : []
        for fault in faults { violation("\(fault) (\(verb))") }
        if verb == "PASS" { password = words.count > 1 ? String(decoding: words[1], as: UTF8.self) : "" }
        if verb == "PASS" && wasAuthRefused { violation("PASS in clear after AUTH was refused") }
        return double.state.withLock { state in
            let command = FTPDouble.Command(
                verb: verb, argument: String(decoding: argument, as: UTF8.self), bytes: Data(argument),
                path: String(decoding: FTPTree.absolute(argument, from: folder), as: UTF8.self), connection: number,
                occurrence: state.occurrences[verb, default: 0] + 1)
            state.commands.append(command)
            state.occurrences[verb] = command.occurrence
            return command
        }
    }

    /// False when the connection is to be closed.
    private func answer(_ command: FTPDouble.Command) -> Bool {
        let faults = double.state.withLock { $0.answer }(command)
        for fault in faults where !begin(fault) { return false }
        var reply: FTPReply?
        lastEnding = nil
        if let instead = instead(faults) {
            way.close()
            way = .none
            switch instead {
            case .reply(let text): reply = FTPReply(text)
            case .garbage(let bytes): guard control.send(bytes, pace: nil) else { return false }
            default: break
            }
        } else {
            reply = perform(command, faults)
        }
        if case .lost? = lastEnding { return false }
        if reply != nil, case .replyAfterDoing(let text)? = faults.last(where: \.isReplyAfterDoing) {
            reply = FTPReply(text)
        }
        if command.verb == "AUTH", reply?.isRefusal == true { wasAuthRefused = true }
        if command.verb == "QUIT" { isQuitting = true }
        return finish(command, faults, reply)
    }

    /// What comes before the command is done; false when that ends the connection.
    private func begin(_ fault: FTPDouble.Fault) -> Bool {
        switch fault {
        case .delay(let seconds): return control.wait(seconds)
        case .say(let text): return send(FTPReply(text))
        case .endless(let bytes):
            let pace = double.settings.replyPace
            let piece = pace == nil ? bytes.repeated : bytes
            while !piece.isEmpty, control.send(piece, pace: pace) {}
            return false
        case .silence:
            while let line = control.line() { _ = take(line) }
            return false
        case .dropConnection: return false
        case .resetConnection:
            control.socket.reset()
            return false
        default: return true
        }
    }

    private func instead(_ faults: [FTPDouble.Fault]) -> FTPDouble.Fault? {
        faults.first { fault in
            switch fault {
            case .reply, .garbage: true
            default: false
            }
        }
    }

    private func finish(_ command: FTPDouble.Command, _ faults: [FTPDouble.Fault], _ reply: FTPReply?) -> Bool {
        var isSilent = false
        for fault in faults {
            switch fault {
            case .noFinalReply: return false
            case .noFinalReplyButOpen: isSilent = true
            default: break
            }
        }
        if let reply, !isSilent { guard send(reply, to: command) else { return false } }
        for fault in faults {
            switch fault {
            case .also(let bytes): guard control.send(bytes, pace: nil) else { return false }
            case .afterNextBytes(let bytes):
                if control.skipSomething() { _ = control.send(bytes, pace: nil) }
                return false
            case .close: return false
            default: break
            }
        }
        return true
    }

    // MARK: Replies

    func send(_ reply: FTPReply, to command: FTPDouble.Command? = nil) -> Bool {
        if double.settings.dropsEarlyCommands { control.dropPending() }
        let lines = reply.with(double.settings.innerLines)
        let end = Data("\r\n".utf8)
        let first = lines.dropLast().reduce(into: Data()) { $0 += $1 + end }
        let isEarly = noticeEarlyCommand(command)
        guard control.send(first, pace: double.settings.replyPace) else { return false }
        if !first.isEmpty && !isEarly { _ = noticeEarlyCommand(command) }
        return control.send((lines.last ?? Data()) + end, pace: double.settings.replyPace)
    }

    /// Whether something has come although the reply to `command` has not gone out.
    private func noticeEarlyCommand(_ command: FTPDouble.Command?) -> Bool {
        // Whether one or two replies follow ABOR, a client cannot know.
        guard let command, command.verb != "ABOR", !double.settings.allowsPipelining else { return false }
        control.drain()
        // A client may abort a transfer.
        guard !control.pending.isEmpty, !control.hasAbort else { return false }
        let line = control.pending.prefix { $0 != UInt8(ascii: "\n") }
        let verb = String(decoding: line.prefix { $0 > 32 }, as: UTF8.self).uppercased()
        violation("\(verb) before the reply to \(command.verb.isEmpty ? "the connection" : command.verb)")
        return true
    }

    func violation(_ text: String) {
        double.state.withLock { $0.violations.append("\(number): \(text)") }
    }
}

extension FTPDouble.Fault {
    fileprivate var isReplyAfterDoing: Bool {
        if case .replyAfterDoing = self { true } else { false }
    }
}
