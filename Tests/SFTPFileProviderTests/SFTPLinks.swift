import FaultServer
import FileProviderCore
import Foundation
import Synchronization

@testable import SFTPFileProvider

/// Connections to a double, whose channels can be refused.
final class SFTPLinks: Sendable {
    struct Limits: Sendable {
        /// Channels on one connection; one more is refused.
        var channels = Int.max
        /// Answers that come sooner make the double a near one: it never is, however fast this machine.
        var near = Duration.zero
        /// How long an opening waits for a handle while no answer comes.
        var standstill = Duration.seconds(15)
        /// Whether the double is taken for OpenSSH's server.
        var renamesByLink = false
        /// What a connection throws once it has ended.
        var death: any Error = URLError(.networkConnectionLost)
        /// Whether a connection knows that it has ended before it is used.
        var tellsDeath = false
        /// What a refused channel throws.
        var refusal: any Error = URLError(.networkConnectionLost)
        /// What a connection throws; nil to be let in. Asked with the number of connections so far.
        var login: @Sendable (Int) -> (any Error)? = { _ in nil }
        /// What the account's shell says.
        var shell: @Sendable (String) throws -> (status: Int32, output: [UInt8]) = { _ in (127, []) }
    }

    let double: SFTPDouble
    let limits: Limits
    private let made = Mutex([Link]())

    init(_ double: SFTPDouble, limits: Limits = .init()) {
        self.double = double
        self.limits = limits
    }

    /// Connections so far.
    var count: Int { made.withLock { $0.count } }

    func connect() throws -> any SFTPLink {
        let link = Link(double, limits)
        let count = made.withLock { made in
            made.append(link)
            return made.count
        }
        if let error = limits.login(count) { throw error }
        return link
    }

    /// Seconds for which the last command of a shell was allowed to be silent.
    var idle: Double? { made.withLock { $0.last?.state.value.idle } }

    /// Ends all connections, as a network does.
    func cut() {
        for link in made.withLock({ $0 }) { link.die() }
        double.stop()
    }

    private final class Link: SFTPLink {
        let double: SFTPDouble
        let limits: Limits
        let state = LockedValue((channels: 0, isDead: false, idle: Double?.none))

        init(_ double: SFTPDouble, _ limits: Limits) {
            self.double = double
            self.limits = limits
        }

        func die() { state.update { $0.isDead = true } }

        var isOver: Bool { limits.tellsDeath && state.value.isDead }
        var takesChannels: Bool { true }
        var takesLogins: Bool { true }
        var renamesByLink: Bool { limits.renamesByLink }
        var processorsPerLane: Int { 1 }

        func channel() async throws -> any ByteChannel {
            let (isDead, isAllowed) = state.update { state -> (Bool, Bool) in
                state.channels += 1
                return (state.isDead, state.channels <= limits.channels)
            }
            if isDead { throw limits.death }
            if !isAllowed { throw limits.refusal }
            return double.channel()
        }

        func run(_ command: String, idle: Double?) async throws -> (status: Int32, output: [UInt8]) {
            state.update { $0.idle = idle }
            return try limits.shell(command)
        }

        func close() { die() }
    }
}
