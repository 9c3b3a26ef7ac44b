import FileProviderCore
import Foundation
import Testing

import ReaderApplication
import ReaderDriver
import ReaderMessages

/// The states of a connection for those who listen; the script runs between two looks.
@Suite(.timeLimit(.minutes(2)))
struct ConnectionStatesTests {
    private static let attributes = ["device": "iPad"]
    private static let online = ConnectionState.online(
        ApplicationInfo(ConnectedMessage(state: .online, attributes: attributes)))

    private func states(_ script: @escaping DriverBed.Script) async throws -> [ConnectionState] {
        let bed = try DriverBed()
        try await bed.begin(Self.attributes, script)
        var states: [ConnectionState] = []
        for await state in bed.session.connectionStates { states.append(state) }
        try bed.check()
        return states
    }

    @Test func `each state is told when it differs from the one before, until the end of the session`() async throws {
        let states = try await states { bed, look in
            switch look {
            case 2: try await bed.say(ConnectedMessage(state: .offline, attributes: Self.attributes))
            case 4: try await bed.folder.remove(ConnectedMessage.fileName)
            case 6: try await bed.say(ConnectedMessage(state: .online, attributes: Self.attributes))
            case 8: await bed.session.eject()
            default: break
            }
        }
        #expect(states == [Self.online, .offline, .absent, Self.online])
    }

    @Test
    func
        `a storage that fails three times says nothing, one that fails once more is an application that does not respond`()
        async throws
    {
        let states = try await states { bed, look in
            switch look {
            case 1, 5: bed.provider.become { _, _ in .failing }
            case 4, 9: bed.provider.become { _, _ in .well }
            case 11: await bed.session.eject()
            default: break
            }
        }
        #expect(states == [Self.online, .unresponsive, Self.online])
    }

    @Test func `a session that nobody holds is not kept by those who listen`() async throws {
        let bed = try DriverBed()
        try await bed.begin()
        let states = bed.anotherSession().connectionStates
        // It would go on for ever.
        for await state in states { #expect(state != .absent) }
    }
}
