import Foundation
import PostgresTransport
import SyncFleet

// Adds a pair to a fleet of workers. Without the package trait Fleet, no database can be reached.
var pair = FleetPair(
    name: "ann-photos", source: "davs://ann@nas.example/photos",
    destination: URL(filePath: CommandLine.arguments[1]).absoluteString)
(pair.owner, pair.sourceCredential) = ("ann", "ann-nas")
let database = PostgresConnection(try PostgresConfiguration("postgresql://carrel@127.0.0.1:9/carrel"))
do { try await Fleet(database).add([pair]) } catch { print("\(pair.name): \(error.localizedDescription)") }
await database.close()
