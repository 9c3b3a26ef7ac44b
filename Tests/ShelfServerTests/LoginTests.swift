import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

@testable import ShelfServer

@Suite struct LoginTests {
    private let user = User(id: 3, name: "Ann", passwordVersion: "v1")
    private let key = ShelfKey(ServerBench.key)
    private let date = Date(timeIntervalSince1970: 1_700_000_000)

    @Test func `a session is valid for its person, its password and 30 days`() throws {
        let session = try #require(Session(Session(of: user, at: date, key).value))
        #expect(session.isValid(for: user, at: date, key))
        #expect(session.isValid(for: user, at: date + 29 * 86_400, key))
        #expect(!session.isValid(for: user, at: date + 31 * 86_400, key))
        #expect(!session.isValid(for: user, at: date - 86_400, key))
        #expect(!session.isValid(for: User(id: 3, name: "Ann", passwordVersion: "v2"), at: date, key))
        #expect(!session.isValid(for: User(id: 4, name: "Bo", passwordVersion: "v1"), at: date, key))
        #expect(!session.isValid(for: user, at: date, ShelfKey(Data(repeating: 8, count: 32))))
    }

    @Test func `a session whose time, person or number was changed is not valid`() throws {
        let parts = Session(of: user, at: date, key).value.split(separator: ".")
        let later = try #require(Session("3.1700000001.\(parts[2]).\(parts[3])"))
        #expect(!later.isValid(for: user, at: date, key))
        let other = try #require(Session("4.\(parts[1]).\(parts[2]).\(parts[3])"))
        #expect(!other.isValid(for: User(id: 4, name: "Bo", passwordVersion: "v1"), at: date, key))
        let renumbered = try #require(Session("3.\(parts[1]).\(parts[2])A.\(parts[3])"))
        #expect(!renumbered.isValid(for: user, at: date, key))
        #expect(Session("3.1700000000") == nil)
        #expect(Session("") == nil)
    }

    @Test func `cookies are found among others`() {
        #expect(Session.values(of: "a", in: "b=1; a=2;a=3 ; ab=4") == ["2", "3"])
        #expect(Session.values(of: "a", in: nil).isEmpty)
        let field = Session.field("a", "x", path: "/b/", isSecure: true, seconds: 5)
        #expect(field == "a=x; Path=/b/; Max-Age=5; HttpOnly; SameSite=Lax; Secure")
        #expect(!Session.field("a", "x", path: "/", isSecure: false, seconds: 5).contains("Secure"))
    }

    @Test func `a reading address is for one book, one person and one password`() throws {
        let segment = key.readingSegment(book: 12, user: user)
        let numbers = try #require(ShelfKey.numbers(inReadingSegment: segment))
        #expect(numbers.book == 12 && numbers.user == 3)
        #expect(key.isReadingCode(numbers.code, book: 12, user: user))
        #expect(!key.isReadingCode(numbers.code, book: 13, user: user))
        #expect(!key.isReadingCode(numbers.code, book: 12, user: User(id: 3, name: "Ann", passwordVersion: "v2")))
        #expect(!key.isReadingCode(numbers.code + "A", book: 12, user: user))
        for text in ["", "12-3", "012-3-x", "-1-3-x", "a-b-c"] {
            #expect(ShelfKey.numbers(inReadingSegment: text) == nil, "\(text)")
        }
    }

    @Test func `forms are decoded once, as UTF-8`() {
        let form = FormFields(Data("name=M%C3%A1rta+K&password=a%2Bb%253D%26&empty&token=".utf8))
        #expect(form["name"] == "Márta K")
        #expect(form["password"] == "a+b%3D&")
        #expect(form["empty"] == "" && form["token"] == "")
        #expect(form["other"] == nil)
    }

    // MARK: Limits

    private final class Clock: Sendable {
        private let time = LockedValue(ContinuousClock.now)
        var now: ContinuousClock.Instant { time.value }
        func advance(_ duration: Duration) { time.update { $0 += duration } }
    }

