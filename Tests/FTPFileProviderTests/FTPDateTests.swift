@testable import FTPFileProvider
import Foundation
import Testing

@Suite struct FTPDateTests {
    @Test(arguments: [
        ("19700101000000", 0), ("20190105123000", 1_546_691_400), ("20190105123000.5", 1_546_691_400.5),
        ("20000229235959.125", 951_868_799.125), ("00010101000000", -62_135_596_800), ("99991231235959", 253_402_300_799),
        ("19691231235959", -1), ("191000105123000", 947_075_400), ("19990630235960", 930_787_200),
    ])
    func `Time values are read`(text: String, seconds: Double) {
        #expect(FTPDate.parse(text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: [
        "", "2019", "20190230000000", "20191301000000", "20190001000000", "20190100000000", "00000101000000", "20190105240000",
        "20190105126000", "20190105123061", "20190105123000.", "20190105123000.x", "20190105123000Z", " 20190105123000", "2019010512300",
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
        for date in [Date.distantPast.addingTimeInterval(-1), Date(timeIntervalSince1970: 1e300), Date(timeIntervalSince1970: .nan)] {
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
    func `A date without a year is the last such day, at most a day ahead`(now: String, date: String, meant: String) throws {
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
                #expect(FTPListDate(now: now, offset: 0).moment(month: day.month, day: day.day, clock: clock).date == then)
            }
        }
    }

    @Test func `A clock that nobody can have said gives no date`() {
        let moment = FTPListDate(now: Date(timeIntervalSince1970: 1e300), offset: 0)
            .moment(month: 1, day: 5, clock: FTPListDate.Clock(seconds: 0, hasSeconds: false))
        #expect(moment.date == nil)
    }
}
