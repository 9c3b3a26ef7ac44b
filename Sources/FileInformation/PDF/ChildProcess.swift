import CChild
import FileProviderCore
import Foundation

/// A program that reads one file under limits, because what it reads may mean harm to it.
///
/// It has the file as descriptor 3, open and without a name, and nothing else of this process. It gains no privileges, opens no sockets,
/// looks into no other process, and changes no file or name. Where the kernel has Landlock, it opens nothing but that file and the system's
/// own folders. When its time is up, or its caller is cancelled, it is killed with all that it started.
struct ChildProcess {
    /// What it may take.
    struct Limits: Sendable {
        /// Wall clock, and as much of the processor.
        var seconds = 20
        /// Bytes of address space; 1 GiB.
        var memory: UInt64 = 1 << 30
        /// Bytes of output; 16 MiB.
        var output = 16 << 20
    }

    struct Outcome: Sendable {
        /// Nil when it was killed by a signal.
        var exitCode: Int32?
        var output: Data
        /// The first 4 KiB of what it said on standard error.
        var errors: String
    }

    let path: String
    let limits: Limits

    /// Runs the program to its end. Blocks: for a thread of one's own.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` when time or room for output ran out; `CancellationError`.
    func run(_ arguments: [String], input: FileDescriptor, flag: CancellationFlag, file: ProviderPath) throws -> Outcome {
        let output = try Pipe(for: file)
        let errors = try Pipe(for: file)
        let child = try start(arguments, input: input, output: output, errors: errors, file: file)
        output.closeWritingEnd()
        errors.closeWritingEnd()
        var isReaped = false
        defer { if !isReaped { Self.kill(child) } }
        let deadline = ContinuousClock.now + .seconds(limits.seconds)
        var texts = (output: Data(), errors: Data())
        var open = [output, errors]
        while !open.isEmpty {
            try flag.check()
            try check(deadline, file)
            for pipe in try Pipe.readable(open, file) {
                guard let piece = try pipe.read(file) else { continue }
                if piece.isEmpty { open.removeAll { $0 === pipe } }
                if pipe === output { texts.output += piece } else { texts.errors += piece.prefix(4096 - min(4096, texts.errors.count)) }
                guard texts.output.count <= limits.output else { throw tooMuch("more than \(limits.output) bytes", file) }
            }
        }
        var status: Int32 = 0
        while true {
            let reaped = waitpid(child, &status, WNOHANG)
            if reaped == child { break }
            // Where the app ignores SIGCHLD the kernel reaps, and nobody learns how the child ended (waitpid(2)).
            if reaped < 0, errno != EINTR { throw FileError.make(errno: errno, path: file, writing: false) }
            try flag.check()
            try check(deadline, file)
            poll(nil, 0, 5)
        }
        isReaped = true
        return Outcome(
            exitCode: carrel_exited(status) != 0 ? carrel_exit_code(status) : nil, output: texts.output,
            errors: String(decoding: texts.errors, as: UTF8.self))
    }

    private func start(_ arguments: [String], input: FileDescriptor, output: Pipe, errors: Pipe, file: ProviderPath) throws -> pid_t {
        var words = Self.strings([path] + arguments)
        var environment = Self.strings(["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"])
        defer { for text in words + environment { free(text) } }
        let child = carrel_child_start(
            path, &words, &environment, input.raw, output.writing, errors.writing,
            carrel_child_limits(memory: limits.memory, seconds: UInt64(limits.seconds)))
        guard child > 0 else { throw FileError.make(errno: errno, path: file, writing: false) }
        // The child does the same; whoever comes first, the group is there when it has to be killed.
        setpgid(child, child)
        return child
    }

    /// C strings that the caller frees, and a null pointer behind them.
    private static func strings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        var pointers: [UnsafeMutablePointer<CChar>?] = texts.map { text in text.withCString { strdup($0) } }
        pointers.append(nil)
        return pointers
    }

    private func check(_ deadline: ContinuousClock.Instant, _ file: ProviderPath) throws {
        guard ContinuousClock.now < deadline else { throw tooMuch("\(limits.seconds) seconds", file) }
    }

    private func tooMuch(_ what: String, _ file: ProviderPath) -> CocoaError {
        let name = path.split(separator: "/").last ?? ""
        return FileError.make(
            .fileReadTooLarge, path: file, sentence: "“\(file)” takes \(what) of \(name), which is not waited for.",
            underlying: POSIXError(.ETIMEDOUT))
    }

    private static func kill(_ child: pid_t) {
        Foundation.kill(-child, SIGKILL)
        Foundation.kill(child, SIGKILL)
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
    }

    /// A pipe from the child to this process.
    private final class Pipe {
        private let reading: FileDescriptor
        private var writingEnd: FileDescriptor?

        init(for file: ProviderPath) throws {
            var ends: [Int32] = [0, 0]
            guard carrel_child_pipe(&ends) == 0 else { throw FileError.make(errno: errno, path: file, writing: false) }
            reading = FileDescriptor(owning: ends[0])
            writingEnd = FileDescriptor(owning: ends[1])
        }

        var writing: Int32 { writingEnd?.raw ?? -1 }

        func closeWritingEnd() { writingEnd = nil }

        /// Those of `pipes` that have bytes or have ended; none after a twentieth of a second.
        static func readable(_ pipes: [Pipe], _ file: ProviderPath) throws -> [Pipe] {
            var waits = pipes.map { pollfd(fd: $0.reading.raw, events: Int16(POLLIN), revents: 0) }
            if poll(&waits, nfds_t(waits.count), 50) < 0, errno != EINTR {
                throw FileError.make(errno: errno, path: file, writing: false)
            }
            return zip(pipes, waits).filter { $0.1.revents != 0 }.map(\.0)
        }

        /// What is there, nothing at the end; nil when a signal came first.
        func read(_ file: ProviderPath) throws -> Data? {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = Foundation.read(reading.raw, &bytes, bytes.count)
            if count >= 0 { return Data(bytes.prefix(count)) }
            guard errno == EINTR else { throw FileError.make(errno: errno, path: file, writing: false) }
            return nil
        }
    }
}
