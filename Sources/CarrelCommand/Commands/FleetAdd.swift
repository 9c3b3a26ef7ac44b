import ArgumentParser
import Carrel
import Foundation
import Sync
import SyncFleet

struct FleetAdd: Verb {
    static let verb = "fleet add"
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a pair of folders, or thousands from a file.",
        discussion: """
            Workers reach the two locations from their own machines, so they are URLs or paths that exist there, without a \
            password: a credential is the name of a file in the folder that each worker has. A file for --from has a JSON \
            object on each line: {"name": "ann-photos", "owner": "ann", "source": "davs://ann@nas.example/photos", \
            "destination": "s3://backup/ann", "sourceCredential": "ann-nas", "options": {"deletes": true}, "every": "1h"}. \
            They are added in batches, each as a whole, and nothing after the first mistake; with --replace, the same file \
            can be added again.
            """)

    @Option(help: ArgumentHelp("A file with a pair on each line, - for standard input.", valueName: "file"))
    var from: String?
    @Flag(help: "Change pairs that exist; what they have in common, and their history, stay.")
    var replace = false
    @Option(help: ArgumentHelp("Whose pair this is: owners share the workers fairly.", valueName: "name"))
    var owner: String?
    @Option(help: ArgumentHelp("The time from the end of a run to the next one; 1h unless given.", valueName: "time"))
    var every: String?
    @Option(help: ArgumentHelp("Stop a run that takes longer, and try again later.", valueName: "time"))
    var deadline: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Pairs with a higher number come first; 0 unless given.", valueName: "n"))
    var priority: Int?
    @Option(help: ArgumentHelp("The credential of the source: a file's name.", valueName: "name"))
    var sourceCredential: String?
    @Option(help: ArgumentHelp("The credential of the destination.", valueName: "name"))
    var destinationCredential: String?
    @OptionGroup var pairOptions: SyncPairOptions
    @Argument(help: "The pair's name.")
    var name: String?
    @Argument(help: "The folder to sync from.", completion: .location)
    var source: String?
    @Argument(help: "The folder to sync to; it is created if missing.", completion: .location)
    var destination: String?
    @OptionGroup var database: FleetDatabaseOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { name ?? from }

    private struct Shown: Encodable {
        var added: Int
    }

    func validate() throws {
        if from != nil {
            let settings: [String?] = [name, owner, every, deadline, sourceCredential, destinationCredential]
            if settings.contains(where: { $0 != nil }) || priority != nil || !pairOptions.members.isEmpty {
                throw ValidationError("--from needs no other setting of a pair: each line has its own.")
            }
            return
        }
        guard let source, let destination, name != nil else {
            throw ValidationError("A pair needs a name, a source and a destination; or give --from.")
        }
        if source.isEmpty || destination.isEmpty { throw ValidationError("A location must not be empty.") }
        for (flag, text) in [("--every", every), ("--deadline", deadline)] {
            guard let text else { continue }
            guard let seconds = TimeText.seconds(text), FleetPairText.times.contains(seconds) else {
                throw ValidationError("\(flag) needs a time such as 90s, 15m or 1h: from a second to a year.")
            }
        }
    }

    func perform(_ session: Session) async throws {
        let pair = from == nil ? try pair() : nil
        try await database.withFleet(session) { fleet in
            let count: Int
            if let pair {
                try await fleet.add([pair], replaces: replace)
                count = 1
            } else {
                count = try await addAll(to: fleet)
            }
            if common.json { return try session.output.json(Shown(added: count)) }
            if from != nil, !common.quiet { try session.output.line("added \(count)") }
        }
    }

    private func pair() throws -> FleetPair {
        var pair = FleetPair(
            name: name ?? "", source: try FleetPairText.location(source ?? ""),
            destination: try FleetPairText.location(destination ?? ""))
        pair.owner = owner ?? pair.owner
        pair.every = every.flatMap { TimeText.seconds($0) } ?? pair.every
        pair.deadline = deadline.flatMap { TimeText.seconds($0) }
        pair.priority = priority ?? pair.priority
        pair.sourceCredential = try sourceCredential.map { try FleetPairText.credential($0) }
        pair.destinationCredential = try destinationCredential.map { try FleetPairText.credential($0) }
        pair.options = JSONValue.object(pairOptions.members).jsonString
        return pair
    }

    /// - Returns: The number of pairs.
    /// - Throws: A usage error that says how many were added before a line that cannot be read; errors of the database.
    private func addAll(to fleet: Fleet) async throws -> Int {
        let file = from ?? ""
        let lines = try FleetPairLines(file, verb: Self.verb)
        var count = 0
        func before(_ error: any Error) -> any Error {
            guard count > 0 else { return error }
            // The error of a batch of many doesn't say what became of the ones before.
            Output.standardError("carrel: \(Self.verb) \(file): \(count) pairs were added before that.")
            return error
        }
        while true {
            let pairs: [FleetPair]
            do { pairs = try await lines.next() } catch { throw before(error) }
            if pairs.isEmpty { return count }
            do { try await fleet.add(pairs, replaces: replace) } catch { throw before(error) }
            count += pairs.count
        }
    }
}
