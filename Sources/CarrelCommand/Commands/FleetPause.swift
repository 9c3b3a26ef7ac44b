import ArgumentParser
import Carrel
import SyncFleet

struct FleetPause: Verb {
    static let verb = "fleet pause"
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Begin no run of some pairs until they are resumed.",
        discussion: "A run that has begun goes on to its end.")

    @OptionGroup var selection: FleetSelection
    @OptionGroup var database: FleetDatabaseOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { selection.blamed }

    func perform(_ session: Session) async throws {
        try await database.withFleet(session) { fleet in
            if let owner = selection.owner { return try await fleet.pause(owner: owner) }
            if let host = selection.host { return try await fleet.pause(host: host) }
            try await ItemWork.onPairs(selection.names, verb: Self.verb, failed: "not paused") {
                try await fleet.pause(pair: $0)
            }
        }
    }
}

struct FleetResume: Verb {
    static let verb = "fleet resume"
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let runs of paused pairs begin again.",
        discussion: "A pair that is paused by its name, by its owner and by its host needs all three.")

    @Flag(help: "Make the named pairs due at once, paused or not.")
    var now = false
    @OptionGroup var selection: FleetSelection
    @OptionGroup var database: FleetDatabaseOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { selection.blamed }

    func validate() throws {
        if now, selection.names.isEmpty { throw ValidationError("--now needs the names of pairs.") }
    }

    func perform(_ session: Session) async throws {
        try await database.withFleet(session) { fleet in
            if let owner = selection.owner { return try await fleet.resume(owner: owner) }
            if let host = selection.host { return try await fleet.resume(host: host) }
            try await ItemWork.onPairs(selection.names, verb: Self.verb, failed: "not resumed") { name in
                let isThere = try await fleet.resume(pair: name)
                if isThere, now { return try await fleet.runNow(name) }
                return isThere
            }
        }
    }
}
