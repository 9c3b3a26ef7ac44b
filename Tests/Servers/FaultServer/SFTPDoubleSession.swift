import FileProviderCore
import Foundation

/// The server at the end of one channel. Belongs to the channel's thread.
final class SFTPDoubleSession {
    /// Bytes for the client.
    struct Item {
        var bytes: [UInt8]
        /// When they may go.
        var due: Double
        /// Of the request that they answer; nil for bytes that answer none.
        var id: UInt32?
        /// Whether they are the reply that somebody waits for.
        var isReply = false
        /// How long the chain of requests is that led here.
        var depth = 0
        var isVersion = false
        /// Whether the channel ends behind them.
        var closes = false
    }

    struct Handle {
        var node: Int
        var path: [UInt8]
        var flags: SFTPDouble.OpenFlags = []
        /// What READDIR is still to give; nil for a file.
        var entries: ArraySlice<(name: [UInt8], id: Int)>?
    }

    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    let double: SFTPDouble
    let number: Int
    var settings: SFTPDouble.Settings { double.settings }
    var handles: [[UInt8]: Handle] = [:]
    var lastHandle: UInt32 = 0
    var endlessNames = 0

    /// The channel is over for the client.
    var isClosed = false
    private var input: [UInt8] = []
    /// Nothing more is read.
    var isDeaf = false
    private var hasBegun = false
    var hasGivenVersion = false
    /// Requests that were taken and whose reply has not been given.
    var outstanding: Set<UInt32> = []
    private var order = 0
    /// How many of them have a reply under way.
    var owed = 0

    /// From `head` on, of which so many bytes have been given.
    var output: [Item] = []
    var head = 0
    var given = 0
    var backlog = 0
    var late: [(item: Item, after: Int)] = []
    var kept: [Item] = []
    var held: [Item] = []
    private(set) var lastTake = 0.0

    init(_ double: SFTPDouble, number: Int) {
        self.double = double
        self.number = number
    }

    func complain(_ sentence: String) { double.record(sentence, channel: number) }

    /// Closes what is open.
    func end() {
        double.state.update { state in
            for handle in handles.values { release(handle, state: &state) }
            state.counts.leakedHandles += handles.count
            state.owed -= owed
        }
        handles = [:]
    }

    func release(_ handle: Handle, state: inout SFTPDouble.State) {
        state.counts.openHandles -= 1
        state.tree.nodes[handle.node]?.handles -= 1
        state.tree.forget(handle.node)
    }

    // MARK: From the client

    /// Whether no more is taken at the moment.
    var isFull: Bool { isDeaf || backlog > settings.maximumBacklog }

    func take(_ bytes: [UInt8]) {
        lastTake = Self.now
        input += bytes
        var position = 0
        while !isDeaf, input.count - position >= 4 {
            let length = input[position..<(position + 4)].reduce(0) { $0 << 8 | Int($1) }
            guard length >= 5, length <= settings.maximumPacket else {
                complain("A packet of \(length) bytes.")
                return close()
            }
            guard input.count - position >= 4 + length else { break }
            take(packet: Array(input[(position + 4)..<(position + 4 + length)]))
            position += 4 + length
        }
        input.removeFirst(position)
    }

    private func take(packet: [UInt8]) {
        guard let kind = SFTPDouble.Kind(rawValue: packet[0]), !kind.isReply else {
            complain("A packet of type \(packet[0]).")
            var reader = SFTPDoubleReader(Array(packet.dropFirst()))
            let reply = SFTPDoubleReply.status(.unsupported).packet(
                id: (try? reader.uint32()) ?? 0, faults: [], attributeMask: 0)
            return queue(Item(bytes: reply, due: Self.now + settings.latency))
        }
        guard (kind == .initialize) != hasBegun else {
            complain(hasBegun ? "A second INIT." : "A request before INIT.")
            return close()
        }
        do {
            take(try SFTPDoubleCall(kind, packet: packet))
        } catch {
            complain("\(kind): \((error as? SFTPDoubleMalformed)?.sentence ?? "\(error)")")
            close()
        }
    }

    private func take(_ received: SFTPDoubleCall) {
        var call = received
        hasBegun = true
        order += 1
        call.request.channel = number
        call.request.order = order
        if let handle = handles[call.request.handle] {
            call.request.bytes = handle.path
            call.request.path = String(decoding: handle.path, as: UTF8.self)
        }
        check(&call)
        if call.request.kind != .initialize, !outstanding.insert(call.request.id).inserted {
            call.complaints.append("The id \(call.request.id) is used again before its reply.")
        }
        for complaint in call.complaints {
            complain("\(call.request.kind)\(call.request.name.isEmpty ? "" : " " + call.request.name): \(complaint)")
        }
        let (answer, depth, isCut) = count(&call.request)
        if isCut { return close() }
        call.faults = answer(call.request)
        reply(to: call, depth: depth)
    }

    /// What is understood and not allowed.
    private func check(_ call: inout SFTPDoubleCall) {
        let request = call.request
        if request.kind != .initialize, !hasGivenVersion { call.complaints.append("A request before VERSION.") }
        let isOffered = settings.extensions.contains { $0.name == request.name }
        if request.kind == .extended, !isOffered { call.complaints.append("Not offered.") }
        // The draft's section 3 promises 34,000 bytes, of which 32,768 are data.
        let tells = settings.extensions.contains { $0.name == "limits@openssh.com" }
        if request.kind == .read, request.length > (tells ? settings.maximumRead : 32_768) {
            call.complaints.append("Asks for \(request.length) bytes.")
        }
        if request.kind == .write, request.length > (tells ? settings.maximumWrite : 32_768) {
            call.complaints.append("Brings \(request.length) bytes.")
        }
        for handle in [request.handle, call.target.handle] where !handle.isEmpty && handles[handle] == nil {
            call.complaints.append("No such handle, or closed.")
        }
        let usesHandle = [.close, .fstat, .readdir, .read, .write, .fsetstat].contains(request.kind)
        if usesHandle, request.handle.isEmpty { call.complaints.append("An empty handle.") }
    }

    private func count(_ request: inout SFTPDouble.Request) -> (
        @Sendable (SFTPDouble.Request) -> [SFTPDouble.Fault], depth: Int, isCut: Bool
    ) {
        let outstanding = outstanding.count
        var seen = request
        defer { request = seen }
        return double.state.update { state in
            state.counts.requests[seen.kind, default: 0] += 1
            if seen.kind == .extended { state.counts.extended[seen.name, default: 0] += 1 }
            seen.occurrence =
                seen.kind == .extended
                ? state.counts.extended[seen.name, default: 0] : state.counts.requests[seen.kind, default: 0]
            if state.requests.count < 100_000 { state.requests.append(seen) }
            state.counts.peakOutstanding = max(state.counts.peakOutstanding, outstanding)
            if state.owed == 0 { state.counts.turns += 1 }
            let depth = state.depth + 1
            state.counts.roundTrips = max(state.counts.roundTrips, depth - state.depthAtReset)
            var isCut = false
            if case .requests(let left)? = state.cut {
                isCut = left <= 1
                state.cut = isCut ? nil : .requests(left - 1)
            }
            return (state.answer, depth, isCut)
        }
    }
}
