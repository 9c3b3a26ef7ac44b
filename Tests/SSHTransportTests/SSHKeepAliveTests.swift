import Foundation
import Testing

@testable import SSHTransport

/// When a silent server is asked whether it is there.
struct SSHKeepAliveTests {
    private let start = ContinuousClock.now

    @Test func `a server that says nothing is asked three times, and then there is none`() {
        var keepAlive = SSHKeepAlive(interval: .seconds(30))
        var now = start
        for _ in 0..<SSHKeepAlive.maxCount {
            now += .seconds(31)
            #expect(keepAlive.step(now, lastReceived: start, isWaitedFor: false) == .ask(wantsAnswer: true))
            #expect(keepAlive.step(now, lastReceived: start, isWaitedFor: false) == .wait(until: now + .seconds(30)))
        }
        now += .seconds(31)
        #expect(keepAlive.step(now, lastReceived: start, isWaitedFor: false) == .giveUp)
    }

    @Test func `an answer begins the count anew, and whoever waits decides by the time-out`() {
        var keepAlive = SSHKeepAlive(interval: .seconds(30))
        var now = start
        for round in 0..<20 {
            now += .seconds(31)
            let answered = round % 2 == 0 ? now - .seconds(31) + .milliseconds(1) : start
            #expect(keepAlive.step(now, lastReceived: answered, isWaitedFor: round % 2 == 1) == .ask(wantsAnswer: true))
        }
    }

    @Test func `nothing is asked while something comes`() {
        var keepAlive = SSHKeepAlive(interval: .seconds(30))
        for second in 1..<200 {
            let now = start + .seconds(second)
            #expect(keepAlive.step(now, lastReceived: now, isWaitedFor: true) == .wait(until: now + .seconds(30)))
        }
    }

    @Test func `answers that libssh2 keeps are asked for a thousand times at most`() {
        var keepAlive = SSHKeepAlive(interval: .seconds(30))
        var now = ContinuousClock.now
        for _ in 0..<1000 {
            now += .seconds(31)
            #expect(
                keepAlive.step(now, lastReceived: now - .seconds(30), isWaitedFor: false) == .ask(wantsAnswer: true))
        }
        for _ in 0..<10 {
            now += .seconds(31)
            #expect(keepAlive.step(now, lastReceived: start, isWaitedFor: false) == .ask(wantsAnswer: false))
        }
    }
}
