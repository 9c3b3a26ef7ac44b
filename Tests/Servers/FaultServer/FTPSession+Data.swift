import Foundation
import Synchronization

extension FTPSession {
    /// Everything is in memory, the zeros in front of an offset too.
    private static let maxGap = 1 << 30

    // MARK: Commands

    func retrieve(_ command: FTPDouble.Command, _ path: [UInt8], _ faults: [FTPDouble.Fault]) -> FTPReply? {
        let plan = FTPTransferPlan(faults)
        let start = plan.rule == .ignored ? 0 : offset
        offset = 0
        guard let data = double.state.withLock({ $0.tree.nodes[path]?.data }) else { return giveUp("550 No such file") }
        if isText { violation("RETR in TYPE A") }
        let rest = Data(data.dropFirst(start))
        let content = plan.content ?? FTPContent(data: isText ? rest.withCarriageReturns : rest)
        return transfer(command, plan, "150 Opening data connection (\(rest.count) bytes)") {
            self.send(content, plan, $0)
        }
    }

    func sendListing(_ command: FTPDouble.Command, listing: Data, faults: [FTPDouble.Fault]) -> FTPReply? {
        let plan = FTPTransferPlan(faults)
        let content = plan.content ?? FTPContent(data: listing)
        return transfer(command, plan, "150 Here it comes") { self.send(content, plan, $0) }
    }

    func store(_ command: FTPDouble.Command, _ path: [UInt8], _ faults: [FTPDouble.Fault], appends: Bool) -> FTPReply? {
        let plan = FTPTransferPlan(faults)
        let given = plan.rule == .ignored || appends ? 0 : offset
        offset = 0
        let (isPossible, length) = double.state.withLock { state in
            (
                state.tree.isFolder(FTPTree.parent(path)) && !state.tree.isFolder(path),
                state.tree.nodes[path]?.data?.count ?? 0
            )
        }
        guard isPossible else { return giveUp("553 No file can be there") }
        guard given <= Self.maxGap else { return giveUp("552 Too large") }
        if isText { violation("\(command.verb) in TYPE A") }
        let (start, rule) = appends ? (length, .overwrite) : (given, plan.rule)
        return transfer(command, plan, "150 Go on") { socket in
            self.prepare(path, at: start, rule)
            return self.receive(to: path, at: start, plan, socket)
        }
    }

    private func giveUp(_ reply: FTPReply) -> FTPReply {
        way.close()
        way = .none
        return reply
    }

    /// What is in the file before the first byte comes.
    private func prepare(_ path: [UInt8], at start: Int, _ rule: FTPDouble.OffsetRule) {
        double.state.withLock { state in
            let previous = state.tree.nodes[path]
            var data = rule == .zeroFill || start == 0 ? Data() : previous?.data ?? Data()
            if rule == .truncate { data = Data(data.prefix(start)) }
            if data.count < start { data.append(Data(count: start - data.count)) }
            state.tree.nodes[path] = FTPTree.Node(data: data, mode: previous?.mode ?? 0o644)
        }
    }

    // MARK: A transfer

    private func transfer(
        _ command: FTPDouble.Command, _ plan: FTPTransferPlan, _ mark: FTPReply, _ move: (FTPSocket) -> FTPEnding
    ) -> FTPReply? {
        let way = self.way
        self.way = .none
        defer { way.close() }
        if case .none = way {
            violation("\(command.verb) without PASV, EPSV, PORT or EPRT")
            return "425 Use PASV or PORT first"
        }
        if plan.hasMark, !send(plan.mark.map { FTPReply($0) } ?? mark) {
            lastEnding = .lost
            return nil
        }
        if plan.isReplyFirst, !send(FTPReply(plan.final ?? "226 Done")) {
            lastEnding = .lost
            return nil
        }
        let ending = open(way, plan) { descriptor in
            let socket = FTPSocket(descriptor, double.dataCutter) { received, sent in
                self.double.state.withLock { $0.data = ($0.data.received + received, $0.data.sent + sent) }
            }
            double.state.withLock { $0.dataConnections += 1 }
            return move(socket)
        }
        lastEnding = ending
        return plan.isReplyFirst ? nil : reply(to: ending)
    }

    private func reply(to ending: FTPEnding) -> FTPReply? {
        switch ending {
        case .complete: return "226 Done"
        case .cut(let text), .failed(let text): return FTPReply(text)
        case .aborted:
            wasAborted = true
            return "426 Aborted"
        case .lost: return nil
        }
    }

