import Foundation

/// Dates in the output of `LIST`: in the server's own time, often without a year.
struct FTPListDate: Sendable {
    /// The moment of the listing.
    let now: Date
    private let zone: FTPServerZone

    /// - Parameter offset: Seconds that the server's clock is ahead of UTC, all year.
    init(now: Date, offset: Int) {
        self.now = now
        zone = .fixed(offset)
    }

    /// - Parameter zone: The server's, with its summer time.
    init(now: Date, zone: TimeZone) {
        self.now = now
        self.zone = .named(zone)
    }

    /// A date and its precision in seconds.
    typealias Moment = (date: Date?, precision: Double)

    /// A time of day in a listing.
    struct Clock {
        /// Seconds from midnight; nil where no clock shows this.
        var seconds: Int?
        var hasSeconds: Bool
        var precision: Double { hasSeconds ? 1 : 60 }
    }

    /// Nil for a day that never was, such as 30 February.
    func moment(year: Int, month: Int, day: Int, clock: Clock?) -> Moment {
        guard let days = FTPDate.days(year: year, month: month, day: day) else { return (nil, 0) }
        guard let clock else { return (date(days, 0), 86_400) }
        return (clock.seconds.map { date(days, $0) }, clock.precision)
    }

    /// The latest such day, at most one day in the future: the server's clock may be ahead, or its time zone may not be
    /// the configured one.
    func moment(month: Int, day: Int, clock: Clock) -> Moment {
        let today = now.timeIntervalSince1970 / 86_400
        guard let seconds = clock.seconds, abs(today) < 700_000 else { return (nil, 0) }
        // In no zone is it the year after the next.
        let thisYear = FTPDate.civil(day: Int(today.rounded(.down))).year
        // 29 February may be eight years back.
        for year in stride(from: thisYear + 1, through: thisYear - 8, by: -1) {
            guard let days = FTPDate.days(year: year, month: month, day: day) else { continue }
            let candidate = date(days, seconds)
            if candidate.timeIntervalSince(now) <= 86_400 { return (candidate, clock.precision) }
        }
        return (nil, 0)
    }

    private func date(_ days: Int, _ seconds: Int) -> Date {
        Date(timeIntervalSince1970: Double(days * 86_400 + seconds - zone.offset(days, seconds)))
    }

    /// `12:30`, `9:05:07`, `12:30:15.000000000`, with `AM`, `PM`, `a` or `p` behind it or not; nil for anything else.
    static func clock(_ line: Span<UInt8>, _ range: Range<Int>) -> Clock? {
        guard let colon = line.first(UInt8(ascii: ":"), in: range),
            let hour = line.small(range.lowerBound..<colon, digits: 1...2),
            colon + 3 <= range.upperBound, let minute = line.small(colon + 1..<colon + 3, digits: 2...2)
        else { return nil }
        var rest = colon + 3..<range.upperBound
        var second: Int?
        if let mark = line.first(UInt8(ascii: ":"), in: rest.prefix(1)) {
            guard mark + 3 <= rest.upperBound, let number = line.small(mark + 1..<mark + 3, digits: 2...2) else {
                return nil
            }
            second = number
            rest = mark + 3..<rest.upperBound
            if let point = line.first(UInt8(ascii: "."), in: rest.prefix(1)) {
                guard line.isNumber(point + 1..<rest.upperBound) else { return nil }
                rest = rest.upperBound..<rest.upperBound
            }
        }
        guard rest.isEmpty || half(line, rest) != nil else { return nil }
        let shown = rest.isEmpty ? hour : hour24(hour, half: half(line, rest))
        return Clock(
            seconds: FTPDate.seconds(hour: shown, minute: minute, second: second ?? 0), hasSeconds: second != nil)
    }

    /// 0 for `AM`, 12 for `PM`.
    static func half(_ line: Span<UInt8>, _ range: Range<Int>) -> Int? {
        if line.has("am", in: range) || line.has("a", in: range) { return 0 }
        return line.has("pm", in: range) || line.has("p", in: range) ? 12 : nil
    }

    /// −1, which no clock shows, for what no clock of 12 hours shows.
    private static func hour24(_ hour: Int, half: Int?) -> Int { 1...12 ~= hour ? hour % 12 + (half ?? 0) : -1 }

    /// Adds what a separate `AM` or `PM` says to a clock.
    static func clock(_ clock: Clock, half: Int) -> Clock {
        guard let seconds = clock.seconds else { return clock }
        let hour = hour24(seconds / 3600, half: half)
        return Clock(seconds: hour < 0 ? nil : hour * 3600 + seconds % 3600, hasSeconds: clock.hasSeconds)
    }

