import CChild
import CSSH2
import FileProviderCore
import Foundation

/// A program that runs as a child, with pipes for its three streams; on one thread.
final class SSHProgramChild {
    /// Where it reads; -1 once closed.
    private(set) var input: Int32 = -1
    /// What it writes, and what it complains of; -1 once closed.
    private(set) var output: Int32 = -1
    private(set) var errors: Int32 = -1
    /// Readable once it has ended; -1 where the system does not tell.
    private let watch: Int32
    private let child: pid_t
    private var status: Int32?
    /// The last of what it complained of.
    private(set) var complaints: [UInt8] = []

    private static let mostComplaints = 4 << 10
    private static let pipeSize: Int32 = 1 << 20

    /// - Throws: `CocoaError(.fileReadUnknown)` where the system starts none.
    init(path: String, arguments: [String]) throws {
        var ends: [Int32] = []
        func pipe() throws -> (reading: Int32, writing: Int32) {
            var both: [Int32] = [-1, -1]
            guard carrel_child_pipe(&both) == 0 else { throw Self.failure("has no pipe to give") }
            ends += both
            return (both[0], both[1])
        }
        do {
            let (inputs, outputs, errors) = (try pipe(), try pipe(), try pipe())
            // Larger ones spare changes between the two processes; where they may not be, the usual size does.
            _ = carrel_pipe_resize(inputs.writing, Self.pipeSize)
            _ = carrel_pipe_resize(outputs.reading, Self.pipeSize)
            let texts = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
            child = Self.withStrings([path] + arguments, texts) { arguments, environment in
                carrel_child_talk(path, arguments, environment, inputs.reading, outputs.writing, errors.writing)
            }
            guard child > 0 else { throw Self.failure("starts no program") }
            // The child does the same; whoever comes first, the group is there when it has to be ended.
            setpgid(child, child)
            for end in [inputs.reading, outputs.writing, errors.writing] { close(end) }
            (input, output, self.errors) = (inputs.writing, outputs.reading, errors.reading)
            for end in [input, output, self.errors] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
            watch = carrel_child_watch(child)
            if watch >= 0 { _ = fcntl(watch, F_SETFD, FD_CLOEXEC) }
        } catch {
            for end in ends { close(end) }
            throw error
        }
    }

    deinit {
        end(after: 0)
        for end in [input, output, errors, watch] where end >= 0 { close(end) }
    }

    private static func failure(_ what: String) -> CocoaError {
        FileError.make(.fileReadUnknown, path: "", sentence: "The system \(what): \(String(cString: strerror(errno))).")
    }

    private static func withStrings<Result>(
        _ first: [String], _ second: [String],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>, UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let lists = [first, second].map { texts in texts.map { text in text.withCString { strdup($0) } } + [nil] }
        defer { for text in lists.joined() { free(text) } }
        return body(lists[0], lists[1])
    }

    /// Lets it know that nothing more comes.
    func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    /// Takes what it complains of; the last of it is kept.
    func listen() {
        var room = [UInt8](repeating: 0, count: 4096)
        while errors >= 0 {
            let count = read(errors, &room, room.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else {
                close(errors)
                errors = -1
                return
            }
            complaints += room[..<count]
            complaints.removeFirst(max(0, complaints.count - Self.mostComplaints))
        }
    }

    /// All that it writes; nil where that is more than `most` bytes, or has no end in time.
    func allOutput(atMost most: Int, until deadline: ContinuousClock.Instant, _ flag: CancellationFlag) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 16 << 10)
        while deadline > .now, bytes.count <= most {
            try flag.check()
            listen()
            let count = Foundation.read(output, &room, room.count)
            if count > 0 {
                bytes += room[..<count]
            } else if count == 0 {
                return bytes
            } else if errno == EAGAIN {
                var entries = [output, errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                poll(&entries, 2, min(50, SSHControl.milliseconds(until: deadline)))
            } else if errno != EINTR {
                return bytes
            }
        }
        return nil
    }

    /// Waits for its end so many seconds, then ends it with all that it has started.
    ///
    /// - Returns: Its exit status; nil where a signal has ended it.
    @discardableResult
    func end(after seconds: Double) -> Int32? {
        if let status { return status < 0 ? nil : status }
        let deadline = ContinuousClock.now + .seconds(seconds)
        while !hasEnded(), deadline > .now { wait(until: deadline) }
        if status == nil {
            kill(-child, SIGTERM)
            let last = ContinuousClock.now + .milliseconds(300)
            while !hasEnded(), last > .now { wait(until: last) }
        }
        if status == nil {
            kill(-child, SIGKILL)
            _ = hasEnded(waiting: true)
        }
        listen()
        return status.flatMap { $0 < 0 ? nil : $0 }
    }

    private func wait(until deadline: ContinuousClock.Instant) {
        // What it still complains of must not keep it from its end.
        var entries = [pollfd(fd: watch, events: Int16(POLLIN), revents: 0), pollfd(fd: errors, events: Int16(POLLIN), revents: 0)]
        poll(&entries, 2, watch < 0 ? min(20, SSHControl.milliseconds(until: deadline)) : SSHControl.milliseconds(until: deadline))
        listen()
    }

    private func hasEnded(waiting: Bool = false) -> Bool {
        var raw: Int32 = 0
        while true {
            let reaped = waitpid(child, &raw, waiting ? 0 : WNOHANG)
            if reaped == 0 { return false }
            if reaped < 0, errno == EINTR { continue }
            // Where the app ignores SIGCHLD the kernel reaps, and nobody learns how the child ended (waitpid(2)).
            status = reaped == child && carrel_exited(raw) != 0 ? carrel_exit_code(raw) : -1
            return true
        }
    }
}
