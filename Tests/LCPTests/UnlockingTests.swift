import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

import LCP

private let passphrase = "White whale"
/// By `printf 'White whale' | sha256sum`.
private let hash = "7ec49d9d70b1301d9640ac980317eeebeecee03fc6c76f9f93dd55af7272cda8"
private let identifier = "6e0d4b3a-5f7e-4e57-9c1e-3a2b1c0d9e8f"
private let basic = "http://readium.org/lcp/basic-profile"

/// By `openssl enc -aes-256-cbc -nopad` with the hash as the key. All are padded as XML Encryption has it, with bytes
/// before the last that PKCS #7 does not allow.
private enum Encrypted {
    /// The identifier.
    static let check = "AAECAwQFBgcICQoLDA0OD9UJ5wWjsSuX0cfzKwilHPcY7FcnSvC9dhd+oQR1Km4G6KSVUIXkqOic8geIQqFjFw=="
    /// The bytes 0x40 to 0x5F.
    static let content = "8ODQwLCgkIBwYFBAMCAQAP5/zyF0JeN+T3IVjRMm0FS3h8ayAKLgg6EFw8HxpqNzrw6ffAdOUXck7CBdt7jIZg=="
    /// The bytes 0x40 to 0x5E.
    static let shortContent = "8ODQwLCgkIBwYFBAMCAQAP5/zyF0JeN+T3IVjRMm0FSImdGCeyan/JeBAxjQ84MG"
    /// The identifier, with a padding of 17 bytes.
    static let wrongPadding = "8ODQwLCgkIBwYFBAMCAQANWiEuTNhkg0ASO55oXUKNPCD7dfS/c18ryixcM83I3FyRBSR4jDNbZHnVksiBch1A=="
}

private func license(
    id: String = identifier, user: String = "ishmael", profile: String = basic, check: String = Encrypted.check,
    content: String = Encrypted.content, algorithm: String = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
) throws -> LicenseDocument {
    let signature = Data(repeating: 1, count: 256).base64EncodedString()
    return try LicenseDocument(
        data: Data(
            """
            {"id": "\(id)", "issued": "2026-01-01T00:00:00Z", "provider": "https://books.example.org",
             "encryption": {"profile": "\(profile)",
              "content_key": {"encrypted_value": "\(content)", "algorithm": "\(algorithm)"},
              "user_key": {"text_hint": "Which colour is it?", "algorithm": "http://www.w3.org/2001/04/xmlenc#sha256",
               "key_check": "\(check)"}},
             "links": [
              {"rel": "hint", "href": "https://books.example.org/hint", "type": "text/html"},
              {"rel": "support", "href": "mailto:help@example.org"},
              {"rel": "publication", "href": "https://books.example.org/a.epub", "type": "application/epub+zip"}],
             "user": {"id": "\(user)"},
             "signature": {"algorithm": "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
              "certificate": "\(signature)", "value": "\(signature)"}}
            """.utf8))
}

/// Gives answers in turn, then none, and records the questions.
private final class Answers: PassphraseSource {
    private let answers: [String]
    private let asked = LockedValue<[PassphraseRequest]>([])

    init(_ answers: String...) { self.answers = answers }

    var questions: [PassphraseRequest] { asked.value }

    func passphrase(for request: PassphraseRequest) async throws -> HashedPassphrase? {
        let index = asked.update { asked in
            asked.append(request)
            return asked.count - 1
        }
        return answers.indices.contains(index) ? HashedPassphrase(answers[index]) : nil
    }
}

private func kind(_ body: () async throws -> LicenseKey) async -> LCPProblem.Kind? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? LCPProblem)?.kind
    }
}

@Suite struct UnlockingTests {
    private let contentKey = [UInt8](0x40..<0x60)

    @Test func `the passphrase unlocks the content key`() async throws {
        let key = try await LicenseUnlocking(source: Answers(passphrase)).unlock(license())
        #expect(key.contentKey == contentKey)
    }

    @Test func `a passphrase is hashed as it was typed`() {
        #expect(HashedPassphrase(passphrase).hexadecimal == hash)
        #expect(HashedPassphrase(hexadecimal: hash) == HashedPassphrase(passphrase))
        #expect(HashedPassphrase(" White whale") != HashedPassphrase(passphrase))
        #expect(HashedPassphrase("e\u{301}") != HashedPassphrase("\u{E9}"))
        for text in ["", "7e", String(hash.dropLast()), hash + "00", "g" + hash.dropFirst()] {
            #expect(HashedPassphrase(hexadecimal: text) == nil, "\(text)")
        }
    }

