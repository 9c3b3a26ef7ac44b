import FTPFileProvider
import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

/// From the connection to the login, and how many there are.
@Suite struct FTPLoginFaultTests {
    /// Gives one credential after the other, and remembers what it was told.
    private final class Passwords: CredentialSource {
        private let state: LockedValue<(left: [String], refused: [Credential], asked: Int)>

        init(_ passwords: String...) { state = LockedValue((passwords, [], 0)) }

        var refused: [Credential] { state.value.refused }
        var asked: Int { state.value.asked }

        func credential(for origin: Origin, user: String?) async throws -> Credential? {
            state.update { state in
                state.asked += 1
                return .password(
                    user: "anna", password: state.left.count > 1 ? state.left.removeFirst() : state.left[0])
            }
        }

        func refused(_ credential: Credential, for origin: Origin, user: String?) {
            state.update { $0.refused.append(credential) }
        }
    }

    private func look(_ provider: FTPFileProvider) async throws { try await FTPActivity.look.run(provider) }

    private func short(_ options: inout ConnectionOptions) { options.timeouts = Timeouts(connect: 2, idle: 2) }

    // MARK: The greeting

    @Test func `A greeting that never comes ends in time`() async throws {
        try await withFTPProvider(.init { $0.verb.isEmpty ? [.silence] : [] }, options: short) { _, provider in
            let error = try await FTPFaults.mustFail { try await look(provider) }
            #expect(error.urlCode == .timedOut)
        }
    }

    @Test func `A server that says to be ready soon is tried again`() async throws {
        try await withFTPProvider(
            .init { $0.verb.isEmpty && $0.connection == 1 ? [.say("120 Soon"), .delay(0.05)] : [] }
        ) {
            $0.retries.retries = 1
        } _: { double, provider in
            try await look(provider)
            #expect(double.connections == 2)
        }
    }

    @Test func `A server that is busy at first is tried again`() async throws {
        for closing in [[FTPDouble.Fault.close], []] {
            let settings = FTPDouble.Settings {
                $0.verb.isEmpty && $0.connection <= 2 ? [.reply("421 Busy")] + closing : []
            }
            try await withFTPProvider(settings) {
                $0.retries.retries = 2
            } _: { double, provider in
                try await look(provider)
                #expect(double.connections == 3)
            }
        }
        try await withFTPProvider(.init { $0.verb.isEmpty ? [.reply("421 Busy"), .close] : [] }) { double, provider in
            let error = try await FTPFaults.mustFail { try await look(provider) }
            #expect(error.isTransient)
            #expect(error.sentence.contains("Busy"))
            #expect(double.connections == 1)
        }
    }

    @Test func `Thirty operations outlast a storm of refusals`() async throws {
        let settings = FTPDouble.Settings { $0.verb.isEmpty && $0.connection <= 6 ? [.reply("421 Busy"), .close] : [] }
        try await withFTPProvider(settings) {
            $0.retries = RetryPolicy(retries: 6, firstPause: 0.01)
        } _: { _, provider in
            try await thirty(provider)
        }
    }

