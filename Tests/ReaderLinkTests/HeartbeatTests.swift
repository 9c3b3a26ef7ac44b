import Foundation
import Testing

import ReaderApplication
@testable import ReaderDriver
@testable import ReaderMessages

struct HeartbeatTests {
    private func says(_ state: ConnectedMessage.State, heartbeat: Double? = nil, bytes: String = "one")
        -> Heartbeat.Look
    {
        var connected = ConnectedMessage(state: state)
        connected.heartbeat = heartbeat
        return .says(connected, Data(bytes.utf8))
    }

    private func isOnline(_ state: ConnectionState) -> Bool {
        if case .online = state { true } else { false }
    }

    @Test func `a file that comes and goes is an application that comes and goes`() {
        var heartbeat = Heartbeat()
        #expect(heartbeat.observe(.missing, now: 0) == .absent)
        #expect(isOnline(heartbeat.observe(says(.online), now: 1)))
        #expect(heartbeat.observe(says(.offline), now: 2) == .offline)
        #expect(isOnline(heartbeat.observe(says(.online), now: 3)))
        #expect(heartbeat.observe(.missing, now: 4) == .absent)
    }

    @Test func `without a promised beat a file may stay as it is for ever`() {
        var heartbeat = Heartbeat()
        #expect(isOnline(heartbeat.observe(says(.online), now: 0)))
        #expect(isOnline(heartbeat.observe(says(.online), now: 1_000_000)))
    }

    @Test func `three missed beats make an application unresponsive, and any change brings it back`() {
        var heartbeat = Heartbeat()
        #expect(isOnline(heartbeat.observe(says(.online, heartbeat: 10), now: 0)))
        #expect(isOnline(heartbeat.observe(says(.online, heartbeat: 10), now: 30)))
        #expect(heartbeat.observe(says(.online, heartbeat: 10), now: 30.1) == .unresponsive)
        // The peer's own clock may have gone back meanwhile; only that something changed counts.
        #expect(isOnline(heartbeat.observe(says(.online, heartbeat: 10, bytes: "two"), now: 31)))
        #expect(isOnline(heartbeat.observe(says(.online, heartbeat: 10, bytes: "two"), now: 61)))
    }

    @Test func `a file that cannot be read changes nothing for three looks`() {
        var heartbeat = Heartbeat()
        #expect(isOnline(heartbeat.observe(says(.online), now: 0)))
        for look in 1...3 { #expect(isOnline(heartbeat.observe(.unreadable, now: Double(look)))) }
        #expect(heartbeat.observe(.unreadable, now: 4) == .offline)
        #expect(isOnline(heartbeat.observe(says(.online), now: 5)))
    }

    @Test func `what the application says of itself is kept whole`() throws {
        var connected = ConnectedMessage(
            state: .online, attributes: ["device": "iPad", "marvin": "2.1", "strange": "x"], hasPassword: true)
        connected.capabilities = [ConnectedMessage.Capability.actions, ConnectedMessage.Capability.exporting]
        var heartbeat = Heartbeat()
        guard case .online(let info) = heartbeat.observe(.says(connected, Data()), now: 0) else {
            Issue.record("It is online.")
            return
        }
        #expect(info.device == "iPad")
        #expect(info.attributes["strange"] == "x")
        #expect(info.hasPassword == true)
        let capabilities = DriverCapabilities(info, options: DriverOptions())
        #expect(capabilities.readsBooks)
        #expect(!capabilities.listsBooks)
        #expect(!capabilities.cancels)
    }
}
