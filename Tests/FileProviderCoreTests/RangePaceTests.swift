import FileProviderCore
import Testing

/// How many ranges there are at once, by rates that are made up.
@Suite struct RangePaceTests {
    private static let size: Int64 = 1 << 40

    /// Plays a transfer in which so many ranges bring `rate(count)` bytes a second, for 20 seconds.
    private func play(
        maxCount: Int = 8, latency: Double = 0.04, size: Int64 = RangePaceTests.size, _ rate: (Int) -> Double
    ) -> (pace: RangePace, counts: [Int]) {
        var pace = RangePace(limits: .standard, latency: latency, at: 0)
        var (time, arrived, counts) = (0.0, 0.0, [1])
        while time < 20 {
            time += 0.01
            arrived += rate(pace.count) * 0.01
            if pace.note(arrived: Int64(arrived), left: size - Int64(arrived), at: time) {
                if pace.isWanting { pace.grow(to: maxCount) }
                counts.append(pace.count)
            }
            pace.run(pace.count, at: time)
        }
        return (pace, counts)
    }

    @Test func `a link that one stream does not fill gets as many as bring more`() {
        #expect(play { Double($0) * 10e6 }.counts == [1, 2, 4, 8])
        #expect(play(maxCount: 3) { Double($0) * 10e6 }.counts == [1, 2, 3])
        // Full at 25 MB a second: four bring more than two, and eight no more than four.
        #expect(play { min(25e6, Double($0) * 10e6) }.counts == [1, 2, 4, 8, 4])
    }

    @Test func `a full link gets one stream again`() {
        let (pace, counts) = play { _ in 10e6 }
        #expect(counts == [1, 2, 1])
        #expect(pace.isSettled)
    }

    @Test func `no second stream where one is fast, or nearly through, or the only one allowed`() {
        #expect(play { _ in 500e6 }.counts == [1])
        #expect(play(size: 12_000_000) { _ in 10e6 }.counts == [1])
        #expect(play(maxCount: 1) { Double($0) * 10e6 }.counts == [1, 1])
    }

    @Test func `a number is measured once the storage sends so many, and not before`() {
        var pace = RangePace(limits: .standard, latency: 0.04, at: 0)
        var arrived: Int64 = 0
        func pass(until end: Double, from start: Double) {
            var time = start
            while time < end {
                time += 0.01
                arrived += 100_000
                _ = pace.note(arrived: arrived, left: Self.size, at: time)
            }
        }
        pass(until: 1, from: 0)
        #expect(pace.isWanting)
        pace.grow(to: 4)
        pace.run(1, at: 1)
        pass(until: 10, from: 1)
        #expect(pace.count == 2 && !pace.isSettled, "the second one has not begun")
        pace.run(2, at: 10)
        pass(until: 11, from: 10)
        #expect(pace.count == 1 && pace.isSettled)
    }

    @Test func `a refusal halves the number for good`() {
        var pace = play { Double($0) * 10e6 }.pace
        pace.reduce()
        #expect(pace.count == 4)
        pace.reduce()
        pace.reduce()
        pace.reduce()
        #expect(pace.count == 1)
        pace.run(8, at: 30)
        let isChanged = pace.note(arrived: 0, left: Self.size, at: 40)
        #expect(!isChanged && pace.count == 1)
    }
}
