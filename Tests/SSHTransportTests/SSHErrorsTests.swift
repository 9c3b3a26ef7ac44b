import CSSH2
import FileProviderCore
import Foundation
import Testing

@testable import SSHTransport

@Suite struct SSHErrorsTests {
    private let server = SSHServer(host: "books.example", port: 2222)

    @Test(arguments: [
        (LIBSSH2_ERROR_SOCKET_DISCONNECT, URLError.Code.networkConnectionLost),
        (LIBSSH2_ERROR_SOCKET_RECV, .networkConnectionLost),
        (LIBSSH2_ERROR_BANNER_RECV, .networkConnectionLost), (LIBSSH2_ERROR_TIMEOUT, .timedOut),
        (LIBSSH2_ERROR_KEX_FAILURE, .secureConnectionFailed), (LIBSSH2_ERROR_HOSTKEY_SIGN, .secureConnectionFailed),
        (LIBSSH2_ERROR_INVALID_MAC, .badServerResponse), (LIBSSH2_ERROR_ALLOC, .badServerResponse),
        (LIBSSH2_ERROR_AUTHENTICATION_FAILED, .userAuthenticationRequired),
        (LIBSSH2_ERROR_PASSWORD_EXPIRED, .userAuthenticationRequired),
        (LIBSSH2_ERROR_CHANNEL_REQUEST_DENIED, .resourceUnavailable), (-999, .unknown),
    ])
    func `libssh2's result becomes Foundation's, with host and cause`(code: Int32, expected: URLError.Code) throws {
        let error = server.error(SSHError(code: Int(code), text: "own words"))
        #expect(error.code == expected)
        #expect(error.sentence.contains("books.example") && error.sentence.hasSuffix("."))
        let cause = try #require(error.userInfo[NSUnderlyingErrorKey] as? SSHError)
        #expect(cause.code == Int(code) && cause.sentence == "own words")
    }

    @Test func `without a common algorithm the sentence names the way out`() {
        let error = server.error(SSHError(code: Int(LIBSSH2_ERROR_KEX_FAILURE), text: ""))
        #expect(error.sentence.contains("transport=ssh") && error.sentence.contains(SSHLibrary.version))
    }

    @Test func `what the server said at the end is in the sentence`() {
        #expect(server.lost("Too many sessions").sentence.contains("Too many sessions"))
        #expect(server.lost().isTransient)
    }

    @Test func `a server's words cannot move the cursor`() {
        #expect(SSHText.line("one\r\n\u{1B}[2Jtwo\u{7}  three".utf8) == "one [2Jtwo three")
        #expect(SSHText.line([0xFF, 0x41]) == "\u{FFFD}A")
    }

    @Test func `secrets show in no description`() {
        let login = SSHLogin(
            user: "reader",
            methods: [
                .password(SSHSecret("hunter2")),
                .publicKey(
                    SSHIdentity(name: "id", key: .memory(Array("KEYBYTES".utf8)), passphrase: SSHSecret("hunter2"))),
                .keyboardInteractive(SSHSecret("hunter2"), answer: nil),
            ])
        var dumped = "\(login) \(String(reflecting: login))"
        dump(login, to: &dumped)
        #expect(!dumped.contains("hunter2"))
        #expect(!dumped.contains("75"), "bytes of the key")
        #expect(dumped.contains("reader"))
    }

    @Test func `a refused login says what was tried, what is taken, and what to do with RSA keys`() {
        var attempts = SSHAttempts(login: SSHLogin(user: "reader", methods: [], maxKeys: 2), server: server)
        #expect(attempts.refusal(lastWords: nil, nil).sentence.contains("no key and no password to try"))
        #expect(attempts.takeKey(type: "ssh-rsa") && attempts.takeKey(type: nil) && !attempts.takeKey(type: nil))
        attempts.failed("key id_rsa", SSHError(code: -18, text: "no"))
        attempts.accepted = ["publickey"]
        let error = attempts.refusal(lastWords: "Go away", nil)
        #expect(error.code == .userAuthenticationRequired)
        for part in ["reader", "books.example", "key id_rsa", "accepts publickey", "Go away", "More than 2 keys"] {
            #expect(error.sentence.contains(part), "\(part)")
        }
        #expect(error.sentence.contains("ed25519") == !SSHLibrary.signsRSAWithSHA2)
        #expect(!attempts.mayTry("password") && attempts.mayTry("publickey"))
    }

    @Test func `fields end where the bytes do`() {
        var fields = SSHFieldReader([0, 0, 0, 2, 65, 66, 7, 0, 0, 0, 9, 1])
        #expect(fields.string() == [65, 66])
        #expect(fields.byte() == 7)
        #expect(fields.string() == nil)
        #expect(SSHFieldReader.bigEndian(0x0102_0304) == [1, 2, 3, 4])
    }
}
