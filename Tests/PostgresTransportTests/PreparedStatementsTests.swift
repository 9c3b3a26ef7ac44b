import Testing

@testable import PostgresTransport

@Suite struct PreparedStatementsTests {
    @Test("a text is prepared at its second use, and used by others once the server has confirmed it")
    func secondUse() throws {
        var prepared = PreparedStatements()
        #expect(prepared.plan(for: "a", run: 1) == .direct)
        guard case .prepare(let name) = prepared.plan(for: "a", run: 2) else {
            Issue.record("The second use does not prepare.")
            return
        }
        #expect(prepared.plan(for: "a", run: 2) == .named(name))
        #expect(prepared.plan(for: "a", run: 3) == .direct)
        prepared.confirm("a")
        #expect(prepared.plan(for: "a", run: 3) == .named(name))
    }

    @Test("a text that the server skipped, or no longer accepts, is prepared again under another name")
    func again() {
        var prepared = PreparedStatements()
        _ = prepared.plan(for: "a", run: 1)
        let first = prepared.plan(for: "a", run: 2)
        prepared.abandon("a")
        #expect(prepared.takeUnwanted() == [])
        #expect(prepared.plan(for: "a", run: 3) == .direct)
        let second = prepared.plan(for: "a", run: 4)
        prepared.confirm("a")
        #expect(second != first && second != .direct)
        prepared.forget("a")
        guard case .prepare(let name) = second else {
            Issue.record("It was not prepared again.")
            return
        }
        #expect(prepared.takeUnwanted() == [name])
        #expect(prepared.takeUnwanted() == [])
        #expect(prepared.plan(for: "a", run: 5) == .direct)
    }

    @Test("the text that was used longest ago gives way")
    func limit() {
        var prepared = PreparedStatements(limit: 2)
        var names: [String] = []
        for text in ["a", "b"] {
            _ = prepared.plan(for: text, run: 1)
            if case .prepare(let name) = prepared.plan(for: text, run: 2) { names.append(name) }
            prepared.confirm(text)
        }
        #expect(names.count == 2)
        _ = prepared.plan(for: "a", run: 3)
        _ = prepared.plan(for: "c", run: 4)
        guard case .prepare = prepared.plan(for: "c", run: 5) else {
            Issue.record("The third text is not prepared.")
            return
        }
        #expect(prepared.takeUnwanted() == names.suffix(1))
        #expect(prepared.plan(for: "a", run: 6) == .named(names[0]))
    }
}
