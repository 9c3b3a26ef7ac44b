import Testing

@testable import SyncFleet

struct LeaseWatchTests {
    private let start = ContinuousClock.now

    /// Looks at lease 1 at so many seconds, with this beat.
    private func look(_ watch: inout LeaseWatch, _ seconds: Double, beat: Int64, fence: Int64 = 1) -> [Int64] {
        watch.look(at: [(1, fence, beat)], asked: start + .seconds(seconds), answered: start + .seconds(seconds)).map(
            \.id)
    }

    @Test func `a lease whose beat stays the same for the whole lease time is dead`() {
        var watch = LeaseWatch(leaseTime: .seconds(30))
        for second in [0.0, 10, 20] { #expect(look(&watch, second, beat: 5) == []) }
        #expect(look(&watch, 29.9, beat: 5) == [])
        #expect(look(&watch, 30, beat: 5) == [1])
        #expect(look(&watch, 40, beat: 5) == [1])
    }

    @Test func `a lease that is renewed lives`() {
        var watch = LeaseWatch(leaseTime: .seconds(30))
        for step in 0..<50 { #expect(look(&watch, Double(step) * 10, beat: Int64(step / 2)) == []) }
    }

    @Test func `another fence counts from its own beginning`() {
        var watch = LeaseWatch(leaseTime: .seconds(30))
        for second in [0.0, 10, 20] { _ = look(&watch, second, beat: 1) }
        #expect(look(&watch, 30, beat: 1, fence: 2) == [])
        #expect(look(&watch, 45, beat: 1, fence: 2) == [])
        #expect(look(&watch, 59, beat: 1, fence: 2) == [])
        #expect(look(&watch, 60, beat: 1, fence: 2) == [1])
    }

    @Test func `the time that an answer took does not count`() {
        var watch = LeaseWatch(leaseTime: .seconds(30))
        let lease = [(id: Int64(1), fence: Int64(1), beat: Int64(1))]
        for (asked, answered) in [(0.0, 10.0), (20, 25), (35, 36)] {
            let dead = watch.look(at: lease, asked: start + .seconds(asked), answered: start + .seconds(answered))
            #expect(dead.isEmpty)
        }
        #expect(look(&watch, 45, beat: 1) == [])
        #expect(look(&watch, 46, beat: 1) == [1])
    }

    @Test func `a lease that was away counts from its return`() {
        var watch = LeaseWatch(leaseTime: .seconds(30))
        for second in [0.0, 10, 20] { _ = look(&watch, second, beat: 1) }
        #expect(watch.look(at: [], asked: start + .seconds(25), answered: start + .seconds(25)).isEmpty)
        #expect(look(&watch, 35, beat: 1) == [])
    }

    @Test func `a jump ahead is followed by another look before a lease is dead`() {
        var watch = LeaseWatch(leaseTime: .seconds(30))
        _ = look(&watch, 0, beat: 1)
        // The machine slept for a day.
        #expect(look(&watch, 86_400, beat: 1) == [])
        #expect(look(&watch, 86_405, beat: 2) == [])
        #expect(look(&watch, 86_420, beat: 2) == [])
        #expect(look(&watch, 86_435, beat: 2) == [1])
    }

    @Test func `a jump back makes nothing dead, and time counts again from there`() {
        var watch = LeaseWatch(leaseTime: .seconds(30))
        _ = look(&watch, 1000, beat: 1)
        #expect(look(&watch, 10, beat: 1) == [])
        #expect(look(&watch, 25, beat: 1) == [])
        #expect(look(&watch, 40, beat: 1) == [1])
    }
}
