import FileProviderCore
import Foundation
import PostgresTransport
import Testing

@testable import SyncFleet

struct FleetSchemaTests {
    @Test("A released migration keeps its text")
    func checksums() {
        // Where this fails, the change belongs into a new migration.
        #expect(
            FleetMigration.all.map(\.checksum) == [
                "58951c412b3b50be5b41324f2bdbeba4b07af71a239427605d1c96cb5e35e7df",
                "1bad758cfb986db7507517977c46b6fc1ca7ed4adbfb40d595565ef0dc8015be",
                "2853f5f26f2ce64375a7a15a87ae12fa08df9fdde2ec58158b87b6bbf3d7d26d",
                "6930263f80f33371c8ca8fbb589659103cecf38bed051226381df2098c7921db",
            ])
    }

    @Test("Migrations count from 1 without gaps")
    func numbers() {
        #expect(FleetMigration.all.map(\.number) == Array(1...FleetMigration.all.count))
    }

    @Test("Each function of the database looks in the fleet's schema alone")
    func searchPaths() {
        for migration in FleetMigration.all {
            let functions = migration.sql.ranges(of: "CREATE FUNCTION").count
            #expect(migration.sql.ranges(of: "SET search_path FROM CURRENT AS $$").count == functions)
        }
    }

    @Test("A plain identifier is a schema's name", arguments: ["carrel_fleet", "_a1", "user", "x"])
    func plain(name: String) throws {
        let schema = try FleetSchema(name)
        #expect(schema.applied.sql.contains("\"\(name)\".migration"))
    }

    @Test(
        "Another name is refused with a sentence",
        arguments: [
            "", "1a", "A", "a-b", "a.b", "a\"b", "a b", "pg_fleet", "\u{e9}", "a;", String(repeating: "a", count: 64),
        ])
    func other(name: String) {
        let error = #expect(throws: CocoaError.self) { try FleetSchema(name) }
        #expect(error?.code == .fileWriteInvalidFileName)
    }

    // MARK: Applied migrations

    private let known = [FleetMigration(number: 1, sql: "a"), FleetMigration(number: 2, sql: "b")]

    private func missing(_ applied: [(Int, String)]) throws -> [Int] {
        let applied = applied.map { (number: $0.0, checksum: $0.1) }
        return try FleetSchema("x").missing(applied, of: known).map(\.number)
    }

    @Test("What a schema lacks is applied, in order")
    func lacking() throws {
        #expect(try missing([]) == [1, 2])
        #expect(try missing([(1, known[0].checksum)]) == [2])
        #expect(try missing([(1, known[0].checksum), (2, known[1].checksum)]) == [])
    }

    @Test("A schema of a newer version is refused")
    func newer() {
        let error = #expect(throws: CocoaError.self) {
            try missing([(1, known[0].checksum), (2, known[1].checksum), (3, "c")])
        }
        #expect(error?.sentence.contains("newer") == true)
    }

    @Test("A migration with another text, or a gap before it, is refused")
    func different() {
        for applied in [[(1, "x")], [(1, known[0].checksum), (2, "x")], [(2, known[1].checksum)]] {
            let error = #expect(throws: CocoaError.self) { try missing(applied) }
            #expect(error?.sentence.contains("checksum") == true)
        }
    }
}
