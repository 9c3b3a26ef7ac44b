import FileProviderCore
import Foundation
import LocalFileProvider
import ProviderDoubles
import SFTPFileProvider
import Synchronization
import Testing

/// Logging in to real SFTP servers by libssh2.
@Suite(.serialized, .enabled(if: !TestServers.sftp.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct SFTPAccessTests {
    private func options(key: String, passphrase: String? = nil) throws -> ConnectionOptions {
        var options = TestServers.sftpOptions(nil, retries: 0)
        options.trust.identities = [try TestServers.sshKey(key)]
        options.clientKeyPassword = passphrase.map { .password(user: "", password: $0) }
        return options
    }

    @Test(arguments: TestServers.sftp, ["ED25519", "ECDSA"])
    func `a key logs in`(_ server: TestServers.SFTP, _ key: String) async throws {
        try await server.provider(options(key: key)).checkReachability()
    }

    @Test(arguments: TestServers.sftp)
    func `an encrypted key logs in by its passphrase`(_ server: TestServers.SFTP) async throws {
        let passphrase = try #require(TestServers.environment["CARREL_SSH_KEY_PASSPHRASE"])
        try await server.provider(options(key: "ENCRYPTED", passphrase: passphrase)).checkReachability()
        for (wrong, sentence) in [
            ("WRONG", "passphrase is wrong"), (nil, "is encrypted. Give its passphrase"),
        ] {
            let provider = try server.provider(options(key: "ENCRYPTED", passphrase: wrong))
            let error = await #expect(throws: URLError.self) { try await provider.checkReachability() }
            #expect(error?.code == .userAuthenticationRequired)
            #expect(
                error?.localizedDescription.contains(sentence) == true
                    && error?.localizedDescription.contains("WRONG") == false)
        }
    }

    @Test(arguments: TestServers.sftp, ["ED25519", "ENCRYPTED"])
    func `a key that is in no file logs in`(_ server: TestServers.SFTP, _ key: String) async throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: TestServers.sshKey(key)))
        let passphrase = TestServers.environment["CARREL_SSH_KEY_PASSPHRASE"]
        let credential = Credential.privateKey(
            user: "reader", key: bytes, passphrase: key == "ENCRYPTED" ? passphrase : nil)
        #expect("\(credential)" == "private key of reader")
        try await server.provider(TestServers.sftpOptions(credential, retries: 0)).checkReachability()
        let other = Credential.privateKey(user: "reader", key: bytes.dropLast(200), passphrase: passphrase)
        let provider = try server.provider(TestServers.sftpOptions(other, retries: 0))
        let error = await #expect(throws: URLError.self) { try await provider.checkReachability() }
        #expect(error?.code == .userAuthenticationRequired)
    }

    @Test(arguments: TestServers.sftp)
    func `a key in memory is opened by its passphrase or by that of the options, and else it is said why not`(
        _ server: TestServers.SFTP
    ) async throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: TestServers.sshKey("ENCRYPTED")))
        let passphrase = try #require(TestServers.environment["CARREL_SSH_KEY_PASSPHRASE"])
        var options = TestServers.sftpOptions(.privateKey(user: "reader", key: bytes), retries: 0)
        options.clientKeyPassword = .password(user: "", password: passphrase)
        try await server.provider(options).checkReachability()
        for (wrong, sentence) in [
            ("WR0NG", "the key of “reader” cannot be opened: its passphrase is wrong"),
            (nil, "The private key of “reader” is encrypted. Give its passphrase."),
        ] {
            let log = RecordedLog()
            var options = TestServers.sftpOptions(
                .privateKey(user: "reader", key: bytes, passphrase: wrong), retries: 0)
            options.logger = log.logger
            let provider = try server.provider(options)
            let error = await #expect(throws: URLError.self) { try await provider.checkReachability() }
            #expect(error?.code == .userAuthenticationRequired)
            #expect(error?.sentence.contains(sentence) == true, "\(error?.sentence ?? "")")
            let written = (error.map { shownForms(of: $0) } ?? "") + log.text
            // The last line may be as short as a word.
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            for line in lines.filter({ $0.count > 20 }) + ["WR0NG"] { #expect(!written.contains(line)) }
        }
    }

    @Test(arguments: TestServers.sftp, ["RSA", "RSA_PEM"])
    func `an RSA key logs in, or the refusal says what to do`(_ server: TestServers.SFTP, _ key: String) async throws {
        do { try await server.provider(options(key: key)).checkReachability() } catch let error as URLError {
            // OpenSSH takes no signature by SHA-1, and libssh2 1.10 can make no other.
            #expect(error.code == .userAuthenticationRequired && server.name.hasPrefix("OpenSSH"))
            let sentence = error.localizedDescription
            for part in ["RSA", "SHA-1", "ed25519", "transport=ssh"] { #expect(sentence.contains(part), "\(sentence)") }
        }
    }

    @Test func `a password answers a server that asks for it`() async throws {
        try await TestServers.sftp(port: "KBDINT", of: "asyncssh").provider().checkReachability()
        let twice = try TestServers.sftp(port: "KBDINT_TWICE", of: "asyncssh").provider(
            TestServers.sftpOptions(retries: 0))
        let error = await #expect(throws: URLError.self) { try await twice.checkReachability() }
        #expect(error?.code == .userAuthenticationRequired)
        #expect(error?.localizedDescription.contains("What do you do here?") == true, "\(String(describing: error))")
    }

    @Test func `what a server asks besides the password, the app answers, once`() async throws {
        let server = try TestServers.sftp(port: "KBDINT_TWICE", of: "asyncssh")
        let questions = LockedValue<[LoginQuestion]>([])
        var options = TestServers.sftpOptions(retries: 0)
        // The server, busy with other tests, may well need seconds for a channel.
        options.timeouts.connect = 10
        options.answer = { question in
            questions.update { $0.append(question) }
            // Somebody types slowly: that is not the server's time.
            Thread.sleep(forTimeInterval: 11)
            return "reader"
        }
        let provider = try server.provider(options)
        let folder = try ProviderPath("test-\(UInt64.random(in: 0 ... .max))")
        try await provider.createFolder(path: folder)
        // Large enough for a second connection, which would ask again.
        try await SFTPFiles.with { file, location in
            let local = try LocalFileProvider(root: location)
            let name = try ProviderPath(file.lastPathComponent)
            try await TreeCopy().copyFile(name, of: local, to: folder.appending("large"), of: provider)
        }
        try await provider.removeItem(path: folder)
        #expect(options.counters[.connections] == 1)
        let question = try #require(questions.value.first)
        #expect(questions.value.count == 1 && question.prompt == "What do you do here?" && question.echoes)
        #expect(question.host == "127.0.0.1" && question.instruction == "The answer is the name of the account.")
    }

    @Test func `a password is tried once, and another one once more`() async throws {
        let server = try TestServers.sftp("OpenSSH")
        let user = "nobody-\(UInt64.random(in: 0 ... .max))"
        for (passwords, expected) in [(["WRONG"], 1), (["WRONG", "WRONG"], 1), (["WRONG", "WORSE", "WORST"], 2)] {
            let user = "\(user)-\(passwords.count)"
            var options = TestServers.sftpOptions(nil, retries: 3)
            options.credentials = SeveralPasswords(user: user, passwords: passwords)
            let error = await #expect(throws: URLError.self) { try await server.provider(options).checkReachability() }
            #expect(error?.code == .userAuthenticationRequired)
            let line = "Failed password for invalid user \(user) "
            try await eventually { try lines(with: line) >= expected }
            #expect(try lines(with: line) == expected)
        }
    }

    @Test func `no more keys are offered than servers bear`() async throws {
        let server = try TestServers.sftp("OpenSSH")
        let user = "nobody-\(UInt64.random(in: 0 ... .max))"
        try await CommandRunner.use { runner in
            var options = TestServers.sftpOptions(nil, retries: 0)
            for number in 0..<8 {
                let made = try await runner.shell("ssh-keygen -q -t ed25519 -N '' -C '' -f key\(number)")
                #expect(made.code == 0, "\(made.error)")
                options.trust.identities.append(runner.path("key\(number)"))
            }
            let provider = try server.provider(options) { $0.user = user }
            let error = await #expect(throws: URLError.self) { try await provider.checkReachability() }
            #expect(error?.code == .userAuthenticationRequired)
            let sentence = error?.localizedDescription ?? ""
            #expect(sentence.contains("More than 6 keys are not offered") && sentence.contains(user), "\(sentence)")
            #expect(sentence.contains("key5") && !sentence.contains("key6"))
        }
    }

    /// As many new keys, which no server takes.
    private func useKeys(_ count: Int, _ body: ([String]) async throws -> Void) async throws {
        try await CommandRunner.use { runner in
            for number in 0..<count {
                let made = try await runner.shell("ssh-keygen -q -t ed25519 -N '' -C '' -f key\(number)")
                #expect(made.code == 0, "\(made.error)")
            }
            try await body((0..<count).map { runner.path("key\($0)") })
        }
    }

    @Test func `a server that takes six tries takes a password after keys, and a sixth key`() async throws {
        let server = try TestServers.sftp(port: "OPENSSH_TRIES", of: "OpenSSH")
        try await useKeys(6) { keys in
            var options = TestServers.sftpOptions(retries: 0)
            options.trust.identities = keys
            try await server.provider(options).checkReachability()
            options = TestServers.sftpOptions(nil, retries: 0)
            options.trust.identities = try keys.dropLast() + [TestServers.sshKey("ED25519")]
            try await server.provider(options).checkReachability()
        }
    }

    @Test(arguments: ["OPENSSH_BOTH", "OPENSSH_BOTH_REVERSED"])
    func `a server that wants a key and the password gets both, whichever key it is`(port: String) async throws {
        let server = try TestServers.sftp(port: port, of: "OpenSSH")
        try await useKeys(2) { keys in
            var options = TestServers.sftpOptions(retries: 0)
            options.trust.identities = try [keys[0], TestServers.sshKey("ED25519"), keys[1]]
            try await server.provider(options).checkReachability()
            options.trust.identities = keys
            let error = await #expect(throws: URLError.self) { try await server.provider(options).checkReachability() }
            #expect(error?.code == .userAuthenticationRequired)
        }
    }

    @Test func `a code that is asked for at once with the password is named, and the app answers it`() async throws {
        let server = try TestServers.sftp(port: "KBDINT_CODE", of: "asyncssh")
        var options = TestServers.sftpOptions(retries: 0)
        let provider = try server.provider(options)
        let error = await #expect(throws: URLError.self) { try await provider.checkReachability() }
        #expect(error?.code == .userAuthenticationRequired)
        #expect(error?.localizedDescription.contains("Code:") == true, "\(String(describing: error))")
        options.answer = { $0.prompt == "Code:" ? "reader" : "" }
        try await server.provider(options).checkReachability()
    }

    @Test func `a wrong password is not repeated by keyboard-interactive`() async throws {
        let options = TestServers.sftpOptions(.password(user: "reader", password: "WRONG"), retries: 0)
        let provider = try TestServers.sftp("asyncssh").provider(options)
        let error = await #expect(throws: URLError.self) { try await provider.checkReachability() }
        let sentence = error?.localizedDescription ?? ""
        #expect(
            sentence.contains("by password (it accepts") && sentence.contains("keyboard-interactive"), "\(sentence)")
    }

    @Test func `where there is nothing to log in with, it is said`() async throws {
        var options = TestServers.sftpOptions(nil, retries: 0)
        options.trust.identities = []
        let provider = try TestServers.sftp("ProFTPD").provider(options) { $0.user = "reader" }
        let error = await #expect(throws: URLError.self) { try await provider.checkReachability() }
        #expect(error?.code == .userAuthenticationRequired && error?.localizedDescription.contains("reader") == true)
    }

    @Test func `what is no SSH server ends with a sentence`() async throws {
        let nobody = try TestServers.sftp("OpenSSH").through(1).provider(TestServers.sftpOptions(retries: 0))
        let error = await #expect(throws: URLError.self) { try await nobody.checkReachability() }
        #expect(error?.code == .cannotConnectToHost)
    }

    /// How many lines of the server's log have `text`; sshd may write them after it has answered.
    private func lines(with text: String) throws -> Int {
        let log = try #require(TestServers.environment["CARREL_SFTP_OPENSSH_LOG"])
        return try String(contentsOfFile: log, encoding: .utf8).split(whereSeparator: \.isNewline).count {
            $0.contains(text)
        }
    }
}

/// One password after the other, as refused; at the end the last one again.
private final class SeveralPasswords: CredentialSource {
    private let user: String
    private let passwords: Mutex<[String]>

    init(user: String, passwords: [String]) {
        self.user = user
        self.passwords = Mutex(passwords)
    }

    func credential(for origin: Origin, user: String?) async throws -> Credential? {
        passwords.withLock { $0.first.map { .password(user: self.user, password: $0) } }
    }

    func refused(_ credential: Credential, for origin: Origin, user: String?) {
        passwords.withLock { if $0.count > 1 { $0.removeFirst() } }
    }
}
