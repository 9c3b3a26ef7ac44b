import CCurl
import FileProviderCore
import Foundation
import Synchronization

/// The thread that drives libcurl's multi interface, and the only one that touches it.
///
/// Other threads leave commands and wake it; while nothing moves it sleeps in `curl_multi_poll`. Source:
/// libcurl-multi(3).
final class EventLoop: @unchecked Sendable {
    // Unchecked: `inbox` is locked. `multi` is changed on the loop's thread under that lock, and read elsewhere only
    // under it. Everything else is used only on the loop's thread once that runs, which debug builds check.
    private enum Command {
        case start(Transfer)
        case cancel(Transfer)
        case goOn(Transfer, Transfer.Side)
        case cancelAll
        case perform(@Sendable () -> Void)
        case stop
    }

    private struct Inbox {
        var commands: [Command] = []
        var isStopped = false
    }

    private struct RunningTransfer {
        let transfer: Transfer
        let easy: EasyHandle
        let lists: [UnsafeMutablePointer<curl_slist>]
        /// Whether the handle may hold an earlier digest challenge.
        let isReused: Bool
    }

    private let inbox = Mutex(Inbox())
    private let owner = OwningThread()
    private var multi: UnsafeMutableRawPointer
    private let options: ConnectionOptions
    /// The maximum number of transfers at once.
    private let slots: Int
    /// The context of the connections' callbacks.
    private let companion: AnyObject?
    private let certificates: ServerCertificates
    private var running: [UnsafeMutableRawPointer: RunningTransfer] = [:]
    private var spare: [EasyHandle] = []
    /// Transfers that wait for a place, in order of arrival.
    private var waiting: [Transfer] = []

    private static let initialised: Bool = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

    /// - Parameters:
    ///   - slots: The maximum number of transfers at once. With one slot, one connection is kept.
    ///   - companion: Lives as long as the connections do.
    init(options: ConnectionOptions, slots: Int, companion: AnyObject? = nil) throws {
        guard Self.initialised, let multi = Self.makeMulti(slots) else {
            throw FileError.make(.fileReadUnknown, path: "", sentence: "libcurl could not be started.")
        }
        self.multi = multi
        self.options = options
        self.slots = slots
        self.companion = companion
        certificates = ServerCertificates(pins: options.trust.pins)
        do {
            try TransportThread.start(name: "carrel.curl", wake: wake, body: run)
        } catch {
            curl_multi_cleanup(multi)
            throw error
        }
    }

    private static func makeMulti(_ slots: Int) -> UnsafeMutableRawPointer? {
        guard let multi = curl_multi_init() else { return nil }
        _ = carrel_multi_set_long(multi, CURLMOPT_MAXCONNECTS, slots == 1 ? 1 : max(8, slots))
        _ = carrel_multi_set_long(multi, CURLMOPT_PIPELINING, carrel_MULTIPLEX)
        return multi
    }

    // MARK: From other threads

    @Sendable private func wake() {
        inbox.withLock { _ in _ = curl_multi_wakeup(multi) }
    }

    func start(_ transfer: Transfer) {
        if !post(.start(transfer)) { fail(transfer, Self.closed(transfer)) }
    }

    func cancel(_ transfer: Transfer) { post(.cancel(transfer)) }

    func goOn(_ transfer: Transfer, _ side: Transfer.Side) { post(.goOn(transfer, side)) }

    func cancelAll() { post(.cancelAll) }

    func stop() { post(.stop) }

    /// Runs `body` on the loop's thread, between transfers; returns false if the thread has ended.
    func perform(_ body: @escaping @Sendable () -> Void) -> Bool { post(.perform(body)) }

    /// Leaves a command and wakes the thread; returns false if it has ended.
    @discardableResult
    private func post(_ command: Command) -> Bool {
        inbox.withLock { inbox in
            if inbox.isStopped { return false }
            inbox.commands.append(command)
            if case .stop = command { inbox.isStopped = true }
            // Under the lock, because the thread frees `multi` only after it has seen the last command.
            curl_multi_wakeup(multi)
            return true
        }
    }

