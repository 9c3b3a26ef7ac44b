import FileProviderCore
import Foundation

extension SFTPDoubleSession {
    // MARK: What is answered

    func reply(to call: SFTPDoubleCall, depth: Int) {
        guard let bytes = bytes(for: call) else { return }
        var item = Item(
            bytes: bytes, due: Self.now + settings.latency, id: call.request.id, isReply: true, depth: depth)
        item.isVersion = call.request.kind == .initialize
        var isTwice = false
        for fault in call.faults {
            switch fault {
            case .delay(let seconds): item.due += seconds
            case .duplicate: isTwice = true
            case .before(let data): item.bytes = Array(data) + item.bytes
            case .behind(let data): item.bytes += data
            case .cut(let count):
                item.bytes = Array(item.bytes.prefix(count))
                item.closes = true
            case .closeAfterReply: item.closes = true
            default: continue
            }
        }
        if item.closes { isDeaf = true }
        owed += 1
        double.state.update { $0.owed += 1 }
        queue(item, faults: call.faults)
        if isTwice { queue(Item(bytes: item.bytes, due: item.due)) }
    }

    /// - Returns: Nil where nothing is answered.
    private func bytes(for call: SFTPDoubleCall) -> [UInt8]? {
        var reply: SFTPDoubleReply?
        for fault in call.faults {
            switch fault {
            case .silence: return nil
            case .close:
                close()
                return nil
            case .raw(let data): return Array(data)
            case .packet(let type, let data):
                return SFTPDoubleReply.packet(type: type, id: call.request.id, Array(data))
            case .status(let code, let text): reply = .status(code, text)
            default: continue
            }
        }
        var answer = reply ?? perform(call)
        for fault in call.faults {
            switch fault {
            case .statusAfterDoing(let code, let text): answer = .status(code, text)
            case .silenceAfterDoing: return nil
            case .closeAfterDoing:
                close()
                return nil
            case .names(let names):
                answer = .names(
                    names.map { SFTPDoubleReply.Name(name: $0, node: SFTPTree.Node(kind: .file, mode: 0o644)) })
            default: continue
            }
        }
        return answer.packet(id: call.request.id, faults: call.faults, attributeMask: settings.attributes)
    }

    /// Ends the channel behind what was answered so far.
    func close() {
        isDeaf = true
        append(Item(bytes: [], due: Self.now + settings.latency, closes: true))
    }

    // MARK: When it is answered

    private func queue(_ item: Item, faults: [SFTPDouble.Fault]) {
        for fault in faults {
            switch fault {
            case .held where !double.state.update({ $0.hasLetGo }): return held.append(item)
            case .late(let others) where others > 0: return late.append((item, others))
            case .shuffled(let count):
                kept.append(item)
                if kept.count >= count { release() }
                return
            default: continue
            }
        }
        queue(item)
    }

    func queue(_ item: Item) {
        append(item)
        for index in late.indices { late[index].after -= 1 }
        for ready in late where ready.after <= 0 { append(ready.item) }
        late.removeAll { $0.after <= 0 }
    }

    private func append(_ item: Item) {
        output.append(item)
        backlog += item.bytes.count
    }

    private func release() {
        for item in kept.reversed() { queue(item) }
        kept = []
    }

    /// Does what time brings, or the one who holds replies.
    func tick() {
        if nextRelease <= Self.now { release() }
        guard !held.isEmpty, double.state.update({ $0.hasLetGo }) else { return }
        for item in held { queue(item) }
        held = []
    }

    /// When replies that are kept are let go.
    var nextRelease: Double { kept.isEmpty ? .infinity : lastTake + 0.05 }

    // MARK: To the client

    /// When the next bytes may go, or the channel ends.
    var nextDue: Double { head < output.count ? output[head].due : .infinity }

    /// Ends the channel when that is what comes next.
    func closeIfDue() -> Bool {
        guard head < output.count, output[head].bytes.isEmpty, output[head].closes else { return false }
        isClosed = true
        return true
    }

    /// - Returns: How many bytes were put into `room`.
    func give(into room: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        while head < output.count, output[head].due <= Self.now, !isClosed {
            let count = min(room.count - filled, output[head].bytes.count - given)
            output[head].bytes.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: room[filled..<(filled + count)])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[given..<(given + count)]))
            }
            filled += count
            given += count
            guard given == output[head].bytes.count else { break }
            finish(output[head])
            if filled == room.count { break }
        }
        return filled
    }

    private func finish(_ item: Item) {
        given = 0
        backlog -= item.bytes.count
        output[head].bytes = []
        head += 1
        if head > 1_000 || head == output.count {
            output.removeFirst(head)
            head = 0
        }
        if item.closes { isClosed = true }
        if item.isVersion { hasGivenVersion = true }
        guard item.isReply else { return }
        if let id = item.id, !item.isVersion { outstanding.remove(id) }
        owed -= 1
        double.state.update { state in
            state.owed -= 1
            state.depth = max(state.depth, item.depth)
        }
    }
}
