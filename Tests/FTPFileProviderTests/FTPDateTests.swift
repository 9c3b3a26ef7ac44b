@testable import FTPFileProvider
import Foundation
import Testing

@Suite struct FTPDateTests {
    @Test(arguments: [
        ("19700101000000", 0), ("20190105123000", 1_546_691_400), ("20190105123000.5", 1_546_691_400.5),
        ("20000229235959.125", 951_868_799.125), ("00010101000000", -62_135_596_800),
        ("99991231235959", 253_402_300_799),
        ("19691231235959", -1), ("191000105123000", 947_075_400), ("19990630235960", 930_787_200),
    ])
    func `Time values are read`(text: String, seconds: Double) {
        #expect(FTPDate.parse(text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: [
        "", "2019", "20190230000000", "20191301000000", "20190001000000", "20190100000000", "00000101000000",
        "20190105240000",
        "20190105126000", "20190105123061", "20190105123000.", "20190105123000.x", "20190105123000Z", " 20190105123000",
        "2019010512300",
        "20000105123000000", "-0190105123000", "19000229000000", "201001051230000",
    ])
    func `What is no time value is not read`(text: String) {
        #expect(FTPDate.parse(text) == nil)
    }

    @Test func `Every day is the one that Foundation's calendar has`() throws {
        let style = Date.ISO8601FormatStyle().year().month().day().dateSeparator(.omitted)
        for day in stride(from: -719_162, through: 2_932_896, by: 211) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 45_296)
            let text = try #require(FTPDate.text(date))
            #expect(FTPDate.parse(text) == date)
            // From here on the calendars agree; Foundation's has Julian days before.
            if day > -141_427 { #expect(text == date.formatted(style) + "123456") }
        }
    }

    @Test func `Time values are written, with milliseconds or without`() {
        #expect(FTPDate.text(Date(timeIntervalSince1970: 1_546_691_400.999_9)) == "20190105123000")
        for milliseconds in stride(from: 0, to: 1000, by: 7) {
            let text = "20190105123000." + String(String(1000 + milliseconds).dropFirst())
            #expect(FTPDate.parse(text).flatMap { FTPDate.text($0, milliseconds: true) } == text)
        }
        #expect(FTPDate.text(Date(timeIntervalSince1970: -0.5), milliseconds: true) == "19691231235959.500")
        for date in [
            Date.distantPast.addingTimeInterval(-1), Date(timeIntervalSince1970: 1e300),
            Date(timeIntervalSince1970: .nan),
        ] {
            #expect(FTPDate.text(date) == nil)
        }
    }

    @Test(arguments: [
        // now, the listing's date, what it means
        ("20190101001000", "Dec 31 23:55", "20181231235500"), ("20190101001000", "Jan  1 00:09", "20190101000900"),
        ("20181231235900", "Jan  1 00:30", "20190101003000"), ("20181231235900", "Jan  2 00:30", "20180102003000"),
        ("20190310120000", "Mar 11 12:00", "20190311120000"), ("20190310120000", "Mar 11 12:01", "20180311120100"),
        ("20190310120000", "Feb 29 10:00", "20160229100000"), ("20200228120000", "Feb 29 10:00", "20200229100000"),
        ("20200228090000", "Feb 29 10:00", "20160229100000"), ("20200229100000", "Feb 29 10:00", "20200229100000"),
        ("21030101000000", "Feb 29 10:00", "20960229100000"),
    ])
    func `A date without a year is the last such day, at most a day ahead`(now: String, date: String, meant: String)
        throws
    {
        let now = try #require(FTPDate.parse(now))
        for offset in [0, -43_200, 50_400] {
            let line = Array("-rw-r--r-- 1 a b 6 \(date) x".utf8)
            // The same clocks in another zone.
            let parser = list(offset: offset, now: now.addingTimeInterval(Double(-offset)))
            let entry = try #require(try read(parser, line).entries.first)
            #expect(entry.modified == FTPDate.parse(meant)?.addingTimeInterval(Double(-offset)), "\(offset)")
            #expect(entry.timePrecision == 60)
        }
    }

    @Test func `No clock of the year leads further ahead than a day or further back than a year`() throws {
        let start = try #require(FTPDate.parse("20181225000000"))
        for hour in stride(from: 0, to: 24 * 800, by: 37) {
            let now = start.addingTimeInterval(Double(hour) * 3600)
            for back in [-86_400, -3600, 0, 3600, 86_400 * 40, 86_400 * 363] {
                let then = now.addingTimeInterval(Double(-back))
                let clock = FTPListDate.Clock(seconds: Int(then.timeIntervalSince1970) % 86_400, hasSeconds: true)
                let day = FTPDate.civil(day: Int(then.timeIntervalSince1970) / 86_400)
                #expect(
                    FTPListDate(now: now, offset: 0).moment(month: day.month, day: day.day, clock: clock).date == then)
            }
        }
    }

    @Test func `A clock that nobody can have said gives no date`() {
        let moment = FTPListDate(now: Date(timeIntervalSince1970: 1e300), offset: 0)
            .moment(month: 1, day: 5, clock: FTPListDate.Clock(seconds: 0, hasSeconds: false))
        #expect(moment.date == nil)
    }
}