    private func limits(_ clock: Clock) -> LoginLimits {
        var settings = LoginLimits.Settings()
        (settings.perAddress, settings.perName, settings.window) = (4, 2, .seconds(60))
        settings.perNameOverall = 5
        return LoginLimits(settings, now: { clock.now })
    }

    /// As many wrong logins with a name from other addresses as make it slow.
    private func attack(_ limits: LoginLimits, _ name: String, from first: Int = 100) {
        for number in first..<first + 5 { #expect(limits.begin(address: "192.0.2.\(number)", name: name) != nil) }
    }

    @Test func `wrong logins with one name are limited from their address alone, until the window has passed`() {
        let clock = Clock()
        let limits = limits(clock)
        #expect(limits.begin(address: "192.0.2.1", name: "Ann") != nil)
        #expect(limits.begin(address: "192.0.2.1", name: "ann") != nil)
        #expect(limits.begin(address: "192.0.2.1", name: "ANN") == nil)
        #expect(limits.begin(address: "192.0.2.1", name: "Bo") != nil)
        for _ in 0..<2 { #expect(limits.begin(address: "192.0.2.2", name: "Ann") != nil) }
        #expect(limits.begin(address: "192.0.2.2", name: "Ann") == nil)
        clock.advance(.seconds(61))
        #expect(limits.begin(address: "192.0.2.1", name: "Ann") != nil)
    }

    @Test func `a name that many addresses try is slowed where its person never logged in, and not refused`() throws {
        let clock = Clock()
        let limits = limits(clock)
        limits.succeed(try #require(limits.begin(address: "192.0.2.1", name: "Ann")))
        limits.note(address: "2001:db8:0:1::1", name: "Ann")
        #expect(limits.pause(address: "192.0.2.9", name: "Ann") == .zero)
        attack(limits, "Ann")
        // The addresses of the person, whatever their form, and other names.
        for address in ["192.0.2.1", "::ffff:192.0.2.1", "2001:db8:0:1:ffff::1"] {
            #expect(limits.pause(address: address, name: "ann") == .zero, "\(address)")
        }
        #expect(limits.pause(address: "192.0.2.9", name: "Bo") == .zero)
        #expect(limits.pause(address: "192.0.2.9", name: "ANN") == .zero)
        #expect(limits.pause(address: "192.0.2.10", name: "Ann") == .seconds(2))
        #expect(limits.pause(address: "192.0.2.11", name: "Ann") == .seconds(4))
        clock.advance(.seconds(3))
        #expect(limits.pause(address: "192.0.2.12", name: "Ann") == .seconds(3))
        #expect(limits.begin(address: "192.0.2.12", name: "Ann") != nil)
        clock.advance(.seconds(61))
        #expect(limits.pause(address: "192.0.2.13", name: "Ann") == .zero)
        #expect(limits.pause(address: "192.0.2.14", name: "Ann") == .zero)
    }

    @Test func `slowed logins don't wait for longer than half a minute, nor twice from one address`() {
        let clock = Clock()
        let limits = limits(clock)
        attack(limits, "Ann")
        for number in 0...15 {
            #expect(limits.pause(address: "192.0.2.\(number)", name: "Ann") == .seconds(2 * number))
        }
        #expect(limits.pause(address: "192.0.2.16", name: "Ann") == nil)
        clock.advance(.seconds(2))
        // The first has had its turn, and the second begins now.
        #expect(limits.pause(address: "192.0.2.15", name: "Ann") == nil)
        #expect(limits.pause(address: "192.0.2.0", name: "Ann") == .seconds(30))
        #expect(limits.pause(address: "192.0.2.0", name: "Ann") == nil)
    }

    @Test func `an address at its limit does not keep others waiting`() {
        let limits = limits(Clock())
        attack(limits, "Ann")
        for _ in 0..<2 { #expect(limits.begin(address: "192.0.2.1", name: "Ann") != nil) }
        for _ in 0..<3 { #expect(limits.pause(address: "192.0.2.1", name: "Ann") == .zero) }
        #expect(limits.begin(address: "192.0.2.1", name: "Ann") == nil)
        #expect(limits.pause(address: "192.0.2.2", name: "Ann") == .zero)
        #expect(limits.pause(address: "192.0.2.3", name: "Ann") == .seconds(2))
    }

    @Test func `the person logs in while others try the name`() async throws {
        let folder = try TemporaryFolder()
        let people = try await ServerBench.people(in: folder.url)
        let user = try await people.add(name: "Ann", password: "correct horse")
        let limits = limits(Clock())
        let slept = LockedValue<[Duration]>([])
        let check = LoginCheck(people, limits, sleep: { pause in slept.update { $0.append(pause) } })
        for number in 0..<9 {
            let outcome = try await check.check(name: "Ann", password: "wrong horse", client: "192.0.2.\(number)")
            #expect(outcome == .wrong)
        }
        #expect(slept.value == [.seconds(2), .seconds(4), .seconds(6)])
        #expect(try await check.check(name: "Ann", password: "correct horse", client: "192.0.2.77") == .user(user))
        #expect(slept.value.last == .seconds(8))
        // The address is the person's from now on.
        #expect(try await check.check(name: "Ann", password: "wrong horse", client: "192.0.2.77") == .wrong)
        #expect(slept.value.count == 4)
        try await people.close()
    }

    @Test func `a slowed login whose client leaves before its turn counts`() async throws {
        let folder = try TemporaryFolder()
        let people = try await ServerBench.people(in: folder.url)
        let limits = limits(Clock())
        attack(limits, "Ann")
        #expect(limits.pause(address: "192.0.2.1", name: "Ann") == .zero)
        let check = LoginCheck(people, limits, sleep: { _ in throw CancellationError() })
        await #expect(throws: CancellationError.self) {
            try await check.check(name: "Ann", password: "wrong horse", client: "192.0.2.9")
        }
        #expect(limits.begin(address: "192.0.2.9", name: "Ann") != nil)
        #expect(limits.begin(address: "192.0.2.9", name: "Ann") == nil)
        try await people.close()
    }

    @Test func `logins that arrive together are slowed from the limit on`() async throws {
        let folder = try TemporaryFolder()
        let people = try await ServerBench.people(in: folder.url)
        _ = try await people.add(name: "Ann", password: "correct horse")
        let slept = LockedValue<[Duration]>([])
        let check = LoginCheck(people, limits(Clock()), sleep: { pause in slept.update { $0.append(pause) } })
        try await withThrowingTaskGroup(of: LoginCheck.Outcome.self) { group in
            for number in 0..<12 {
                group.addTask {
                    try await check.check(name: "Ann", password: "wrong horse", client: "192.0.2.\(number)")
                }
            }
            for try await outcome in group { #expect(outcome == .wrong) }
        }
        // The first six don't wait: five of the limit, and the one with the first slow turn.
        let pauses: [Duration] = [.seconds(2), .seconds(4), .seconds(6), .seconds(8), .seconds(10), .seconds(12)]
        #expect(slept.value.sorted() == pauses)
        try await people.close()
    }

    @Test func `a name counts by its first bytes, however few characters they are`() {
        let limits = limits(Clock())
        let marks = "a" + String(repeating: "\u{323}\u{308}", count: 10_000)
        for end in ["x", "y"] { #expect(limits.begin(address: "192.0.2.1", name: marks + end) != nil) }
        #expect(limits.begin(address: "192.0.2.1", name: marks + "z") == nil)
    }

    @Test func `wrong logins from one address are limited for all names`() {
        let limits = limits(Clock())
        for name in ["a", "b", "c", "d"] { #expect(limits.begin(address: "192.0.2.1", name: name) != nil) }
        #expect(limits.begin(address: "192.0.2.1", name: "e") == nil)
        #expect(limits.begin(address: "::ffff:192.0.2.1", name: "e") == nil)
        #expect(limits.begin(address: "192.0.2.2", name: "e") != nil)
    }

    @Test func `registrations count for their address and for no name`() {
        let limits = limits(Clock())
        for _ in 0..<4 { #expect(limits.begin(address: "192.0.2.1", name: nil) != nil) }
        #expect(limits.begin(address: "192.0.2.1", name: nil) == nil)
        #expect(limits.begin(address: "192.0.2.1", name: "Ann") == nil)
        #expect(limits.begin(address: "192.0.2.2", name: "Ann") != nil)
    }

    @Test func `addresses of one IPv6 network count together`() {
        let limits = limits(Clock())
        for number in 1...4 { #expect(limits.begin(address: "2001:db8:0:1::\(number)", name: "n\(number)") != nil) }
        #expect(limits.begin(address: "2001:db8:0:1:ffff::1", name: "n5") == nil)
        #expect(limits.begin(address: "2001:db8:0:2::1", name: "n5") != nil)
    }

    @Test func `right logins do not count`() throws {
        let limits = limits(Clock())
        for _ in 0..<10 { limits.succeed(try #require(limits.begin(address: "192.0.2.1", name: "Ann"))) }
        #expect(limits.begin(address: "192.0.2.1", name: "Ann") != nil)
    }

    @Test func `a full memory forgets the oldest, and not what is at its limit`() {
        let clock = Clock()
        let limits = limits(clock)
        _ = limits.begin(address: "192.0.2.1", name: "Bo")
        for _ in 0..<2 { #expect(limits.begin(address: "192.0.2.2", name: "Ann") != nil) }
        clock.advance(.seconds(1))
        for number in 0...5_000 { _ = limits.begin(address: "2001:db8:0:\(number)::1", name: "n\(number)") }
        #expect(limits.begin(address: "192.0.2.2", name: "Ann") == nil)
        for _ in 0..<2 { #expect(limits.begin(address: "192.0.2.1", name: "Bo") != nil) }
        #expect(limits.begin(address: "192.0.2.1", name: "Bo") == nil)
    }

    @Test func `of the addresses of a person, the latest are known`() {
        let limits = limits(Clock())
        for number in 1...17 { limits.note(address: "198.51.100.\(number)", name: "Ann") }
        attack(limits, "Ann")
        // The oldest is a stranger's again, and takes the first turn.
        #expect(limits.pause(address: "198.51.100.1", name: "Ann") == .zero)
        for number in 2...17 { #expect(limits.pause(address: "198.51.100.\(number)", name: "Ann") == .zero) }
        #expect(limits.pause(address: "192.0.2.1", name: "Ann") == .seconds(2))
    }

    @Test func `secrets that no person can have are wrong, and count for no name`() async throws {
        let folder = try TemporaryFolder()
        let people = try await ServerBench.people(in: folder.url)
        let user = try await people.add(name: "Ann", password: "correct horse")
        let check = LoginCheck(people, limits(Clock()))
        let long = String(repeating: "a", count: 1_025)
        for _ in 0..<3 {
            #expect(try await check.check(name: "Ann", password: long, client: "192.0.2.1") == .wrong)
            #expect(try await check.check(name: "Ann", koreaderKey: "short", client: "192.0.2.1") == .wrong)
        }
        #expect(try await check.check(name: "Ann", password: "correct horse", client: "192.0.2.1") == .user(user))
        try await people.close()
    }

    @Test func `many requests at once with the right password are all right`() async throws {
        let folder = try TemporaryFolder()
        let people = try await ServerBench.people(in: folder.url)
        let user = try await people.add(name: "Ann", password: "correct horse")
        let check = LoginCheck(people, limits(Clock()))
        try await withThrowingTaskGroup(of: LoginCheck.Outcome.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    try await check.check(name: "Ann", password: "correct horse", client: "192.0.2.1")
                }
            }
            for try await outcome in group { #expect(outcome == .user(user)) }
        }
        #expect(try await check.check(name: "Ann", password: "wrong", client: "192.0.2.1") == .wrong)
        #expect(try await check.check(name: "Ann", password: "wrong", client: "192.0.2.1") == .wrong)
        let third = try await check.check(name: "Ann", password: "wrong", client: "192.0.2.1")
        #expect(third == .tooMany(retryAfter: 60))
        #expect(try await check.check(name: "Ann", password: "correct horse", client: "192.0.2.1") == .user(user))
        try await people.close()
    }
}
