import CChild
import Foundation

/// A program that runs as a child of this process, with pipes for its streams. Used on one thread. Releasing the object
/// ends the program and everything that it started.
///
/// It inherits none of this process's descriptors, and none of the secrets in its environment (`CChild`).
package final class Subprocess {
    private var inputEnd: FileDescriptor?
    private var outputEnd: FileDescriptor?
    private var errorsEnd: FileDescriptor?
    /// Readable once the program has ended; nil if the system cannot report that.
    private let watch: FileDescriptor?
    private let child: pid_t
    private let keepsFirstComplaints: Bool
    /// Makes the error of a system call from what the system does not do, and errno.
    private let failure: (String, Int32) -> CocoaError
    /// The exit status once the program has ended; negative if a signal ended it, or if its status is lost.
    private var status: Int32?
    /// The program's error output: the first 4 KiB of a confined program, else the last.
    package private(set) var complaints: [UInt8] = []
    /// Whether the program has ended and its status is lost: if the app ignores SIGCHLD, the kernel reaps it
    /// (waitpid(2)).
    package private(set) var isLost = false

    private static let maxComplaints = 4 << 10
    private static let pipeSize: Int32 = 1 << 20

    /// Starts the program at `path` for an exchange over its input and output.
    ///
    /// - Throws: `CocoaError(.fileReadUnknown)` if the system cannot start it.
    package convenience init(path: String, arguments: [String]) throws {
        let environment = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
        try self.init(hasInput: true) { input, output, errors in
            Subprocess.withStrings([path] + arguments, environment) {
                carrel_child_talk(path, $0, $1, input, output, errors)
            }
        } failure: {
            FileError.make(.fileReadUnknown, path: "", sentence: "The system \($0): \(String(cString: strerror($1))).")
        }
        // Larger pipes save changes between the two processes. If the system refuses them, the usual size works.
        for end in [input, output] { _ = carrel_pipe_resize(end, Self.pipeSize) }
    }

    /// Starts the program at `path` to read `file`, its descriptor 3, confined and with limits (`carrel_child_start`).
    ///
    /// - Parameters:
    ///   - memory: Bytes of address space.
    ///   - seconds: Processor time.
    ///   - name: The file's path, for messages.
    /// - Throws: The system's error, about `name`.
    package convenience init(
        path: String, arguments: [String], environment: [String], reading file: FileDescriptor, memory: UInt64,
        seconds: Int,
        name: ProviderPath
    ) throws {
        let limits = carrel_child_limits(memory: memory, seconds: UInt64(seconds))
        try self.init(hasInput: false) { _, output, errors in
            Subprocess.withStrings([path] + arguments, environment) {
                carrel_child_start(path, $0, $1, file.raw, output, errors, limits)
            }
        } failure: {
            FileError.make(errno: $1, path: name, writing: false)
        }
    }

    private init(
        hasInput: Bool, _ start: (_ input: Int32, _ output: Int32, _ errors: Int32) -> pid_t,
        failure: @escaping (String, Int32) -> CocoaError
    ) throws {
        self.failure = failure
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
        // The child does the same. Whichever is first, the group exists before anything ends it.
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

    /// The descriptor of its input; -1 once closed.
    package var input: Int32 { inputEnd?.raw ?? -1 }
    /// The descriptor of its output.
    package var output: Int32 { outputEnd?.raw ?? -1 }
    /// The descriptor of its error output; -1 once closed.
    package var errors: Int32 { errorsEnd?.raw ?? -1 }

    /// Closes its input, so that it reads an end.
    package func closeInput() { inputEnd = nil }

    /// Reads its error output, 64 KiB at most. A read error counts as the end of the output.
    package func listen() { _ = hear() }

    /// Reads its error output.
    ///
    /// - Returns: The errno of read(2), if that failed.
    private func hear() -> Int32? {
        var room = [UInt8](repeating: 0, count: 4096)
        for _ in 0..<16 where errors >= 0 {
            let count = read(errors, &room, room.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return nil }
            guard count > 0 else {
                let code: Int32? = count < 0 ? errno : nil
                errorsEnd = nil
                return code
            }
            complaints += room[..<count]
            let excess = max(0, complaints.count - Self.maxComplaints)
            if keepsFirstComplaints { complaints.removeLast(excess) } else { complaints.removeFirst(excess) }
        }
        return nil
    }

    /// Returns its whole output; nil if that is more than `maxCount` bytes, or does not end in time.
    ///
    /// - Throws: `CancellationError` by `flag`. The error of read(2) or poll(2), after which the program has ended; for a
    ///   program that failed, its sentence also has the exit status and the first line of error output.
    package func allOutput(atMost maxCount: Int, until deadline: ContinuousClock.Instant, flag: CancellationFlag) throws
        -> [UInt8]?
    {
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 16 << 10)
        while deadline > .now, bytes.count <= maxCount {
            try flag.check()
            if let code = hear() { throw failed("does not give what a program complains of", code) }
            let count = read(output, &room, room.count)
            let code = errno
            if count > 0 {
                bytes += room[..<count]
            } else if count == 0 {
                return bytes
            } else if code == EAGAIN {
                var entries = [output, errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                if poll(&entries, 2, min(50, deadline.millisecondsLeft)) < 0, errno != EINTR {
                    throw failed("does not wait for a program", errno)
                }
            } else if code != EINTR {
                throw failed("does not give what a program writes", code)
            }
        }
        return nil
    }

    // MARK: Its end

    /// Returns whether it has ended and its error output is closed.
    package func isOver() -> Bool { (status != nil || hasEnded()) && errors < 0 }

    /// Waits until it has ended, writes an error, or `deadline` has passed.
    ///
    /// - Throws: The error of poll(2) or read(2), as ``allOutput(atMost:until:flag:)`` does.
    package func wait(until deadline: ContinuousClock.Instant) throws {
        if let code = pause(until: deadline) { throw failed("does not wait for a program", code) }
    }

    /// Waits until it has ended, writes an error, or `deadline` has passed.
    ///
    /// - Returns: The errno of poll(2) or read(2), if one failed.
    private func pause(until deadline: ContinuousClock.Instant) -> Int32? {
        // Its error output must not keep the program from ending.
        let ended = status == nil ? watch?.raw ?? -1 : -1
        var entries = [ended, errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        if poll(&entries, 2, min(watch == nil ? 20 : .max, deadline.millisecondsLeft)) < 0, errno != EINTR {
            let code = errno
            // Without descriptors poll(2) still passes the time until the next look.
            poll(nil, 0, 5)
            return code
        }
        return hear()
    }

    /// Ends it, because it cannot be read or waited for.
    ///
    /// - Returns: The error of the system call, with the exit status and the first line of error output if the program
    ///   failed by itself.
    private func failed(_ what: String, _ code: Int32) -> CocoaError {
        let error = failure(what, code)
        // The program must not wait for a reader that has gone.
        outputEnd = nil
        guard let status = end(after: 1), status != 0 else { return error }
        let said = String(decoding: complaints.split(separator: 10).first ?? [], as: UTF8.self).prefix(200)
        return FileError.make(
            error.code, path: error.userInfo[NSFilePathErrorKey] as? String ?? "",
            sentence: "\(error.sentence) The program ended with status \(status)" + (said.isEmpty ? "." : ": \(said)"),
            underlying: error.underlying)
    }

    /// Waits up to `seconds` for its end, then terminates it with everything that it started, and kills them 0.3
    /// seconds later.
    ///
    /// - Returns: Its exit status; nil if a signal ended it.
    @discardableResult
    package func end(after seconds: Double) -> Int32? {
        if let status { return status < 0 ? nil : status }
        let deadline = ContinuousClock.now + .seconds(seconds)
        while !hasEnded(), deadline > .now { _ = pause(until: deadline) }
        if status == nil {
            Foundation.kill(-child, SIGTERM)
            let last = ContinuousClock.now + .milliseconds(300)
            while !hasEnded(), last > .now { _ = pause(until: last) }
        }
        kill()
        listen()
        return status.flatMap { $0 < 0 ? nil : $0 }
    }

    /// Kills it and everything that it started at once; does nothing if it has ended.
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
