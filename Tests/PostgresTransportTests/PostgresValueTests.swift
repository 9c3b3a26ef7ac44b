import FileProviderCore
import Foundation
import Testing

@testable import PostgresTransport

@Suite struct PostgresValueTests {
    @Test("values are sent in the text forms that PostgreSQL reads")
    func textForms() {
        #expect(PostgresValue.null.sent == nil)
        #expect(PostgresValue.text("a'b").sent == "a'b")
        #expect(PostgresValue.int(-7).sent == "-7")
        #expect(PostgresValue.double(0.1).sent == "0.1")
        #expect(PostgresValue.double(-.infinity).sent == "-Infinity")
        #expect(PostgresValue.double(.nan).sent == "NaN")
        #expect(PostgresValue.bool(true).sent == "true")
        #expect(PostgresValue.bytes([0, 255, 16]).sent == "\\x00ff10")
        #expect(PostgresValue.array(["a", nil, "b\"\\,{}"]).sent == #"{"a",NULL,"b\"\\,{}"}"#)
        #expect(PostgresValue.array([]).sent == "{}")
        #expect(PostgresValue.ints([1, -2]).sent == "{1,-2}")
    }

    @Test("literals are values")
    func literals() {
        let values: [PostgresValue] = ["a", 1, 1.5, true, nil]
        #expect(values == [.text("a"), .int(1), .double(1.5), .bool(true), .null])
        #expect(PostgresValue.text(orNull: nil) == .null)
    }

    @Test(
        "an array is read as it was written",
        arguments: [[], ["a"], ["", "NULL", "null", "a b", "\"", "\\", ",", "{", "}", "é\u{301}\r\n"], ["x", nil]])
    func arrays(_ values: [String?]) {
        #expect(PostgresArray.values(PostgresArray.text(values)) == values)
    }

    @Test("an array is read as the server writes it")
    func serverArrays() {
        #expect(PostgresArray.values("{a,NULL,\"NULL\",\"b c\"}") == ["a", nil, "NULL", "b c"])
        for text in ["", "{", "a", "{a", "{\"a}", "{a}b", "{a,}", "{{a},{b}}", "{a\\"] {
            #expect(PostgresArray.values(text) == nil, "\(text)")
        }
    }

    @Test(
        "a time is read to the microsecond, with any offset",
        arguments: [
            ("1970-01-01 00:00:00+00", 0.0), ("2026-11-29 19:56:27.123456+00", 1_795_982_187.123456),
            ("2026-11-30 01:26:27.5+05:30", 1_795_982_187.5), ("2024-02-29 12:00:00-01", 1_709_211_600.0),
            ("1969-12-31 23:59:59.999999+00", -0.000001), ("0001-01-01 00:00:00+00", -62_135_596_800.0),
        ])
    func times(_ text: String, _ seconds: Double) throws {
        let date = try #require(PostgresTime.date(text))
        #expect(abs(date.timeIntervalSince1970 - seconds) < 0.000_001)
    }

    @Test(
        "what is not a time is refused",
        arguments: ["", "2026-11-29", "2026-11-29 10:00:00", "0044-03-15 12:00:00+00 BC", "2026-13-01 00:00:00+00"])
    func noTimes(_ text: String) {
        #expect(PostgresTime.date(text) == nil)
    }

    @Test("a column that is missing, null or of another type is an error that names it")
    func columns() throws {
        let columns = PostgresColumns(["a", "b", "t"])
        let rows = PostgresRows(columns: columns, values: [["7", nil, "t"]], affected: 1)
        let row = try #require(rows.first)
        #expect(try row.int("a") == 7)
        #expect(try row.optionalInt("b") == nil)
        #expect(try row.bool("t"))
        for read in [
            { _ = try row.text("c") }, { _ = try row.text("b") }, { _ = try row.bool("a") }, { _ = try row.int("t") },
            { _ = try row.date("a") }, { _ = try row.bytes("a") }, { _ = try row.texts("a") },
        ] as [() throws -> Void] {
            let error = #expect(throws: CocoaError.self) { try read() }
            #expect(error?.code == .fileReadCorruptFile)
            #expect(error?.sentence.contains("“") == true)
        }
    }

    @Test("a statement that a shared connection cannot run is refused before it is sent")
    func refusedStatements() {
        for sql in ["BEGIN", " commit", "\n\tROLLBACK;", "savepoint a", "COPY a FROM STDIN", "SELECT '\0'"] {
            #expect(throws: CocoaError.self, "\(sql)") { try PostgresStatement(sql).check() }
        }
        #expect(throws: CocoaError.self) { try PostgresStatement("SELECT $1", ["\0"]).check() }
        let many = Array(repeating: PostgresValue.int(1), count: 65_536)
        #expect(throws: CocoaError.self) { try PostgresStatement("SELECT 1", many).check() }
        #expect(throws: Never.self) { try PostgresStatement("SELECT 1", many.dropLast()).check() }
        #expect(throws: Never.self) { try PostgresStatement("ENDLESS").check() }
    }
}
