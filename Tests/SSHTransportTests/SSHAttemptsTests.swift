import FileProviderCore
import Foundation
import Testing

@testable import SSHTransport

/// How the tries of a login are counted.
struct SSHAttemptsTests {
    private func attempts(_ methods: [SSHLogin.Method], accepted: [String]?) -> SSHAttempts {
        var attempts = SSHAttempts(login: SSHLogin(user: "reader", methods: methods), server: SSHServer(host: "books"))
        attempts.accepted = accepted
        return attempts
    }

    private let password = SSHLogin.Method.password(SSHSecret("x"))

    private func taken(_ attempts: inout SSHAttempts, of keys: Int) -> Int {
        (0..<keys).count { attempts.takeKey(type: "ssh-ed25519", publicKey: [UInt8($0)]) }
    }

    @Test func `six keys are offered, and three where a password may follow them`() {
        for (methods, accepted, maxCount) in [
            ([], ["publickey", "password"], 6), ([password], ["publickey", "password"], 3),
            ([password], ["publickey"], 6),
            ([password], nil, 3), ([password], [], 3),
            ([.keyboardInteractive(nil) { _ in "" }], ["publickey", "keyboard-interactive"], 3),
        ] as [([SSHLogin.Method], [String]?, Int)] {
            var attempts = attempts(methods, accepted: accepted)
            #expect(taken(&attempts, of: 9) == maxCount)
            #expect(
                attempts.refusal(lastWords: nil, nil).sentence.contains("More than \(maxCount) keys are not offered"))
        }
    }

    @Test func `a key that was offered is not offered again, and one that could not be opened was not`() {
        var attempts = attempts([], accepted: ["publickey"])
        #expect(taken(&attempts, of: 2) == 2)
        #expect(taken(&attempts, of: 2) == 0)
        attempts.giveBackKey(publicKey: [1], hadBegun: false)
        #expect(taken(&attempts, of: 9) == 5)
    }

    @Test func `where nothing could be sent, the server is not said to have refused anything`() {
        var attempts = attempts([], accepted: nil)
        attempts.hasBegun = true
        attempts.unusable("the key of “reader” cannot be opened: its passphrase is wrong", nil)
        #expect(attempts.refusal(lastWords: nil, nil).sentence.hasPrefix("“books” refused the login of “reader”, or"))
        _ = attempts.takeKey(type: "ssh-ed25519", publicKey: [1])
        attempts.giveBackKey(publicKey: [1], hadBegun: false)
        let refusal = attempts.refusal(lastWords: nil, nil)
        #expect(refusal.code == .userAuthenticationRequired)
        #expect(
            refusal.sentence
                == "The login of “reader” to “books” cannot begin: the key of “reader” cannot be opened: its passphrase is wrong."
        )
    }

    @Test func `after a try the methods are told anew, after a key that was known at once`() {
        var attempts = attempts([password], accepted: ["publickey"])
        #expect(!attempts.isOutdated && !attempts.mayTry("password"))
        attempts.hasBegun = true
        #expect(attempts.isOutdated)
        attempts.failedInTheEnd("key a", cause: SSHError(code: -19, text: ""))
        #expect(attempts.accepted == nil)
        attempts.accepted = ["password"]
        #expect(!attempts.isOutdated && attempts.mayTry("password") && !attempts.mayTry("publickey"))
    }

    @Test func `what the server takes is asked first where there are several keys, or a key and more`() {
        let key = SSHLogin.Method.publicKey(SSHIdentity(name: "a", key: .memory([])))
        for (methods, isAsked) in [
            ([key], false), ([password], false),
            ([password, .keyboardInteractive(SSHSecret("x"), answer: nil)], false),
            ([key, password], true), ([key, key], true), ([.agent(socket: "", only: nil)], true),
        ] as [([SSHLogin.Method], Bool)] {
            #expect(SSHLogin(user: "", methods: methods).mayTakeSeveralKeys == isAsked)
        }
    }

    @Test func `of an agent's keys those that were named come first, and RSA last where it is of no use`() {
        func identity(_ type: String, _ mark: UInt8) -> SSHAgent.Identity {
            SSHAgent.Identity(blob: SSHFieldReader.bigEndian(type.utf8.count) + type.utf8 + [mark], comment: "\(mark)")
        }
        let all = [
            identity("ssh-rsa", 1), identity("ssh-ed25519", 2), identity("ssh-ed25519", 3), identity("ssh-ed25519", 4),
        ]
        func order(_ first: [[UInt8]], signsRSA: Bool) -> String {
            SSHAgent.ordered(all, first: first, signsRSA: signsRSA).map(\.comment).joined()
        }
        #expect(order([], signsRSA: true) == "1234")
        #expect(order([all[3].blob, all[2].blob], signsRSA: true) == "4312")
        #expect(order([all[0].blob, all[2].blob], signsRSA: false) == "3241")
    }

    @Test(.enabled(if: !SSHLibrary.signsRSAWithSHA2, "this libssh2 signs with SHA-2"))
    func `a refusal that an old libssh2 may be the reason of is marked, and stays so with notes`() throws {
        var attempts = attempts([], accepted: ["publickey"])
        _ = attempts.takeKey(type: "ssh-ed25519", publicKey: [1])
        #expect(!attempts.refusal(lastWords: nil, nil).isForOldRSA)
        _ = attempts.takeKey(type: "ssh-rsa", publicKey: [2])
        let refusal = attempts.refusal(lastWords: nil, nil)
        #expect(refusal.isForOldRSA)
        var settings = try SSHHostSettings(host: "books")
        settings.notes = ["A note."]
        #expect(settings.noted(refusal).isForOldRSA && settings.noted(refusal).sentence.hasSuffix("A note."))
        // What takes no key cannot have refused one for its signature.
        attempts.accepted = ["password"]
        #expect(!attempts.refusal(lastWords: nil, nil).isForOldRSA)
    }
}