    private static func closed(_ transfer: Transfer) -> URLError {
        FileError.make(.cancelled, url: transfer.url, sentence: "The provider was closed.")
    }

    // MARK: On the loop's thread

    private func run(on thread: TransportThread) {
        owner.assertIsCurrent()
        while takeCommands() {
            if TransportThread.isExiting { return }
            var active: Int32 = 0
            curl_multi_perform(multi, &active)
            passOnWhatCame()
            finishTransfers()
            beginWaiting()
            wait(milliseconds: endIdleTransfers())
        }
        endAll()
        thread.end()
        for easy in spare { curl_easy_cleanup(easy.raw) }
        curl_multi_cleanup(multi)
    }

    private func wait(milliseconds: Int32) {
        var others = running.values.compactMap { entry in
            entry.transfer.forgottenSocket.map { curl_waitfd(fd: $0, events: Int16(CURL_WAIT_POLLIN), revents: 0) }
        }
        curl_multi_poll(multi, &others, UInt32(others.count), milliseconds, nil)
    }

    private func takeCommands() -> Bool {
        let (commands, isStopped) = inbox.withLock { inbox in
            defer { inbox.commands = [] }
            return (inbox.commands, inbox.isStopped)
        }
        for command in commands {
            switch command {
            case .start(let transfer) where isStopped: fail(transfer, Self.closed(transfer))
            case .start(let transfer): waiting.append(transfer)
            case .goOn(let transfer, let side):
                if let easy = transfer.easy, let entry = running[easy], !transfer.goOn(side) {
                    end(entry, CURLE_WRITE_ERROR)
                }
            case .cancel(let transfer): cancelNow(transfer)
            case .cancelAll:
                endAll()
                closeConnections()
            case .perform(let body): body()
            case .stop: break
            }
        }
        beginWaiting()
        return !isStopped
    }

    private func cancelNow(_ transfer: Transfer) {
        if let easy = transfer.easy, let entry = running[easy] {
            transfer.failure = CancellationError()
            end(entry, CURLE_ABORTED_BY_CALLBACK)
        } else if let index = waiting.firstIndex(where: { $0 === transfer }) {
            fail(waiting.remove(at: index), CancellationError())
        }
    }

    private func endAll() {
        for entry in running.values {
            entry.transfer.failure = Self.closed(entry.transfer)
            end(entry, CURLE_ABORTED_BY_CALLBACK)
        }
        for transfer in waiting { fail(transfer, Self.closed(transfer)) }
        waiting = []
    }

    /// A multi handle keeps its connections as long as it lives (libcurl-multi(3)).
    private func closeConnections() {
        guard let fresh = Self.makeMulti(slots) else { return }
        let previous = inbox.withLock { _ in
            // A command that arrived meanwhile has woken the old handle.
            curl_multi_wakeup(fresh)
            defer { multi = fresh }
            return multi
        }
        curl_multi_cleanup(previous)
    }

    /// The transfers that hold a place. One that waits for its own sink or source gives it up; otherwise two that wait
    /// for each other would be stuck.
    private var busy: Int { running.values.count { !$0.transfer.isHeldHere } }

    private func beginWaiting() {
        if waiting.isEmpty { return shareBandwidth() }
        var free = slots - busy
        var begun = 0
        while free > 0, begun < waiting.count {
            begin(waiting[begun])
            begun += 1
            free -= 1
        }
        waiting.removeFirst(begun)
        shareBandwidth()
    }

