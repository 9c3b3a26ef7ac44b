import FileProviderCore
import Foundation
import PostgresTransport

/// The schema of one fleet in a database: its name, and the statements that make and check it.
struct FleetSchema: Sendable {
    let name: String

    /// - Throws: `CocoaError(.fileWriteInvalidFileName)` unless `name` is a plain identifier.
    init(_ name: String) throws {
        let isPlain =
            (1...63).contains(name.utf8.count) && !name.hasPrefix("pg_") && name.first?.isNumber == false
            && name.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "_")
            }
        guard isPlain else {
            throw FileError.make(
                .fileWriteInvalidFileName, path: name,
                sentence: "“\(LogText.shown(name, limit: 100))” cannot be a fleet's schema: use up to 63 lower-case "
                    + "letters, digits and underscores, a letter or an underscore first, and not pg_.")
        }
        self.name = name
    }

    /// The name for use in a statement. It may be a word of SQL, such as `user`.
    private var quoted: String { "\"\(name)\"" }

    /// Returns a statement. In `sql`, `@` is the schema.
    func statement(_ sql: String, _ values: [PostgresValue] = []) -> PostgresStatement {
        PostgresStatement(sql.replacing("@", with: quoted), values)
    }

    // MARK: Migrations

    /// Whether the schema exists, and whether it has migrations.
    var presence: PostgresStatement {
        PostgresStatement(
            """
            SELECT to_regnamespace($1::text) IS NOT NULL AS exists, to_regclass($2::text) IS NOT NULL AS has_migrations
            """, [.text(quoted), .text("\(quoted).migration")])
    }

    var applied: PostgresStatement { statement("SELECT number, checksum FROM @.migration ORDER BY number") }

    /// The statements that apply `migrations` in one transaction, one process after the other; the last ones return
    /// whether each was applied, or had been by another process.
    func migrating(_ migrations: [FleetMigration], exists: Bool) -> [PostgresStatement] {
        let lock = PostgresStatement(
            "SELECT pg_advisory_xact_lock(hashtext('carrel fleet migrations'), hashtext($1::text))", [.text(name)])
        let schema = exists ? [] : [statement("CREATE SCHEMA IF NOT EXISTS @")]
        let table = statement(
            """
            CREATE TABLE IF NOT EXISTS @.migration (
                number integer PRIMARY KEY, checksum text NOT NULL, applied timestamptz NOT NULL DEFAULT now())
            """)
        return [lock] + schema + [table, applying]
            + migrations.map {
                statement(
                    "SELECT @.apply_migration($1::integer, $2::text, $3::text, $4::text) AS applied",
                    [.int(Int64($0.number)), .text($0.checksum), .text($0.sql), .text("\(quoted), pg_temp")])
            }
    }

    /// The function that applies one migration, unless it was by another process meanwhile.
    private var applying: PostgresStatement {
        statement(
            """
            CREATE OR REPLACE FUNCTION @.apply_migration(new_number integer, sum text, commands text, path text)
            RETURNS boolean LANGUAGE plpgsql SET search_path = @, pg_temp AS $$
            DECLARE
                found_sum text;
            BEGIN
                SELECT checksum INTO found_sum FROM migration WHERE number = new_number;
                IF found_sum = sum THEN RETURN false; END IF;
                IF found_sum IS NOT NULL OR new_number <> (SELECT coalesce(max(number), 0) + 1 FROM migration) THEN
                    RAISE EXCEPTION 'migration % was applied by another version meanwhile', new_number;
                END IF;
                PERFORM set_config('search_path', path, true);
                EXECUTE commands;
                INSERT INTO migration (number, checksum) VALUES (new_number, sum);
                RETURN true;
            END
            $$
            """)
    }

    /// Returns the migrations that are not among the applied ones.
    ///
    /// - Throws: `CocoaError` if one was applied that this version does not know, or knows with another text.
    func missing(_ applied: [(number: Int, checksum: String)], of known: [FleetMigration] = FleetMigration.all) throws
        -> [FleetMigration]
    {
        if let newest = applied.last?.number, newest > known.count {
            throw FileError.make(
                .featureUnsupported, path: name,
                sentence: "The fleet in the schema “\(name)” was made by a newer version of Carrel: its migration is "
                    + "\(newest), and this version knows \(known.count). Update this program.")
        }
        for (migration, known) in zip(applied, known) where migration != (known.number, known.checksum) {
            throw FileError.make(
                .featureUnsupported, path: name,
                sentence: "Migration \(migration.number) of the fleet in the schema “\(name)” is not the one of this "
                    + "version: its checksum differs. Use another schema, or the program that made it.")
        }
        return Array(known.dropFirst(applied.count))
    }
}
