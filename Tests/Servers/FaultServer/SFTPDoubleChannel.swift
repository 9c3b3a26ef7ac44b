import FileProviderCore
import Foundation

/// One end of a stream in memory, at the other end of which the server is.
///
/// Unchecked: `condition` protects what comes from other threads; the rest belongs to the channel's thread.
final class SFTPDoubleChannel: ByteChannel, @unchecked Sendable {
    private let double: SFTPDouble
    private let condition = NSCondition()
    private var isStarted = false
    private var isWoken = false
    private var mustLook = false
    private var error: (any Error)?

    private var number = 0
    private var lastMove = SFTPDoubleSession.now
    /// What the user has had and the server not taken, its first bytes, and how much it was.
    private var leading: [UInt8] = []
    private var leadingCount = 0
    private var asks = 0
    /// Whether the user had nothing, or no room, when it was asked last.
    private var isSilent = false
    private var isFull = false

    init(_ double: SFTPDouble) { self.double = double }

    func start(_ user: any ByteChannelUser) {
        condition.lock()
        let wasStarted = isStarted
        isStarted = true
        condition.unlock()
        guard !wasStarted else { return double.record("A channel is started twice.", channel: number) }
        number = double.state.update { state in
            state.counts.channels += 1
            state.counts.openChannels += 1
            state.lastChannel += 1
            state.channels[state.lastChannel] = self
            return state.lastChannel
        }
        Thread.detachNewThread { self.run(user) }
    }

    func wake() {
        condition.lock()
        isWoken = true
        condition.signal()
        condition.unlock()
    }

    func end(with error: any Error) {
        condition.lock()
        self.error = self.error ?? error
        condition.signal()
        condition.unlock()
    }

    /// Has the server look anew at what it may do, which says nothing about the user.
    func look() {
        condition.lock()
        mustLook = true
        condition.signal()
        condition.unlock()
    }

    // MARK: The thread

    private func run(_ user: any ByteChannelUser) {
        let session = SFTPDoubleSession(double, number: number)
        let error = move(user, session)
        session.end()
        double.state.update { [number] state in
            state.counts.openChannels -= 1
            state.channels[number] = nil
        }
        user.ended(with: error)
    }

    /// - Returns: What the channel ended with.
    private func move(_ user: any ByteChannelUser, _ session: SFTPDoubleSession) -> any Error {
        do {
            while true {
                if let error = takeNotice() { return error }
                session.tick()
                let hasTaken = try take(user, session)
                let hasGiven = try give(user, session)
                if session.isClosed { return URLError(.networkConnectionLost) }
                if hasTaken || hasGiven {
                    lastMove = SFTPDoubleSession.now
                } else if let timeout = double.settings.timeout, SFTPDoubleSession.now - lastMove >= timeout {
                    if user.isWaiting { return URLError(.timedOut) }
                    if !session.outstanding.isEmpty {
                        double.record("isWaiting is false while a reply is owed.", channel: number)
                    }
                    lastMove = SFTPDoubleSession.now
                } else {
                    pause(session)
                }
            }
        } catch {
            return error
        }
    }

    private func takeNotice() -> (any Error)? {
        condition.lock()
        defer { condition.unlock() }
        if isWoken {
            isSilent = false
            isFull = false
        }
        isWoken = false
        mustLook = false
        return error
    }

    /// Until somebody says something or something is due.
    private func pause(_ session: SFTPDoubleSession) {
        var due = session.nextRelease
        if !isFull { due = min(due, session.nextDue) }
        if let timeout = double.settings.timeout { due = min(due, lastMove + timeout) }
        condition.lock()
        defer { condition.unlock() }
        if isWoken || mustLook || error != nil { return }
        if due == .infinity {
            condition.wait()
        } else {
            _ = condition.wait(until: Date(timeIntervalSinceNow: max(0, due - SFTPDoubleSession.now)))
        }
    }

    // MARK: Bytes

    private func take(_ user: any ByteChannelUser, _ session: SFTPDoubleSession) throws -> Bool {
        if session.isFull || isSilent && double.settings.asksOnlyWhenWoken { return false }
        let bytes = try user.bytesToSend()
        compare(bytes)
        isSilent = bytes.isEmpty
        if bytes.isEmpty { return false }
        let count = double.state.update { $0.allowance(min(bytes.count, double.settings.maximumTake), receiving: true) }
        asks += 1
        // Now and then nothing is taken, as it is when a socket is full.
        let hesitates = asks % 7 == 0 && count > 0
        guard count > 0, !hesitates else {
            remember(bytes)
            return hesitates
        }
        let taken = Array(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        remember(UnsafeRawBufferPointer(rebasing: bytes[count...]))
        let isCut = double.state.update { $0.moved(count, receiving: true) }
        user.sent(count)
        session.take(taken)
        if isCut { throw URLError(.networkConnectionLost) }
        return true
    }

    private func give(_ user: any ByteChannelUser, _ session: SFTPDoubleSession) throws -> Bool {
        guard session.nextDue <= SFTPDoubleSession.now, !(isFull && double.settings.asksOnlyWhenWoken) else {
            return false
        }
        if session.closeIfDue() { return true }
        let room = user.roomToReceive()
        let wasFull = isFull
        isFull = room.isEmpty
        if isFull {
            if !wasFull { double.state.update { $0.counts.heldBack += 1 } }
            return false
        }
        let count = double.state.update { $0.allowance(min(room.count, double.settings.maximumGive), receiving: false) }
        let given = session.give(into: UnsafeMutableRawBufferPointer(rebasing: room[..<count]))
        let isCut = double.state.update { $0.moved(given, receiving: false) }
        if given > 0 { try user.received(given) }
        if isCut { throw URLError(.networkConnectionLost) }
        return true
    }

    private func remember(_ bytes: UnsafeRawBufferPointer) {
        leading = Array(bytes.prefix(256))
        leadingCount = bytes.count
    }

    private func compare(_ bytes: UnsafeRawBufferPointer) {
        if bytes.count < leadingCount {
            double.record(
                "bytesToSend() has \(bytes.count) bytes where \(leadingCount) had not been sent.", channel: number)
        } else if !bytes.starts(with: leading) {
            double.record("bytesToSend() begins with other bytes than those that had not been sent.", channel: number)
        }
    }
}