    private func begin(_ transfer: Transfer) {
        owner.assertIsCurrent()
        do {
            let isReused = !spare.isEmpty
            let easy = try spare.popLast() ?? EasyHandle.make()
            transfer.easy = easy.raw
            transfer.certificates = certificates
            let lists = easy.configure(for: transfer, options: options)
            running[easy.raw] = RunningTransfer(transfer: transfer, easy: easy, lists: lists, isReused: isReused)
            let code = curl_multi_add_handle(multi, easy.raw)
            guard code == CURLM_OK else {
                running[easy.raw] = nil
                transfer.easy = nil
                curl_easy_cleanup(easy.raw)
                lists.forEach { curl_slist_free_all($0) }
                throw FileError.make(
                    .fileReadUnknown, path: "", sentence: "libcurl: \(String(cString: curl_multi_strerror(code))).")
            }
        } catch {
            fail(transfer, error)
        }
    }

    private func passOnWhatCame() {
        for entry in running.values where !entry.transfer.passOnNow() { end(entry, CURLE_WRITE_ERROR) }
    }

    private func finishTransfers() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let raw = message.pointee.easy_handle, let entry = running[raw]
            else { continue }
            end(entry, carrel_message_result(message))
        }
    }

    /// Ends the transfers in which nothing has moved for the idle time. Returns the milliseconds until the next one may
    /// be due.
    private func endIdleTransfers() -> Int32 {
        let now = ContinuousClock.now
        var next = now + .seconds(60)
        for entry in running.values {
            if let round = entry.transfer.nextRound() { next = min(next, now + round) }
            if let deadline = entry.transfer.idleDeadline(options.timeouts.idle) {
                if deadline <= now {
                    end(entry, CURLE_OPERATION_TIMEDOUT)
                    continue
                }
                next = min(next, deadline)
            }
            guard let least = leastPerMinute, let deadline = entry.transfer.rateDeadline(least) else { continue }
            if deadline <= .now {
                entry.transfer.failure = Self.tooSlow(entry.transfer, least: least)
                end(entry, CURLE_OPERATION_TIMEDOUT)
            } else {
                next = min(next, deadline)
            }
        }
        return next == now ? 0 : Int32((next - now) / .milliseconds(1)) + 1
    }

    /// The minimum number of bytes a minute. This side's bandwidth limit lowers it.
    private var leastPerMinute: Int64? {
        guard let least = options.timeouts.leastPerMinute, least > 0 else { return nil }
        guard let bandwidth = options.bandwidth else { return least }
        let share = max(1, bandwidth / Int64(max(1, busy)))
        return min(least, max(1, share.multipliedReportingOverflow(by: 30).overflow ? least : share * 30))
    }

    private static func tooSlow(_ transfer: Transfer, least: Int64) -> URLError {
        FileError.make(
            .timedOut, url: transfer.url,
            sentence:
                "“\(transfer.url.host() ?? "The server")” was too slow: fewer than \(least) bytes moved in a minute.")
    }

    private func end(_ entry: RunningTransfer, _ code: CURLcode) {
        owner.assertIsCurrent()
        let raw = entry.easy.raw
        running[raw] = nil
        var ending = TransferEnding(code, of: raw)
        ending.challengeIsNew = entry.isReused && entry.transfer.wasDigestIgnored(offered: ending.offered)
        entry.transfer.count(into: options.counters, from: raw)
        curl_multi_remove_handle(multi, raw)
        entry.easy.disconnect()
        entry.lists.forEach { curl_slist_free_all($0) }
        entry.transfer.easy = nil
        spare.append(entry.easy)
        if ending.challengeIsNew { forgetChallenges() }
        entry.transfer.finish(ending, options: options)
    }

    /// libcurl treats a second challenge that does not call the first one stale as a refusal, and keeps the first (RFC
    /// 7616, section 3.3).
    private func forgetChallenges() {
        for easy in spare { curl_easy_cleanup(easy.raw) }
        spare = []
    }

    private func fail(_ transfer: Transfer, _ error: any Error) {
        transfer.failure = error
        transfer.finish(TransferEnding(CURLE_ABORTED_BY_CALLBACK), options: options)
    }

    private func shareBandwidth() {
        guard let bandwidth = options.bandwidth else { return }
        let share = max(1, bandwidth / Int64(max(1, busy)))
        for entry in running.values { entry.easy.limit(bytesPerSecond: share) }
    }
}
