import FaultServer
import FileProviderCore
import Foundation
import SFTPEngine
import Testing

@testable import SFTPFileProvider

/// Sessions that are ended while they begin, and connections that are not to be made.
@Suite struct SFTPPoolTests {
    @Test(arguments: [false, true])
    func `A pool that is closed while a lane is being opened asks for no new login`(isLane: Bool) async throws {
        let double = SFTPDouble(files: SFTPFaults.files)
        defer { double.stop() }
        let links = HoldingLinks(double, free: isLane ? 1 : 0)
        let pool = SFTPPool(connections: 1, channels: 2, patience: .seconds(20)) { links.connect() }
        defer { pool.closeAll() }
        let opening = HoldingLinks.$asker.withValue("first") {
            Task {
                guard isLane else { return try await pool.session() as SFTPSession? }
                _ = try await pool.session()
                return await pool.lane(1)
            }
        }
        await links.isHolding()
        pool.closeAll()
        if isLane {
            #expect(try await opening.value === nil)
        } else {
            await #expect(throws: URLError.self) { try await opening.value }
        }
        // Had somebody begun another login, it would be found here, in the name of whoever began it.
        _ = try await HoldingLinks.$asker.withValue("second") { try await pool.link() }
        #expect(links.askers == ["first", "second"])
    }

    @Test func `Where somebody is asked at each login, no lane makes another`() async throws {
        let double = SFTPDouble(files: SFTPFaults.files)
        defer { double.stop() }
        let links = HoldingLinks(double, free: 3, takesLogins: false)
        let pool = SFTPPool(connections: 2, channels: 2, patience: .seconds(20)) { links.connect() }
        defer { pool.closeAll() }
        _ = try await pool.session()
        // The second connection's, the one that would share it first.
        for number in [4, 2] { #expect(await pool.lane(number) == nil) }
        for number in [1, 3] { #expect(await pool.lane(number) != nil) }
        #expect(links.askers.count == 1)
    }
}

/// Connections of which the first gives some channels at once, and holds the next until it is closed.
private final class HoldingLinks: Sendable {
    @TaskLocal static var asker = "nobody"

    private let double: SFTPDouble
    private let free: Int
    private let takesLogins: Bool
    private let asked = LockedValue([String]())
    private let held = AsyncStream<Void>.makeStream()

    init(_ double: SFTPDouble, free: Int, takesLogins: Bool = true) {
        self.double = double
        self.free = free
        self.takesLogins = takesLogins
    }

    /// Who asked for each connection.
    var askers: [String] { asked.value }

    func connect() -> any SFTPLink {
        asked.update { $0.append(Self.asker) }
        return Link(double, free: free, takesLogins: takesLogins, held: held.continuation)
    }

    /// Suspends until a channel is held.
    func isHolding() async { for await _ in held.stream { return } }

    private final class Link: SFTPLink {
        let isOver = false
        let takesChannels = true
        let takesLogins: Bool
        let renamesByLink = false
        let processorsPerLane = 1
        private let double: SFTPDouble
        private let free: LockedValue<Int>
        private let held: AsyncStream<Void>.Continuation
        private let closing = AsyncStream<Void>.makeStream()

        init(_ double: SFTPDouble, free: Int, takesLogins: Bool, held: AsyncStream<Void>.Continuation) {
            self.double = double
            self.takesLogins = takesLogins
            self.free = LockedValue(free)
            self.held = held
        }

        func channel() async throws -> any ByteChannel {
            let isFree = free.update { free in
                free -= 1
                return free >= 0
            }
            if isFree { return double.channel() }
            held.yield()
            // In a task of its own, which nobody cancels: libssh2's calls end when the connection is closed.
            await Task { [closing] in for await _ in closing.stream {} }.value
            throw URLError(.networkConnectionLost)
        }

        func run(_ command: String, idle: Double?) async throws -> (status: Int32, output: [UInt8]) { (127, []) }

        func close() { closing.continuation.finish() }
    }
}
