package import FileProviderCore
package import Foundation

/// A program that reads one file under limits, because the file may attack it.
///
/// It has the file as descriptor 3, open and without a name, and nothing else of this process. It gains no privileges,
/// opens no sockets, looks into no other process, and changes no file or name. Where the kernel has Landlock, it opens
/// nothing but that file and the system's own folders. When its time is up, or its caller is cancelled, it is killed
/// with all that it started.
package struct ChildProcess {
    /// What it may take.
    package struct Limits: Sendable {
        /// Wall clock, and as much of the processor.
        package var seconds: Int
        /// Bytes of address space; 1 GiB.
        package var memory: UInt64
        /// Bytes of output; 16 MiB.
        package var output: Int

        package init(seconds: Int = 20, memory: UInt64 = 1 << 30, output: Int = 16 << 20) {
            self.seconds = seconds
            self.memory = memory
            self.output = output
        }
    }

    package struct Outcome: Sendable {
        /// Nil when it was killed by a signal.
        package var exitCode: Int32?
        package var output: Data
        /// The first 4 KiB of what it said on standard error.
        package var errors: String
    }

    package let path: String
    package let limits: Limits

    package init(path: String, limits: Limits) {
        self.path = path
        self.limits = limits
    }

    /// Runs the program to its end. Blocks, so call it on a dedicated thread.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` when time or room for output ran out; `CancellationError`; the
    ///   system's error if the output cannot be read or waited for.
    package func run(_ arguments: [String], input: FileDescriptor, flag: CancellationFlag, file: ProviderPath) throws
        -> Outcome
    {
        let child = try Subprocess(
            path: path, arguments: arguments, environment: ["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"], reading: input,
            memory: limits.memory, seconds: limits.seconds, name: file)
        defer { child.kill() }
        let deadline = ContinuousClock.now + .seconds(limits.seconds)
        guard let output = try child.allOutput(atMost: limits.output, until: deadline, flag: flag) else {
            throw tooMuch(
                deadline > .now ? "more than \(limits.output) bytes" : "\(limits.seconds) seconds", file: file)
        }
        while !child.isOver() {
            try flag.check()
            guard deadline > .now else { throw tooMuch("\(limits.seconds) seconds", file: file) }
            try child.wait(until: min(deadline, .now + .milliseconds(50)))
        }
        if child.isLost { throw FileError.make(errno: ECHILD, path: file, writing: false) }
        return Outcome(
            exitCode: child.end(after: 0), output: Data(output),
            errors: String(decoding: child.complaints, as: UTF8.self))
    }

    private func tooMuch(_ what: String, file: ProviderPath) -> CocoaError {
        let name = path.split(separator: "/").last ?? ""
        return FileError.make(
            .fileReadTooLarge, path: file, sentence: "“\(file)” exceeds a limit: \(name) was stopped after \(what).",
            underlying: POSIXError(.ETIMEDOUT))
    }
}