    @Test(arguments: [
        "USER", "PASS", "PWD", "FEAT", "TYPE", "MLST", "SIZE", "EPSV", "RETR", "STOR", "RNFR", "RNTO", "DELE", "MKD",
    ])
    func `A server that closes at any command is one error, or none where it may be asked again`(verb: String)
        async throws
    {
        let settings = FTPDouble.Settings {
            $0.verb == verb && $0.occurrence == 1 ? [.reply("421 Closing"), .close] : []
        }
        for doing in [FTPActivity.look, .read, .publish, .makeFolder, .remove] {
            try await withFTPProvider(settings) {
                $0.retries.retries = 1
            } _: { double, provider in
                let error = await FTPFaults.failure { try await doing.run(provider) }
                if let error { #expect(error.isTransient, "\(doing) \(verb): \(error)") }
                if ![FTPActivity.makeFolder, .remove].contains(doing) { #expect(error == nil, "\(doing) \(verb)") }
                if doing == .publish { #expect(double.file("/new") == FTPActivity.content) }
                try await look(provider)
            }
        }
    }

    // MARK: The password

    @Test func `A refused password is told and asked for once more`() async throws {
        var settings = FTPDouble.Settings()
        (settings.user, settings.password) = ("anna", FTPFaults.password)
        let passwords = Passwords("wrong", FTPFaults.password)
        try await withFTPProvider(settings) {
            $0.credentials = passwords
        } _: { double, provider in
            try await look(provider)
            #expect(passwords.refused == [.password(user: "anna", password: "wrong")])
            #expect(double.commands.count { $0.verb == "PASS" } == 2)
        }
    }

    @Test(arguments: [
        "530 Sorry, the maximum number of clients (3) for this user already connected",
        "530 Too many users, try again later",
    ])
    func `A server that is full at the first login is tried again with the same password`(text: String) async throws {
        let passwords = Passwords(FTPFaults.password)
        try await withFTPProvider(.init { $0.verb == "PASS" && $0.occurrence == 1 ? [.reply(text)] : [] }) {
            $0.credentials = passwords
            $0.retries.retries = 1
        } _: { double, provider in
            try await look(provider)
            #expect(passwords.refused == [] && double.commands.count { $0.verb == "PASS" } == 2)
        }
    }

    @Test(arguments: ["530 Login incorrect, try again", "530 Invalid user or password; maximum tries: 3"])
    func `A refused password is told whatever else the server says`(text: String) async throws {
        let passwords = Passwords("wrong", FTPFaults.password)
        try await withFTPProvider(.init { $0.verb == "PASS" && $0.occurrence == 1 ? [.reply(text)] : [] }) {
            $0.credentials = passwords
        } _: { double, provider in
            try await look(provider)
            #expect(passwords.refused == [.password(user: "anna", password: "wrong")])
        }
    }

    @Test func `A password that was good once and is refused is asked for again, by one of all who want in`()
        async throws
    {
        var settings = FTPDouble.Settings {
            $0.verb == "PASS" && $0.occurrence == 2 ? [.reply("530 Login incorrect"), .close] : []
        }
        settings.idleTimeout = 1
        let passwords = Passwords("old", "new")
        try await withFTPProvider(settings) {
            $0.credentials = passwords
            $0.retries = RetryPolicy(retries: 3, firstPause: 0.01)
        } _: { double, provider in
            try await look(provider)
            try await eventually { double.openConnections == 0 }
            try await look(provider)
            #expect(passwords.refused == [.password(user: "anna", password: "old")])
        }
    }

    @Test func `A password that is no longer good is refused once, however many operations want in`() async throws {
        var settings = FTPDouble.Settings {
            $0.verb == "PASS" && $0.occurrence > 1 ? [.delay(0.2), .reply("530 Login incorrect")] : []
        }
        settings.idleTimeout = 1
        let passwords = Passwords("old")
        try await withFTPProvider(settings) {
            $0.credentials = passwords
        } _: { double, provider in
            try await look(provider)
            try await eventually { double.openConnections == 0 }
            _ = try await FTPFaults.mustFail { try await look(provider) }
            await withTaskGroup(of: URLError.Code?.self) { group in
                for _ in 0..<8 { group.addTask { await FTPFaults.failure { try await look(provider) }?.urlCode } }
                for await code in group { #expect(code == .userAuthenticationRequired) }
            }
            #expect(double.commands.count { $0.verb == "PASS" } <= 4)
        }
    }

    @Test func `A wrong password is tried once or twice, however many operations want in`() async throws {
        var settings = FTPDouble.Settings()
        (settings.user, settings.password) = ("anna", FTPFaults.password)
        let passwords = Passwords("wrong")
        settings.answer = { $0.verb == "PASS" ? [.delay(0.2)] : [] }
        try await withFTPProvider(settings) {
            $0.credentials = passwords
        } _: { double, provider in
            await withTaskGroup(of: URLError.Code?.self) { group in
                for _ in 0..<8 { group.addTask { await FTPFaults.failure { try await look(provider) }?.urlCode } }
                for await code in group { #expect(code == .userAuthenticationRequired) }
            }
            #expect((1...2).contains(double.commands.count { $0.verb == "PASS" }))
        }
    }

    @Test func `A password in clear goes to no other machine unless that is allowed`() async throws {
        for host in ["192.0.2.1", "[2001:db8::1]"] {
            let url = try #require(URL(string: "ftp://\(host)/"))
            let provider = try FTPFaults.provider(of: url) { $0.timeouts = Timeouts(connect: 60, idle: 60) }
            let error = try await FTPFaults.mustFail { try await look(provider) }
            #expect(error.urlCode == .userAuthenticationRequired)
            #expect(provider.connectionOptions.counters[.connections] == 0)
        }
    }

    // MARK: How many at a time

    private func thirty(_ provider: FTPFileProvider) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<30 {
                group.addTask { try await (number.isMultiple(of: 3) ? FTPActivity.read : .look).run(provider) }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: [true, false]) func `A server that takes three at a time gets no more, and all operations succeed`(
        refusesLogin: Bool
    ) async throws {
        var settings = FTPDouble.Settings { $0.verb == "RETR" ? [.delay(0.02)] : [] }
        if refusesLogin { settings.maximumLogins = 3 } else { settings.maximumConnections = 3 }
        let passwords = Passwords(FTPFaults.password)
        try await withFTPProvider(settings) {
            $0.credentials = passwords
        } _: { double, provider in
            try await thirty(provider)
            #expect(passwords.refused == [])
            #expect(double.logins <= 3)
            #expect(double.connections <= 16)
            let before = double.connections
            try await thirty(provider)
            #expect(double.connections == before)
        }
    }

    @Test func `A server that closes idle connections is connected anew`() async throws {
        var settings = FTPDouble.Settings()
        settings.idleTimeout = 0.1
        // On a busy machine the server may find a connection idle that is not.
        try await withFTPProvider(settings) {
            $0.retries = RetryPolicy(retries: 3, firstPause: 0.01)
        } _: { double, provider in
            try await look(provider)
            try await eventually { double.openConnections == 0 }
            try await look(provider)
            try await FTPActivity.publish.run(provider)
            #expect(double.connections >= 2)
        }
    }

    // MARK: TLS

    @Test(arguments: ["500 What?", "502 No", "504 No", "530 First log in", "534 No"])
    func `A server without TLS gets neither user nor password`(reply: String) async throws {
        try await withFTPES([.reply(reply)]) { double, provider in
            let error = try await FTPFaults.mustFail { try await look(provider) }
            #expect(error.urlCode == .secureConnectionFailed)
        }
    }

    @Test func `Nobody logs in when TLS hangs or is none`() async throws {
        let ends: [[FTPDouble.Fault]] = [
            [.silence], [.reply("234 Go on"), .afterNextBytes(Data("not TLS at all".utf8))],
            [.reply("234 Go on"), .close],
            [.reply("200 Fine")], [.dropConnection], [.garbage(Data("\0\0".utf8))],
        ]
        for faults in ends {
            try await withFTPES(faults) { double, provider in
                let error = try await FTPFaults.mustFail { try await look(provider) }
                #expect(
                    [.secureConnectionFailed, .timedOut, .networkConnectionLost].contains(error.urlCode),
                    "\(faults): \(error)")
            }
        }
    }

    @Test func `A connection that the server has closed for its idleness is replaced without a word`() async throws {
        var settings = FTPDouble.Settings()
        settings.idleTimeout = 3
        try await withFTPProvider(settings) { double, provider in
            try await look(provider)
            try await eventually { double.openConnections == 0 }
            try await look(provider)
            #expect(double.logins == 2)
        }
    }

    private func withFTPES(_ faults: [FTPDouble.Fault], _ body: (FTPDouble, FTPFileProvider) async throws -> Void)
        async throws
    {
        await FTPFaults.permits.take()
        defer { FTPFaults.permits.giveBack() }
        let double = try FTPDouble(.init { $0.verb == "AUTH" ? faults : [] }, files: FTPFaults.files)
        defer { double.stop() }
        let provider = try FTPFaults.provider(of: double.url("ftpes"), options: short)
        try await body(double, provider)
        #expect(!double.commands.contains { ["USER", "PASS"].contains($0.verb) })
        #expect(!double.violations.contains { $0.contains("PASS") || $0.contains("USER") })
    }
}
