import Foundation
import Synchronization

extension FTPSession {
    private static let beforeLogin: Set<String> = [
        "", "USER", "PASS", "QUIT", "FEAT", "SYST", "NOOP", "OPTS", "AUTH", "CLNT", "HOST", "HELP",
    ]

    /// Does the command; nil when it has no final reply.
    func perform(_ command: FTPDouble.Command, _ faults: [FTPDouble.Fault]) -> FTPReply? {
        let settings = double.settings
        if settings.unknown.contains(command.verb) { return "500 Not known" }
        guard isLoggedIn || Self.beforeLogin.contains(command.verb) else { return "530 Log in first" }
        let argument = command.argument
        switch command.verb {
        case "": return FTPReply(settings.welcome)
        case "USER": return login(user: argument)
        case "PASS": return login()
        case "AUTH": return "502 No TLS here"
        case "QUIT": return "221 Bye"
        case "NOOP", "CLNT", "HOST": return "200 Fine"
        case "SYST": return FTPReply(settings.system)
        case "HELP", "STAT": return "211 All is well"
        case "FEAT": return features()
        case "OPTS": return options(argument)
        case "PBSZ", "PROT": return "503 No TLS here"
        case "ALLO": return "202 Not needed"
        case "TYPE": return type(argument.uppercased())
        case "MODE": return argument.uppercased() == "S" ? "200 Stream" : "504 Only streams"
        case "STRU": return argument.uppercased() == "F" ? "200 Files" : "504 Only files"
        case "REST": return restart(argument)
        case "ABOR": return abort()
        case "PASV", "EPSV": return passive(command, faults)
        case "PORT", "EPRT": return active(command)
        default: return performOnTree(command, faults: faults)
        }
    }

    // MARK: Login

    private func login(user name: String) -> FTPReply {
        if isLoggedIn { double.state.withLock { $0.openLogins -= 1 } }
        isLoggedIn = false
        user = name
        return "331 And the password"
    }

    private func login() -> FTPReply {
        guard !isLoggedIn, !user.isEmpty else { return "503 USER first" }
        let settings = double.settings
        let isRight = (settings.user ?? user) == user && (settings.password ?? password) == password
        password = ""
        guard isRight else { return "530 Not you" }
        let isLetIn = double.state.withLock { state in
            if let maximum = settings.maximumLogins, state.openLogins >= maximum { return false }
            state.logins += 1
            state.openLogins += 1
            return true
        }
        guard isLetIn else { return "530 Too many of you" }
        isLoggedIn = true
        return "230 Welcome"
    }

    // MARK: What the server can do

    private func features() -> FTPReply {
        if double.settings.features.isEmpty { return "500 Not known" }
        return FTPReply(
            (["211-Features:"] + double.settings.features.map { " " + $0 } + ["211 End"]).joined(separator: "\n"))
    }

    private func options(_ argument: String) -> FTPReply {
        let words = argument.split(separator: " ", maxSplits: 1).map(String.init)
        switch words.first?.uppercased() {
        case "UTF8": return "200 UTF-8 it is"
        case "MLST":
            let wanted = (words.count > 1 ? words[1] : "").lowercased().split(separator: ";").map(String.init)
            facts = FTPTree.facts.intersection(wanted)
            return FTPReply("200 MLST OPTS " + wanted.filter(facts.contains).map { $0 + ";" }.joined())
        case "HASH":
            guard words.count > 1, double.settings.hashes[words[1].uppercased()] != nil else { return "501 Not that" }
            hash = words[1].uppercased()
            return "200 \(hash)"
        default: return "501 No such option"
        }
    }

    // MARK: Parameters of transfers

    private func type(_ argument: String) -> FTPReply {
        switch argument {
        case "A", "A N": isText = true
        case "I", "L 8": isText = false
        default: return "504 Not that type"
        }
        return "200 Type is \(argument)"
    }

    private func restart(_ argument: String) -> FTPReply {
        guard let position = Int(argument), position >= 0, argument.allSatisfy(\.isNumber) else {
            return "501 Not a position"
        }
        offset = position
        return "350 Restarting at \(position)"
    }

    private func abort() -> FTPReply {
        defer { wasAborted = false }
        return wasAborted ? "226 Aborted" : "225 Nothing to abort"
    }

    // MARK: The way of data

    private func passive(_ command: FTPDouble.Command, _ faults: [FTPDouble.Fault]) -> FTPReply {
        let isExtended = command.verb == "EPSV"
        if isExtended, command.argument.uppercased() == "ALL" {
            allowsOnlyEPSV = true
            return "200 EPSV alone"
        }
        if isExtended, !["", family].contains(command.argument) { return "522 Only (\(family))" }
        if !isExtended, let refusal = refusal(command) { return refusal }
        way.close()
        way = .none
        guard let (socket, port) = Loopback.listen(isIPv6: double.settings.isIPv6, backlog: 1) else {
            return "425 No port to be had"
        }
        way = .passive(socket)
        var (host, said, whole) = ("127.0.0.1", port, nil as String?)
        for fault in faults {
            switch fault {
            case .wrongPASVAddress(let address): host = address
            case .wrongPort(let number): said = number
            case .passiveReply(let make): whole = make(port)
            case .refuseDataConnection:
                way.close()
                way = .passive(-1)
            default: break
            }
        }
        if let whole { return FTPReply(whole) }
        let numbers = host.split(separator: ".").joined(separator: ",") + ",\(said >> 8),\(said & 255)"
        return isExtended
            ? "229 Entering extended passive mode (|||\(said)|)" : "227 Entering passive mode (\(numbers))"
    }

    /// As EPSV and EPRT number them (RFC 2428, section 2).
    private var family: String { double.settings.isIPv6 ? "2" : "1" }

    private func refusal(_ command: FTPDouble.Command) -> FTPReply? {
        if allowsOnlyEPSV {
            violation("\(command.verb) after EPSV ALL")
            return "501 EPSV alone"
        }
        return double.settings.isIPv6 && command.verb != "EPRT" ? "425 Not over IPv6" : nil
    }

    private func active(_ command: FTPDouble.Command) -> FTPReply {
        if let refusal = refusal(command) { return refusal }
        way.close()
        way = .none
        if command.verb == "PORT" {
            let numbers = command.argument.split(separator: ",").map { Int($0) ?? -1 }
            guard numbers.count == 6, numbers.allSatisfy({ 0...255 ~= $0 }) else { return "501 Not six numbers" }
            // No other host: the double must not be made to connect elsewhere.
            guard Array(numbers[..<4]) == [127, 0, 0, 1] else { return "500 Not your address" }
            way = .active(numbers[4] << 8 | numbers[5])
            return "200 Fine"
        }
        let mark = command.argument.first.map(String.init) ?? "|"
        let parts = command.argument.components(separatedBy: mark)
        guard parts.count == 5, let port = Int(parts[3]), 1...65_535 ~= port else { return "501 Not an address" }
        guard parts[1] == family else { return "522 Only (\(family))" }
        guard parts[2] == (double.settings.isIPv6 ? "::1" : "127.0.0.1") else { return "500 Not your address" }
        way = .active(port)
        return "200 Fine"
    }
}
