import Foundation
import Testing

/// `carrel fleet` with a schema of the test's own in the real PostgreSQL, and a folder for its files.
struct FleetRunner {
    var runner: CommandRunner
    let schema: String

    private static let environment = TestServers.environment

    /// Whether `carrel` was built with the package trait `Fleet`: the release is.
    static let isInProgram: Bool = {
        #if Fleet
            true
        #else
            environment["CARREL_TEST_PROGRAM"] != nil
        #endif
    }()

    static let database = environment["CARREL_TEST_POSTGRES_URL"]
    static let password = environment["CARREL_TEST_POSTGRES_PASSWORD"] ?? ""
    static let isReady = isInProgram && database != nil

    /// Calls `body` with an empty schema, and removes it afterwards.
    static func use(isMade: Bool = true, _ body: (inout FleetRunner) async throws -> Void) async throws {
        try await CommandRunner.use { runner in
            runner.environment["CARREL_FLEET_DATABASE"] = database
            runner.environment["PGPASSWORD"] = password
            var fleet = FleetRunner(runner: runner, schema: "test_\(UInt64.random(in: 0 ... .max))")
            if isMade {
                let made = try await fleet.run("init")
                #expect(made.code == 0, "\(made.error)")
            }
            do { try await body(&fleet) } catch {
                // The test's own error is the one to show.
                _ = try? await fleet.sql("DROP SCHEMA IF EXISTS \(fleet.schema) CASCADE")
                throw error
            }
            try await fleet.sql("DROP SCHEMA IF EXISTS \(fleet.schema) CASCADE")
        }
    }

    /// Runs `carrel fleet VERB --schema … ARGUMENT…`.
    func run(_ verb: String, _ arguments: String..., input: String = "") async throws -> CommandRunner.Outcome {
        try await runner.run(["fleet", verb, "--schema", schema] + arguments, input: Data(input.utf8))
    }

    /// Runs a line of shell, in which `fleet VERB …` is the command, `run …` a worker with its states beside, and
    /// `until_true COMMAND` waits. A worker's lines are in `out`, its messages in `err`.
    func shell(_ lines: String) async throws -> CommandRunner.Outcome {
        try await runner.shell(
            """
            fleet() { local verb=$1; shift; "$CARREL" fleet "$verb" --schema \(schema) "$@"; }
            run() { exec "$CARREL" fleet run --schema \(schema) --states states --cache "cache-$BASHPID" --grace 5 "$@"; }
            until_true() { local n; for ((n = 0; n < 500; n++)); do "$@" && return; sleep 0.05; done; echo "never: $*"; exit 99; }
            ended() { [ "$(grep -c '"outcome":"success"' out)" -ge "$1" ]; }
            mkdir -p states
            trap 'kill $(jobs -p) 2>/dev/null' EXIT
            \(lines)
            """)
    }

    @discardableResult
    func sql(_ statement: String) async throws -> String {
        let url = try #require(Self.database)
        let outcome = try await runner.shell("psql -X -A -t -q -v ON_ERROR_STOP=1 '\(url)' -c \"\(statement)\"")
        #expect(outcome.code == 0, "\(outcome.error)")
        return outcome.text
    }

    /// The objects of `fleet ls --json`, by name.
    func pairs() async throws -> [String: [String: Any]] {
        let listed = try await run("ls", "--json")
        #expect(listed.code == 0, "\(listed.error)")
        var pairs: [String: [String: Any]] = [:]
        for line in listed.text.split(separator: "\n") {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            pairs[try #require(object["name"] as? String)] = object
        }
        return pairs
    }

    /// The object of `fleet status --json`.
    func status() async throws -> [String: Any] { try await run("status", "--json").object }

    /// Writes a file that only this user can read.
    func writeSecret(_ name: String, _ text: String) throws {
        try runner.write(name, text)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: runner.path(name))
    }
}
