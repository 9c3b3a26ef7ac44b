import CChild
import Foundation

/// A program that runs as a child of this process, with pipes for its streams; on one thread. Let go, it is ended with all that it started.
///
/// It has none of this process's descriptors, and none of the secrets in its environment (`CChild`).
package final class Subprocess {
    private var inputEnd: FileDescriptor?
    private var outputEnd: FileDescriptor?
    private var errorsEnd: FileDescriptor?
    /// Readable once it has ended; nil where the system does not tell.
    private let watch: FileDescriptor?
    private let child: pid_t
    private let keepsFirstComplaints: Bool
    /// Once it has ended: its exit status, negative where a signal has ended it, or nobody learns how it ended.
    private var status: Int32?
    /// What it complained of: of a confined program the first 4 KiB, else the last.
    package private(set) var complaints: [UInt8] = []
    /// Whether it has ended, and nobody learns how: where the app ignores SIGCHLD the kernel reaps (waitpid(2)).
    package private(set) var isLost = false

    private static let maxComplaints = 4 << 10
    private static let pipeSize: Int32 = 1 << 20

    /// Starts the program at `path` for a talk.
    ///
    /// - Throws: `CocoaError(.fileReadUnknown)` where the system starts none.
    package convenience init(path: String, arguments: [String]) throws {
        let environment = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
        try self.init(hasInput: true) { input, output, errors in
            Subprocess.withStrings([path] + arguments, environment) { carrel_child_talk(path, $0, $1, input, output, errors) }
        } failure: {
            FileError.make(.fileReadUnknown, path: "", sentence: "The system \($0): \(String(cString: strerror($1))).")
        }
        // Larger ones spare changes between the two processes; where they may not be, the usual size does.
        for end in [input, output] { _ = carrel_pipe_resize(end, Self.pipeSize) }
    }

    /// Starts the program at `path` to read `file`, its descriptor 3, under limits and confined (`carrel_child_start`).
    ///
    /// - Parameters:
    ///   - memory: Bytes of address space.
    ///   - seconds: Of the processor.
    ///   - name: The file, for messages.
    /// - Throws: The system's error, about `name`.
    package convenience init(
        path: String, arguments: [String], environment: [String], reading file: FileDescriptor, memory: UInt64, seconds: Int,
        name: ProviderPath
    ) throws {
        let limits = carrel_child_limits(memory: memory, seconds: UInt64(seconds))
        try self.init(hasInput: false) { _, output, errors in
            Subprocess.withStrings([path] + arguments, environment) { carrel_child_start(path, $0, $1, file.raw, output, errors, limits) }
        } failure: {
            FileError.make(errno: $1, path: name, writing: false)
        }
    }

    private init(
        hasInput: Bool, _ start: (_ input: Int32, _ output: Int32, _ errors: Int32) -> pid_t, failure: (String, Int32) -> CocoaError
    ) throws {
        func pipe() throws -> (reading: FileDescriptor, writing: FileDescriptor) {
            var ends: [Int32] = [-1, -1]
            guard carrel_child_pipe(&ends) == 0 else { throw failure("has no pipe to give", errno) }
            return (FileDescriptor(owning: ends[0]), FileDescriptor(owning: ends[1]))
        }
        let input = try hasInput ? pipe() : nil
        let (output, errors) = (try pipe(), try pipe())
        child = withExtendedLifetime((input, output, errors)) {
            start(input?.reading.raw ?? -1, output.writing.raw, errors.writing.raw)
        }
        guard child > 0 else { throw failure("starts no program", errno) }
        // The child does the same; whoever comes first, the group is there when it has to be ended.
        setpgid(child, child)
        keepsFirstComplaints = !hasInput
        (inputEnd, outputEnd, errorsEnd) = (input?.writing, output.reading, errors.reading)
        for end in [inputEnd, outputEnd, errorsEnd] { if let end { _ = fcntl(end.raw, F_SETFL, O_NONBLOCK) } }
        let raw = carrel_child_watch(child)
        if raw >= 0 { _ = fcntl(raw, F_SETFD, FD_CLOEXEC) }
        watch = raw >= 0 ? FileDescriptor(owning: raw) : nil
    }

    deinit {
        end(after: 0)
    }

    private static func withStrings<Result>(
        _ first: [String], _ second: [String],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>, UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let lists = [first, second].map { texts in texts.map { text in text.withCString { strdup($0) } } + [nil] }
        defer { for text in lists.joined() { free(text) } }
        return body(lists[0], lists[1])
    }

    // MARK: Its streams

    /// Where it reads; -1 once closed.
    package var input: Int32 { inputEnd?.raw ?? -1 }
    /// What it writes.
    package var output: Int32 { outputEnd?.raw ?? -1 }
    /// What it complains of; -1 once closed.
    package var errors: Int32 { errorsEnd?.raw ?? -1 }

    /// Lets it know that nothing more comes.
    package func closeInput() { inputEnd = nil }

    /// Takes what it complains of, 64 KiB at most.
    package func listen() {
        var room = [UInt8](repeating: 0, count: 4096)
        for _ in 0..<16 where errors >= 0 {
            let count = read(errors, &room, room.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else {
                errorsEnd = nil
                return
            }
            complaints += room[..<count]
            let excess = max(0, complaints.count - Self.maxComplaints)
            if keepsFirstComplaints { complaints.removeLast(excess) } else { complaints.removeFirst(excess) }
        }
    }

    /// All that it writes; nil where that is more than `maxCount` bytes, or has no end in time.
    ///
    /// - Throws: `CancellationError` by `flag`.
    package func allOutput(atMost maxCount: Int, until deadline: ContinuousClock.Instant, _ flag: CancellationFlag) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 16 << 10)
        while deadline > .now, bytes.count <= maxCount {
            try flag.check()
            listen()
            let count = read(output, &room, room.count)
            if count > 0 {
                bytes += room[..<count]
            } else if count == 0 {
                return bytes
            } else if errno == EAGAIN {
                var entries = [output, errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                poll(&entries, 2, min(50, deadline.millisecondsLeft))
            } else if errno != EINTR {
                return bytes
            }
        }
        return nil
    }

    // MARK: Its end

    /// Whether it has ended and nobody can write to its errors any more.
    package func isOver() -> Bool { (status != nil || hasEnded()) && errors < 0 }

    /// Waits until it has ended, or complains, or `deadline` has come.
    package func wait(until deadline: ContinuousClock.Instant) {
        // What it still complains of must not keep it from its end.
        let ended = status == nil ? watch?.raw ?? -1 : -1
        var entries = [ended, errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        poll(&entries, 2, min(watch == nil ? 20 : .max, deadline.millisecondsLeft))
        listen()
    }

    /// Waits for its end so many seconds, then ends it with all that it has started: after 0.3 seconds also against its will.
    ///
    /// - Returns: Its exit status; nil where a signal has ended it.
    @discardableResult
    package func end(after seconds: Double) -> Int32? {
        if let status { return status < 0 ? nil : status }
        let deadline = ContinuousClock.now + .seconds(seconds)
        while !hasEnded(), deadline > .now { wait(until: deadline) }
        if status == nil {
            Foundation.kill(-child, SIGTERM)
            let last = ContinuousClock.now + .milliseconds(300)
            while !hasEnded(), last > .now { wait(until: last) }
        }
        kill()
        listen()
        return status.flatMap { $0 < 0 ? nil : $0 }
    }

    /// Ends it at once with all that it has started; nothing where it has ended.
    package func kill() {
        if status != nil { return }
        Foundation.kill(-child, SIGKILL)
        Foundation.kill(child, SIGKILL)
        _ = hasEnded(waiting: true)
    }

    private func hasEnded(waiting: Bool = false) -> Bool {
        var raw: Int32 = 0
        while true {
            let reaped = waitpid(child, &raw, waiting ? 0 : WNOHANG)
            if reaped == 0 { return false }
            if reaped < 0, errno == EINTR { continue }
            isLost = reaped < 0
            status = reaped == child && carrel_exited(raw) != 0 ? carrel_exit_code(raw) : -1
            return true
        }
    }
}