    @Test func `a wrong passphrase is asked for again, with the hint, until there is an answer no more`() async throws {
        let source = Answers("black", "red")
        let wrong = await kind { try await LicenseUnlocking(source: source).unlock(license()) }
        #expect(wrong == .wrongPassphrase)
        #expect(source.questions.map(\.wasWrong) == [false, true, true])
        let question = try #require(source.questions.last)
        #expect(question.refused == [HashedPassphrase("black"), HashedPassphrase("red")])
        #expect(question.hint == "Which colour is it?")
        #expect(question.hintLinks.map(\.href) == ["https://books.example.org/hint"])
        #expect(question.supportLinks.map(\.href) == ["mailto:help@example.org"])
        let right = Answers("black", passphrase)
        #expect(try await LicenseUnlocking(source: right).unlock(license()).contentKey == contentKey)
        #expect(right.questions.count == 2)
    }

    @Test func `a passphrase is asked for ten times at most`() async throws {
        let count = LockedValue(0)
        let prompt = PassphrasePrompt { _ in
            count.update { $0 += 1 }
            return "black"
        }
        let wrong = await kind { try await LicenseUnlocking(source: prompt).unlock(license()) }
        #expect(wrong == .wrongPassphrase && count.value == LicenseUnlocking.maxAttempts)
    }

    @Test func `without a passphrase one is needed`() async throws {
        #expect(await kind { try await LicenseUnlocking().unlock(license()) } == .passphraseNeeded)
        let unlocking = LicenseUnlocking(source: PassphraseChain([EnvironmentPassphrase(environment: [:])]))
        #expect(await kind { try await unlocking.unlock(license()) } == .passphraseNeeded)
    }

    @Test func `an answer that fits is remembered for the licence, and for the user's others`() async throws {
        let store = MemoryUserKeyStore()
        let first = Answers("black", passphrase)
        _ = try await LicenseUnlocking(source: first, keys: store).unlock(license())
        let second = Answers()
        #expect(try await LicenseUnlocking(source: second, keys: store).unlock(license()).contentKey == contentKey)
        #expect(second.questions.isEmpty)
        #expect(try await store.keys(for: license(id: "another")) == [HashedPassphrase(passphrase)])
        #expect(try await store.keys(for: license(user: "ahab")) == [HashedPassphrase(passphrase)])
        #expect(try await store.keys(for: license(id: "another", user: "ahab")).isEmpty)
    }

    @Test func `the passphrase of the licence is tried before those of the user`() async throws {
        let store = MemoryUserKeyStore()
        try await store.keep(HashedPassphrase("a"), for: license(id: "1"))
        try await store.keep(HashedPassphrase("b"), for: license(id: "2"))
        try await store.keep(HashedPassphrase("b"), for: license(id: "2"))
        #expect(try await store.keys(for: license(id: "1")) == [HashedPassphrase("a"), HashedPassphrase("b")])
        #expect(try await store.keys(for: license(id: "3")) == [HashedPassphrase("b"), HashedPassphrase("a")])
    }

    @Test func `a store that fails keeps no book from being read`() async throws {
        struct Broken: UserKeyStore {
            func keys(for license: LicenseDocument) async throws -> [HashedPassphrase] {
                throw FileError.make(.fileReadCorruptFile, path: "keys")
            }
            func keep(_ key: HashedPassphrase, for license: LicenseDocument) async throws {
                throw FileError.make(.fileWriteOutOfSpace, path: "keys")
            }
        }
        let log = RecordedLog()
        let unlocking = LicenseUnlocking(source: Answers(passphrase), keys: Broken(), logger: log.logger)
        #expect(try await unlocking.unlock(license()).contentKey == contentKey)
        #expect(log.lines.map { "\($0.level)" } == ["warning", "warning"])
        #expect(!log.text.contains(passphrase) && !log.text.contains(hash))
    }

    @Test func `an unknown profile says which one is needed`() async throws {
        let other = "http://readium.org/lcp/profile-2.0"
        let found = await kind {
            try await LicenseUnlocking(source: Answers(passphrase)).unlock(license(profile: other))
        }
        #expect(found == .unknownProfile(other))
        #expect(LCPProblem(.unknownProfile(other)).sentence.contains(other))
    }

