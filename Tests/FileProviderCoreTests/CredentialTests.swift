import FileProviderCore
import Foundation
import Synchronization
import Testing

@Suite struct CredentialSourceTests {
    private let home = Origin(scheme: "https", host: "nas.example", port: 443)
    private let other = Origin(scheme: "https", host: "nas.example", port: 8443)

    /// A file with `text`, for the test to remove.
    private func file(_ text: String) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "carrel-secret-\(UInt64.random(in: 0 ... .max))")
        try Data(text.utf8).write(to: file)
        return file.path
    }

    @Test func `variables answer the first origin that asks, and no other`() async throws {
        let source = EnvironmentCredentials(password: "P", token: "T", environment: ["P": "s3cret"])
        #expect(try await source.credential(for: other, user: nil) == nil, "nobody is known")
        #expect(try await source.credential(for: home, user: "ann") == .password(user: "ann", password: "s3cret"))
        #expect(try await source.credential(for: other, user: "ann") == nil)
        let token = EnvironmentCredentials(password: "P", token: "T", environment: ["P": "s3cret", "T": "t"])
        #expect(try await token.credential(for: home, user: "ann") == .bearer("t"))
        #expect(
            try await EnvironmentCredentials(password: "P", environment: [:]).credential(for: home, user: "ann") == nil)
    }

    @Test(arguments: ["s3cret", "s3cret\n", "s3cret\r\nmore\n"])
    func `a password file's first line is the password`(text: String) async throws {
        let file = try file(text)
        defer { try? FileManager.default.removeItem(atPath: file) }
        let source = PasswordFileCredentials(file: file)
        #expect(try await source.credential(for: home, user: "ann") == .password(user: "ann", password: "s3cret"))
        #expect(try await source.credential(for: other, user: "ann") == nil)
    }

    @Test func `a password file that is missing or endless is an error`() async throws {
        await #expect { try await PasswordFileCredentials(file: "/no/such").credential(for: home, user: "a") } throws: {
            $0.isNoSuchFile
        }
        await #expect {
            try await PasswordFileCredentials(file: "/dev/zero").credential(for: home, user: "a")
        } throws: {
            ($0 as? CocoaError)?.code == .fileReadTooLarge
        }
    }

    @Test func `sources are asked in order, with the chain's user where none is named`() async throws {
        let chain = CredentialChain(
            [
                FixedCredential(nil), AskedCredentials { .password(user: $1 ?? "nobody", password: $0.host) },
                FixedCredential(.bearer("last")),
            ],
            user: "ann")
        #expect(try await chain.credential(for: home, user: nil) == .password(user: "ann", password: "nas.example"))
        #expect(try await chain.credential(for: home, user: "bob") == .password(user: "bob", password: "nas.example"))
        #expect(try await CredentialChain([]).credential(for: home, user: nil) == nil)
    }

    // MARK: netrc

    @Test(arguments: [
        ("machine nas.example login ann password p", "ann", "p"),
        ("machine\tNAS.example\r\n\tlogin ann\r\n\tpassword p\r\n", "ann", "p"),
        ("machine other.example login x password x\nmachine nas.example login ann password p", "ann", "p"),
        ("default login any password p", "any", "p"),
        ("machine other.example login x password x default login any password p", "any", "p"),
        (#"machine nas.example login "a n n" password "p \"q\" \\""#, "a n n", #"p "q" \"#),
        (#"machine nas.example login ann password p\ q"#, "ann", "p q"),
        ("# machine nas.example login no password no\nmachine nas.example # why\nlogin ann password p", "ann", "p"),
        ("machine nas.example login ann password #p", "ann", "#p"),
        ("machine nas.example login ann account x password p", "ann", "p"),
        (
            "macdef init\nmachine nas.example login no password no\n\nmachine nas.example login ann password p", "ann",
            "p"
        ),
        (
            "macdef init\r\nmachine nas.example login no password no\r\n\r\nmachine nas.example login ann password p",
            "ann", "p"
        ),
        ("machine nas.example login first machine nas.example login ann password p", "ann", "p"),
        ("machine nas.example login ann password \"p\nmachine nas.example login x password x", "ann", "p"),
        ("machine nas.example login ann password \"\"", "ann", ""),
    ])
    func `a netrc gives the host's login`(_ text: String, _ user: String, _ password: String) async throws {
        let file = try file(text)
        defer { try? FileManager.default.removeItem(atPath: file) }
        #expect(
            try await NetrcCredentials(file: file).credential(for: home, user: nil)
                == .password(user: user, password: password))
    }

    @Test(arguments: [
        "", "machine", "machine nas.example", "machine nas.example login", "machine nas.example login ann password",
        "login ann password p",
        "machine other.example login ann password p", "machine xnas.example login ann password p",
        "macdef x\nmachine nas.example password p",
        "machine nas.example password p", "\\", "\"", "machine nas.example login \"ann password p",
    ])
    func `a netrc without the host's login gives nothing`(_ text: String) async throws {
        let file = try file(text)
        defer { try? FileManager.default.removeItem(atPath: file) }
        #expect(try await NetrcCredentials(file: file).credential(for: home, user: nil) == nil)
    }

    @Test func `of several logins the one of the user that is asked for answers`() async throws {
        let file = try file(
            "machine nas.example login ann password a machine nas.example login bob password b default password d")
        defer { try? FileManager.default.removeItem(atPath: file) }
        let source = NetrcCredentials(file: file)
        #expect(try await source.credential(for: home, user: "bob") == .password(user: "bob", password: "b"))
        #expect(try await source.credential(for: home, user: "eve") == .password(user: "eve", password: "d"))
    }

    @Test func `an IPv6 host may stand with brackets or without`() async throws {
        let file = try file("machine ::1 login ann password a")
        defer { try? FileManager.default.removeItem(atPath: file) }
        let origin = Origin(scheme: "http", host: "[::1]", port: 80)
        #expect(try await NetrcCredentials(file: file).credential(for: origin, user: nil) != nil)
    }

    @Test func `a netrc that is missing holds nothing, one that is endless is an error`() async throws {
        #expect(try await NetrcCredentials(environment: ["HOME": "/no/such"]).credential(for: home, user: nil) == nil)
        await #expect { try await NetrcCredentials(file: "/dev/zero").credential(for: home, user: nil) } throws: {
            ($0 as? CocoaError)?.code == .fileReadTooLarge
        }
    }

    // MARK: Asking

    @Test func `many requests are one question for each origin and user`() async throws {
        let asked = CollectedValues<String>()
        let source = AskedCredentials { origin, user in
            asked.append("\(origin.port) \(user ?? "")")
            await Task.yield()
            return .bearer("t")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<60 {
                group.addTask { [home, other] in
                    _ = try await source.credential(
                        for: index % 3 == 0 ? other : home, user: index % 3 == 1 ? "ann" : nil)
                }
            }
            try await group.waitForAll()
        }
        #expect(asked.values.sorted() == ["443 ", "443 ann", "8443 "])
    }

    @Test func `an answer is kept until it is refused`() async throws {
        let count = Atomic(0)
        let source = AskedCredentials { _, _ in .bearer("\(count.add(1, ordering: .relaxed).newValue)") }
        let chain = CredentialChain([FixedCredential(nil), source])
        let first = try #require(try await chain.credential(for: home, user: nil))
        #expect(try await chain.credential(for: home, user: nil) == first)
        chain.refused(.bearer("another"), for: home, user: nil)
        chain.refused(first, for: other, user: nil)
        #expect(try await chain.credential(for: home, user: nil) == first)
        chain.refused(first, for: home, user: nil)
        #expect(try await chain.credential(for: home, user: nil) == .bearer("2"))
        chain.refused(first, for: home, user: nil)
        #expect(
            try await chain.credential(for: home, user: nil) == .bearer("2"),
            "a late word about an old answer changes nothing")
    }

    @Test func `a question that was broken off is asked again`() async throws {
        let count = Atomic(0)
        let source = AskedCredentials { _, _ in
            if count.add(1, ordering: .relaxed).newValue == 1 { throw CancellationError() }
            return .bearer("t")
        }
        await #expect(throws: CancellationError.self) { try await source.credential(for: home, user: nil) }
        #expect(try await source.credential(for: home, user: nil) == .bearer("t"))
    }

    @Test func `a caller that is cancelled does not end the question of the others`() async throws {
        let (stream, answer) = AsyncStream<Void>.makeStream()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let source = AskedCredentials { _, _ in
            begin.finish()
            for await _ in stream {}
            return .bearer("t")
        }
        let impatient = Task { [home] in try await source.credential(for: home, user: nil) }
        let patient = Task { [home] in try await source.credential(for: home, user: nil) }
        for await _ in begun {}
        impatient.cancel()
        await #expect(throws: CancellationError.self) { try await impatient.value }
        answer.finish()
        #expect(try await patient.value == .bearer("t"))
    }
}
