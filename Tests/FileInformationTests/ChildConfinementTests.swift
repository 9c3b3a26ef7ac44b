import CChild
import FileProviderCore
import Foundation
import Publication
import Testing

@testable import FileInformation

/// A child that tries what a program taken over by a hostile file would try.
@Suite struct ChildConfinementTests {
    private static let perl = "/usr/bin/perl"
    private static let hasPerl = access(perl, X_OK) == 0

    /// A folder of the user's with a file in it, and a script that tries one thing after the other and says how each
    /// ended.
    private struct Attempts {
        let folder: URL
        var script: String {
            #if arch(x86_64)
                let (ptrace, unshare) = (101, 272)
            #else
                let (ptrace, unshare) = (117, 97)
            #endif
            return """
                use Socket;
                $| = 1;
                sub told { my ($what, $done) = @_; print "$what ", ($done ? "done" : "refused " . ($! + 0)), "\\n"; }
                told("privileges", open(my $p, "<", "/proc/self/status") && !grep { /^NoNewPrivs:\\s*1/ } <$p>);
                told("inet", socket(my $i, PF_INET, SOCK_STREAM, 0));
                told("unix", socket(my $u, PF_UNIX, SOCK_STREAM, 0));
                told("pair", socketpair(my $a, my $b, PF_UNIX, SOCK_STREAM, 0));
                told("ptrace", syscall(\(ptrace), 0, 0, 0, 0) == 0);
                told("namespace", syscall(\(unshare), 0x10000000) == 0);
                told("rename", rename("\(folder.path)/secret", "\(folder.path)/moved"));
                told("back", rename("\(folder.path)/moved", "\(folder.path)/secret"));
                told("link", link("\(folder.path)/secret", "\(folder.path)/third"));
                told("remove", unlink("\(folder.path)/second"));
                told("folder", mkdir("\(folder.path)/new"));
                told("read", open(my $f, "<", "\(folder.path)/secret"));
                told("list", opendir(my $d, "\(folder.path)"));
                told("create", open(my $c, ">", "\(folder.path)/created"));
                told("passwords", open(my $w, "<", "/etc/passwd"));
                told("system", open(my $s, "<", "\(ChildConfinementTests.perl)"));
                told("input", open(my $n, "<", "/dev/fd/3"));
                """
        }

        init() {
            folder = URL.homeDirectory.appending(path: ".carrel-test-\(UInt64.random(in: 0 ... .max))")
        }

        /// A new folder's content, for each run.
        private func prepare() throws {
            try? FileManager.default.removeItem(at: folder)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for name in ["secret", "second"] { try Data("secret".utf8).write(to: folder.appending(path: name)) }
        }

        func remove() { try? FileManager.default.removeItem(at: folder) }

        /// How each attempt ended in a child.
        func run() async throws -> [String: String] {
            try prepare()
            let name = folder.appending(path: "input").path
            try Data("content".utf8).write(to: URL(fileURLWithPath: name))
            let input = try FileDescriptor(path: name, flags: O_RDONLY)
            unlink(name)
            let (child, path, script) = (
                ChildProcess(path: ChildConfinementTests.perl, limits: .init()), try ProviderPath("a.pdf"), script
            )
            let outcome = try await PopplerTool.threads.run {
                try child.run(["-e", script], input: input, flag: CancellationFlag(), file: path)
            }
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            return Self.table(outcome.output)
        }

        /// The same without any confinement, which shows that the script can do what it tries.
        func runFreely() throws -> [String: String] {
            try prepare()
            let process = Process()
            let output = Foundation.Pipe()
            process.executableURL = URL(fileURLWithPath: ChildConfinementTests.perl)
            process.arguments = ["-e", script]
            process.standardOutput = output
            try process.run()
            let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return Self.table(bytes)
        }

        private static func table(_ bytes: Data) -> [String: String] {
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap {
                line -> (String, String)? in
                let words = line.split(separator: " ", maxSplits: 1).map(String.init)
                return words.count == 2 ? (words[0], words[1]) : nil
            }
            return Dictionary(lines, uniquingKeysWith: { $1 })
        }
    }

    @Test(.enabled(if: hasPerl, "perl makes the attempts, and is not installed"))
    func `sockets, ptrace, namespaces and names are refused`() async throws {
        let attempts = Attempts()
        defer { attempts.remove() }
        let names = ["inet", "unix", "pair", "ptrace", "rename", "back", "link", "remove", "folder"]
        let free = try attempts.runFreely()
        for name in names + ["privileges"] { #expect(free[name] == "done", "\(name): \(free)") }
        let confined = try await attempts.run()
        for name in names + ["namespace"] { #expect(confined[name] == "refused \(EPERM)", "\(name): \(confined)") }
        #expect(
            confined["privileges"] != "done" && confined["system"] == "done" && confined["input"] == "done",
            "\(confined)")
    }

    @Test(
        .enabled(if: hasPerl, "perl makes the attempts, and is not installed"),
        .enabled(
            if: carrel_landlock_abi() > 0, "this kernel has no Landlock, so nothing keeps a child from the user's files"
        ))
    func `nothing of the user's is read, listed or made`() async throws {
        let attempts = Attempts()
        defer { attempts.remove() }
        let names = ["read", "list", "create", "passwords"]
        let free = try attempts.runFreely()
        for name in names { #expect(free[name] == "done", "\(name): \(free)") }
        let confined = try await attempts.run()
        for name in names { #expect(confined[name] == "refused \(EACCES)", "\(name): \(confined)") }
        #expect(confined["system"] == "done" && confined["input"] == "done", "\(confined)")
        #expect(!FileManager.default.fileExists(atPath: attempts.folder.appending(path: "created").path))
    }
}