    @Test func `an app's own profile makes the user key`() async throws {
        struct Swapped: LCPProfile {
            let identifier = "https://example.org/profile"
            func userKey(of hashedPassphrase: [UInt8]) -> [UInt8] { hashedPassphrase.reversed() }
        }
        let reversed = Hexadecimal.text(HashedPassphrase(passphrase).bytes.reversed())
        let store = MemoryUserKeyStore()
        let other = try license(profile: "https://example.org/profile")
        try await store.keep(try #require(HashedPassphrase(hexadecimal: reversed)), for: other)
        let unlocking = LicenseUnlocking(profiles: [BasicProfile(), Swapped()], keys: store)
        #expect(try await unlocking.unlock(other).contentKey == contentKey)
    }

    @Test func `a damaged licence is not unlocked`() async throws {
        let unlocking = LicenseUnlocking(source: Answers(passphrase, passphrase, passphrase, passphrase))
        #expect(
            await kind { try await unlocking.unlock(license(content: Encrypted.shortContent)) } == .wrongContentKey)
        #expect(await kind { try await unlocking.unlock(license(check: Encrypted.wrongPadding)) } == .wrongPassphrase)
        #expect(
            await kind { try await LicenseUnlocking(source: Answers(passphrase)).unlock(license(id: "b")) }
                == .wrongPassphrase)
        let algorithm = "http://www.w3.org/2009/xmlenc11#aes256-gcm"
        #expect(
            await kind { try await unlocking.unlock(license(algorithm: algorithm)) } == .unknownAlgorithm(algorithm))
    }

    @Test func `nothing that is printed shows a secret`() async throws {
        let store = MemoryUserKeyStore()
        let source = EnvironmentPassphrase(environment: ["CARREL_PASSPHRASE": passphrase])
        let unlocking = LicenseUnlocking(source: source, keys: store)
        let key = try await unlocking.unlock(license())
        var text = "\(key) \(unlocking) \(HashedPassphrase(passphrase))"
        dump(key, to: &text)
        dump(unlocking, to: &text)
        dump(store, to: &text)
        dump(HashedPassphrase(passphrase), to: &text)
        dump(PassphraseRequest(license: try license(), refused: [HashedPassphrase(passphrase)]), to: &text)
        text += shownForms(of: LCPProblem(.wrongPassphrase))
        #expect(!text.contains(passphrase) && !text.contains(hash) && !text.contains("126, 196, 157"))
        #expect(!text.contains("64, 65, 66"))
    }
}

@Suite struct PassphraseSourceTests {
    private func request(refusing refused: Set<HashedPassphrase> = []) throws -> PassphraseRequest {
        PassphraseRequest(license: try license(), refused: refused)
    }

    @Test func `the environment has one passphrase`() async throws {
        let source = EnvironmentPassphrase(environment: ["CARREL_PASSPHRASE": passphrase])
        #expect(try await source.passphrase(for: request()) == HashedPassphrase(passphrase))
        #expect(try await source.passphrase(for: request(refusing: [HashedPassphrase(passphrase)])) == nil)
        let empty = EnvironmentPassphrase(environment: ["CARREL_PASSPHRASE": ""])
        #expect(try await empty.passphrase(for: request()) == nil)
    }

    @Test(arguments: ["White whale", "White whale\n", "White whale\r\nmore", "White whale\n\n"])
    func `the first line of a file is the passphrase`(_ content: String) async throws {
        let folder = try TemporaryFolder()
        let file = try secret(content, in: folder, mode: 0o600)
        #expect(try await FilePassphrase(file: file).passphrase(for: request()) == HashedPassphrase(passphrase))
    }

    @Test(arguments: [0o604, 0o640, 0o644])
    func `a file that others can read is refused`(_ mode: Int) async throws {
        let folder = try TemporaryFolder()
        let file = try secret(passphrase, in: folder, mode: mode)
        await #expect { _ = try await FilePassphrase(file: file).passphrase(for: request()) } throws: {
            ($0 as? CocoaError)?.code == .fileReadNoPermission && $0.sentence.contains("chmod 600")
                && !$0.sentence.contains(passphrase)
        }
    }

    @Test func `a file without a first line is refused`() async throws {
        let folder = try TemporaryFolder()
        let file = try secret("\nWhite whale", in: folder, mode: 0o600)
        await #expect { _ = try await FilePassphrase(file: file).passphrase(for: request()) } throws: {
            ($0 as? CocoaError)?.code == .fileReadCorruptFile
        }
        await #expect { _ = try await FilePassphrase(file: file + "2").passphrase(for: request()) } throws: {
            $0.isNoSuchFile
        }
    }

    @Test func `a chain asks the next source after a refusal`() async throws {
        let folder = try TemporaryFolder()
        let file = try secret("red", in: folder, mode: 0o600)
        let prompt = Answers(passphrase)
        let chain = PassphraseChain([
            EnvironmentPassphrase(environment: ["CARREL_PASSPHRASE": "black"]), FilePassphrase(file: file), prompt,
        ])
        _ = try await LicenseUnlocking(source: chain).unlock(license())
        #expect(prompt.questions.map(\.refused) == [[HashedPassphrase("black"), HashedPassphrase("red")]])
    }

    private func secret(_ content: String, in folder: TemporaryFolder, mode: Int) throws -> String {
        let path = folder.url.appending(path: "passphrase").path
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }
}
