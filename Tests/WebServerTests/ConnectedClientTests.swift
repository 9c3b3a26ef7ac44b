import FileProviderCore
import Testing

@testable import WebServer

@Suite struct ConnectedClientTests {
    private let client = ConnectedClient()
    private let ended = LockedValue<[String]>([])

    private func end(_ name: String) -> @Sendable () -> Void {
        { [ended] in ended.update { $0.append(name) } }
    }

    @Test func `when a client goes, only the present answer ends, and once`() {
        client.whenGone(end("first"))
        client.whenGone(end("second"))
        client.leave()
        client.leave()
        #expect(ended.value == ["second"])
    }

    @Test func `what was forgotten does not end, and what begins too late ends at once`() {
        client.whenGone(end("first"))
        client.forget()
        client.leave()
        #expect(ended.value.isEmpty)
        client.whenGone(end("late"))
        #expect(ended.value == ["late"])
    }

    @Test func `nothing of earlier requests is kept`() {
        weak var first: LockedValue<Int>?
        do {
            let answer = LockedValue(1)
            first = answer
            client.whenGone { answer.update { $0 += 1 } }
        }
        #expect(first != nil)
        client.whenGone {}
        #expect(first == nil)
    }
}