    /// Closes the data connection after `move`.
    private func open(_ way: FTPDataWay, _ plan: FTPTransferPlan, _ move: (Int32) -> FTPEnding) -> FTPEnding {
        let descriptor: Int32
        switch way {
        case .passive(let listener) where listener >= 0:
            if let ending = wait(listener, Int16(POLLIN), seconds: double.settings.dataTimeout) { return ending }
            descriptor = accept(listener, nil, nil)
        case .active(let port):
            descriptor = Loopback.connect(to: port, isIPv6: double.settings.isIPv6, from: plan.origin) ?? -1
        case .passive, .none: descriptor = -1
        }
        guard descriptor >= 0 else { return .failed("425 No data connection") }
        defer { close(descriptor) }
        if case .active = way {
            if let ending = wait(descriptor, Int16(POLLOUT), seconds: double.settings.dataTimeout) { return ending }
            var failure: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &length)
            if failure != 0 { return .failed("425 No data connection") }
        }
        return move(descriptor)
    }

    /// Nil when `descriptor` is ready; otherwise how the transfer ended.
    private func wait(_ descriptor: Int32, _ events: Int16, seconds: Double? = nil) -> FTPEnding? {
        while true {
            if control.hasAbort { return .aborted }
            if control.isOver { return .lost }
            let wanted = FTPSocket.hangUp | (control.isFull ? 0 : Int16(POLLIN))
            var entries = [
                pollfd(fd: descriptor, events: events, revents: 0),
                pollfd(fd: control.socket.descriptor, events: wanted, revents: 0),
            ]
            let count = poll(&entries, 2, seconds.map(FTPSocket.milliseconds) ?? -1)
            if count == 0 { return .failed("425 Nobody came") }
            if entries[1].revents & ~Int16(POLLIN) != 0 { return .lost }
            if entries[1].revents != 0 { control.drain() } else if entries[0].revents != 0 { return nil }
        }
    }

    private func send(_ content: FTPContent, _ plan: FTPTransferPlan, _ socket: FTPSocket) -> FTPEnding {
        var position = 0
        while true {
            let room = plan.room(after: position)
            if room == 0 { return stop(plan, socket) }
            let piece = content.piece(at: position, atMost: room)
            if piece.isEmpty { return .complete }
            if let ending = wait(socket.descriptor, Int16(POLLOUT)) { return ending }
            guard let sent = socket.send(piece) else { return .failed("426 The data connection is lost") }
            position += sent
            if let slow = plan.slow, !control.wait(slow.pause) { return .lost }
        }
    }

    private func receive(to path: [UInt8], at start: Int, _ plan: FTPTransferPlan, _ socket: FTPSocket) -> FTPEnding {
        var position = 0
        // Only what is changed as a whole has to be kept until the end.
        var kept: Data? = plan.storing != nil || isText ? Data() : nil
        defer {
            if let kept {
                let bytes = isText ? kept.withoutCarriageReturns : kept
                write(plan.storing?(bytes) ?? bytes, at: start, of: path)
            }
        }
        while true {
            let room = plan.room(after: position)
            if room == 0 { return stop(plan, socket) }
            if let ending = wait(socket.descriptor, Int16(POLLIN)) { return ending }
            switch socket.receive(atMost: room, waits: false) {
            case .bytes(let bytes):
                if kept == nil { write(bytes, at: start + position, of: path) } else { kept?.append(bytes) }
                position += bytes.count
            case .nothing: continue
            case .end: return .complete
            case .lost: return .failed("426 The data connection is lost")
            }
            if let slow = plan.slow, !control.wait(slow.pause) { return .lost }
        }
    }

    private func write(_ bytes: Data, at start: Int, of path: [UInt8]) {
        double.state.withLock { $0.tree.write(bytes, at: start, of: path) }
    }

    /// What happens where the plan has its limit.
    private func stop(_ plan: FTPTransferPlan, _ socket: FTPSocket) -> FTPEnding {
        if let reply = plan.reply {
            if plan.isReset { socket.reset() }
            return .cut(reply)
        }
        return wait(socket.descriptor, FTPSocket.hangUp) ?? .failed("426 The data connection is lost")
    }
}

extension Data {
    /// Each LF as CR LF, as `TYPE A` sends it (RFC 959, section 3.1.1.1).
    fileprivate var withCarriageReturns: Data {
        reduce(into: Data()) { result, byte in
            if byte == UInt8(ascii: "\n") { result.append(UInt8(ascii: "\r")) }
            result.append(byte)
        }
    }

    /// Each CR LF as LF.
    fileprivate var withoutCarriageReturns: Data {
        reduce(into: Data()) { result, byte in
            if byte == UInt8(ascii: "\n"), result.last == UInt8(ascii: "\r") { result.removeLast() }
            result.append(byte)
        }
    }
}
