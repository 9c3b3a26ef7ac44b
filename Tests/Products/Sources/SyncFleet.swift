import Foundation
import PostgresTransport
import SyncFleet

// Describes a pair for a fleet of workers, and adds it. Without the package trait Fleet, no database can be reached.
let pair = FleetPair(
    name: "ann-photos", owner: "ann", source: "davs://ann@nas.example/photos",
    destination: URL(filePath: CommandLine.arguments[1]).absoluteString, sourceCredential: "ann-nas")
let database = PostgresConnection(try PostgresConfiguration("postgresql://carrel@127.0.0.1:9/carrel"))
let gates = pair.gates.sorted().joined(separator: " ")
do { try await Fleet(database).add([pair]) } catch { print("\(gates): \(error.localizedDescription)") }
await database.close()