/// Dates of servers whose clocks know summer time.
@Suite struct FTPZoneTests {
    private func modified(_ line: String, now: String = "20190110000000", zone: String = "Europe/Berlin") throws
        -> Date?
    {
        let parser = try FTPListParser(now: #require(FTPDate.parse(now)), zone: #require(TimeZone(identifier: zone)))
        return try #require(try read(parser, Array(line.utf8)).entries.first).modified
    }

    @Test(arguments: ["20190110000000", "20190710000000"])
    func `Each date has the offset that held then, whenever it is read`(now: String) throws {
        let lines = [
            "2018-01-05 12:30 x": "20180105113000", "2018-07-05 12:30 x": "20180705103000",
            "Jul 05  2018 x": "20180704220000",
            "2018-07-05 12:30:15.000000000 +0100 x": "20180705113015",
        ]
        for (line, expected) in lines {
            #expect(try modified("-rw-r--r-- 1 a b 6 \(line)", now: now) == FTPDate.parse(expected), "\(line)")
        }
        #expect(try modified("07-05-18  11:30PM  7 y", now: now) == FTPDate.parse("20180705213000"))
        #expect(
            try modified("01-05-18  11:30PM  7 y", now: now, zone: "America/New_York")
                == FTPDate.parse("20180106043000"))
    }

    @Test(arguments: [
        ("20190110000000", "Jul  5 12:30", "20180705103000"), ("20190110000000", "Jan  5 12:30", "20190105113000"),
        ("20190710000000", "Jul  5 12:30", "20190705103000"), ("20190710000000", "Jan  5 12:30", "20190105113000"),
        // It is the new year there already.
        ("20181231233000", "Jan  1 00:15", "20181231231500"),
    ])
    func `So has a date without a year`(now: String, date: String, meant: String) throws {
        #expect(try modified("-rw-r--r-- 1 a b 6 \(date) x", now: now) == FTPDate.parse(meant))
    }

    @Test(arguments: [
        ("2019-03-31 01:59", "20190331005900"), ("2019-03-31 02:30", "20190331013000"),
        ("2019-03-31 03:00", "20190331010000"),
        ("2019-10-27 01:59", "20191026235900"), ("2019-10-27 02:30", "20191027013000"),
        ("2019-10-27 03:00", "20191027020000"),
        ("2019-03-30 12:00", "20190330110000"), ("2019-04-01 12:00", "20190401100000"),
    ])
    func `The days on which the clocks change are read, and hours that are left out or come twice`(
        date: String, meant: String
    ) throws {
        #expect(try modified("-rw-r--r-- 1 a b 6 \(date) x", now: "20200101000000") == FTPDate.parse(meant))
    }

    @Test func `No day that a server makes up is too much`() throws {
        var lines = ""
        for year in 1...9999 {
            lines += "-rw-r--r-- 1 a b 6 \(String(year + 10_000).dropFirst())-0\(1 + year % 9)-28 02:30 x\(year)\n"
        }
        for day in 0..<3 {
            for clock in 0..<1440 {
                lines += "-rw-r--r-- 1 a b 6 2019-03-\(29 + day) \(Self.shown(clock)) y\(day)-\(clock)\n"
            }
        }
        let parser = try FTPListParser(
            now: Date(timeIntervalSince1970: 1_577_836_800), zone: #require(TimeZone(identifier: "Europe/Berlin")))
        let result = try read(parser, Array(lines.utf8))
        #expect(result.unreadable == 0 && result.entries.count == 9999 + 3 * 1440)
        #expect(result.entries.allSatisfy { $0.modified != nil })
        let last = result.entries.suffix(3 * 1440).compactMap(\.modified)
        #expect(
            zip(last, last.dropFirst()).count { $0 > $1 } == 1, "they go back once, behind the hour that is left out")
    }

    private static func shown(_ clock: Int) -> String {
        "\(String(clock / 60 + 100).dropFirst()):\(String(clock % 60 + 100).dropFirst())"
    }
}
