import FileProviderCore
import Foundation
import Testing

/// Writes down what a sink is told and given, and has enough when it is told to.
private final class RecordingSink: ByteSink {
    let announced = CollectedValues<FileExtent>()
    let data = LockedValue(Data())
    let flow: FlowState

    init(flow: FlowState = .ready) { self.flow = flow }

    func begin(_ extent: FileExtent) { announced.append(extent) }

    func write(_ bytes: UnsafeRawBufferPointer) -> FlowState {
        data.update { $0.append(contentsOf: bytes) }
        return flow
    }
}

/// Lets nothing more pass until it is opened.
private final class ClosingTap: CopyTap {
    private let waiting = CollectedValues<@Sendable () -> Void>()
    let ended = LockedValue(false)

    func pass(_ bytes: UnsafeRawBufferPointer) -> FlowState { .wait }

    func whenReady(_ resume: @escaping @Sendable () -> Void) { waiting.append(resume) }

    func open() { for resume in waiting.values { resume() } }

    func finish() throws {
        ended.update { $0 = true }
        throw CocoaError(.userCancelled)
    }
}

@Suite struct TappingTests {
    private let extent = FileExtent(offset: 0, count: 10, size: 10)

    private func give(_ count: Int, to sink: TappedSink) throws -> FlowState {
        try Data(count: count).withUnsafeBytes { try sink.write($0) }
    }

    @Test func `A sink is told what comes, unless it has been told already`() throws {
        for isAnnounced in [false, true] {
            let below = RecordingSink()
            let sink = TappedSink(below, isAnnounced: isAnnounced)
            try sink.begin(extent)
            #expect(below.announced.values.count == (isAnnounced ? 0 : 1))
            #expect(sink.extent?.size == 10)
        }
    }

    @Test func `No byte over the limit reaches the sink`() throws {
        let below = RecordingSink()
        let sink = TappedSink(below, limit: (5, CocoaError(.fileReadTooLarge)))
        #expect(try give(5, to: sink) == .ready)
        #expect(sink.count == 5 && sink.failure == nil)
        #expect(throws: CocoaError(.fileReadTooLarge)) { try give(1, to: sink) }
        #expect(below.data.value.count == 5 && sink.count == 5)
        #expect(sink.failure as? CocoaError == CocoaError(.fileReadTooLarge))
    }

    @Test func `More than the limit is refused when it is announced`() {
        let below = RecordingSink()
        let sink = TappedSink(below, limit: (9, CocoaError(.fileReadTooLarge)))
        #expect(throws: CocoaError(.fileReadTooLarge)) { try sink.begin(extent) }
        #expect(below.announced.values.isEmpty)
    }

    @Test func `A sink that has enough makes the bytes wait until it takes more`() throws {
        let sink = TappedSink(RecordingSink(flow: .wait))
        #expect(try give(3, to: sink) == .wait)
        #expect(sink.isFull)
        let isResumed = LockedValue(false)
        sink.whenReady { isResumed.update { $0 = true } }
        #expect(isResumed.value && !sink.isFull)
    }

    @Test func `A tap makes the bytes wait, and its refusal is kept`() throws {
        let tap = ClosingTap()
        let sink = TappedSink(RecordingSink(), tap: tap)
        #expect(try give(3, to: sink) == .wait)
        let isResumed = LockedValue(false)
        sink.whenReady { isResumed.update { $0 = true } }
        #expect(!isResumed.value && sink.isFull)
        tap.open()
        #expect(isResumed.value && !sink.isFull)
        #expect(throws: CocoaError(.userCancelled)) { try sink.finish() }
        #expect(sink.failure as? CocoaError == CocoaError(.userCancelled))
    }

    @Test func `A tap sees the end of a source before whoever reads it does`() async throws {
        let tap = ClosingTap()
        let bytes = try TappedSource(DataSource(Data(count: 3)), tap).bytes(from: 1)
        #expect(try await bytes.next(upTo: 3)?.count == 2)
        #expect(!tap.ended.value)
        await #expect(throws: CocoaError(.userCancelled)) { try await bytes.next() }
        #expect(tap.ended.value)
    }
}