    /// Three numbers as Windows and others write a day: `2019-01-05`; `05.01.2019`; `01-05-19` and `1/5/2019` with the
    /// month in front.
    static func day(_ line: Span<UInt8>, _ range: Range<Int>) -> (year: Int, month: Int, day: Int)? {
        guard 6...10 ~= range.count, let one = range.first(where: { !line[$0].isDigit }) else { return nil }
        let mark = line[one]
        guard mark == UInt8(ascii: "-") || mark == UInt8(ascii: "/") || mark == UInt8(ascii: "."),
            let two = line.first(mark, in: one + 1..<range.upperBound),
            let first = line.small(range.lowerBound..<one, digits: 1...4),
            let second = line.small(one + 1..<two, digits: 1...2),
            let third = line.small(two + 1..<range.upperBound, digits: 1...4)
        else { return nil }
        if one - range.lowerBound == 4 { return (first, second, third) }
        guard first < 100, range.upperBound - two == 3 || range.upperBound - two == 5 else { return nil }
        let year = range.upperBound - two == 5 ? third : third + (third < 70 ? 2000 : 1900)
        // Americans write the month first; dates with points have the day first.
        let isDayFirst = mark == UInt8(ascii: ".") || (first > 12 && second <= 12)
        return isDayFirst ? (year, second, first) : (year, first, second)
    }

    /// `8-SEP-1996`, `18-Nov-94`.
    static func namedDay(_ line: Span<UInt8>, range: Range<Int>) -> (year: Int, month: Int, day: Int)? {
        guard let one = line.first(UInt8(ascii: "-"), in: range),
            let two = line.first(UInt8(ascii: "-"), in: one + 1..<range.upperBound),
            let day = line.small(range.lowerBound..<one, digits: 1...2),
            let month = FTPMonth.number(line, one + 1..<two),
            let year = line.small(two + 1..<range.upperBound, digits: 2...4)
        else { return nil }
        return (year < 100 ? year + (year < 70 ? 2000 : 1900) : year, month, day)
    }
}

/// Names of months, as `ls` writes them in the languages that servers were set to.
enum FTPMonth {
    /// Each number of a month and its short names, in UTF-8; those of Western Europe are looked for in Latin-1, too.
    private static let names: [Int: String] = [
        1: "jan janv ene gen янв", 2: "feb févr fév fev фев", 3: "mar mär märz mrz mars mrt мар",
        4: "apr avr avril abr апр",
        5: "may mai mei maj mag мая май", 6: "jun juni juin giu июн", 7: "jul juli juil lug июл",
        8: "aug août aoû ago авг",
        9: "sep sept set сен", 10: "oct okt ott out окт", 11: "nov ноя", 12: "dec dez déc dic des дек",
    ]

    private static let numbers: [UInt64: Int] = {
        var numbers: [UInt64: Int] = [:]
        for (number, text) in names {
            for name in text.split(separator: " ") {
                numbers[name.utf8.reduce(0) { $0 << 8 | UInt64($1) }] = number
                let scalars = name.unicodeScalars.map { UInt64($0.value) }
                if scalars.allSatisfy({ $0 < 256 }) { numbers[scalars.reduce(0) { $0 << 8 | $1 }] = number }
            }
        }
        return numbers
    }()

    /// 1…12; a point behind the name is passed over, and `1月` and `1월` are January.
    static func number(_ line: Span<UInt8>, _ range: Range<Int>) -> Int? {
        guard 3...9 ~= range.count else { return nil }
        if line[range.lowerBound].isDigit { return eastAsian(line, range: range) }
        let hasPoint = line[range.upperBound - 1] == UInt8(ascii: ".")
        let name = range.lowerBound..<range.upperBound - (hasPoint ? 1 : 0)
        guard name.count <= 8 else { return nil }
        var key: UInt64 = 0
        for index in name { key = key << 8 | UInt64(line[index].lowercased) }
        return numbers[key]
    }

    /// `5`, `5.`, `5日`, `5일`.
    static func day(_ line: Span<UInt8>, _ range: Range<Int>) -> Int? {
        var end = range.lowerBound
        while end < range.upperBound, line[end].isDigit { end += 1 }
        let rest = end..<range.upperBound
        guard rest.isEmpty || line.has(".", in: rest) || line.has("日", in: rest) || line.has("일", in: rest) else {
            return nil
        }
        return line.small(range.lowerBound..<end, digits: 1...2)
    }

    private static func eastAsian(_ line: Span<UInt8>, range: Range<Int>) -> Int? {
        let mark = range.upperBound - 3..<range.upperBound
        guard line.has("月", in: mark) || line.has("월", in: mark),
            let month = line.small(range.lowerBound..<mark.lowerBound, digits: 1...2), 1...12 ~= month
        else { return nil }
        return month
    }
}

/// How far a server's clock is ahead of UTC.
private enum FTPServerZone: Sendable {
    /// Seconds, all year.
    case fixed(Int)
    case named(TimeZone)

    /// Seconds, when the server's clock shows that second of that day.
    func offset(_ day: Int, _ second: Int) -> Int {
        switch self {
        case .fixed(let offset): return offset
        case .named(let zone):
            func offset(_ utc: Int) -> Int { zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(utc))) }
            // For an hour that the clocks skip, the offset is that of before or after. For an hour that occurs twice,
            // it is always the same one of the two.
            let shown = day * 86_400 + second
            return offset(shown - offset(shown))
        }
    }
}
